/*
 * The frame of the pages at /docs: plain pages in the colours and the font of the console, which open without a script. The theme that a person
 * chose in the console holds here too. Pure.
 */

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

interface HtmlPage {
  /** Of the gateway's own addresses. */
  readonly prefix: string;
  readonly title: string;
  /** Of the content. */
  readonly html: string;
  /** Which link of the head is this page; null: none. */
  readonly current: 'api' | 'documents' | 'errors' | null;
  /** Beside the content on wide screens; absent: nothing. */
  readonly side?: readonly SideGroup[];
  /** What was searched. */
  readonly question?: string;
}

/** Links of one kind, with the title above them. */
export interface SideGroup {
  readonly title: string;
  readonly links: readonly SideLink[];
}

interface SideLink {
  readonly address: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** A complete page. */
export function htmlPage({ prefix, title, html, current, side = [], question = '' }: HtmlPage): string {
  const link = (key: string, path: string, text: string) =>
    `<a href="${prefix}${path}"${key === current ? ' aria-current="page"' : ''}>${text}</a>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)} · Fleetgate</title>
<meta name="viewport" content="width=device-width">
<script src="${prefix}/docs/page.js"></script><link rel="stylesheet" href="${prefix}/docs/page.css"></head>
<body><header><a class="brand" href="${prefix}/console/">Fleetgate</a><nav aria-label="Documents">
${link('api', '/docs', 'API')} ${link('documents', '/docs/README', 'Documents')} ${link('errors', '/docs/errors', 'Errors')}
</nav>${side.length > 0 ? '<button type="button" class="pages" popovertarget="pages">All pages</button>' : ''}<form role="search" action="${prefix}/docs/search"><input type="search" name="q" aria-label="Search the documents" maxlength="100"
placeholder="Search the documents" value="${escaped(question)}"></form><a href="${prefix}/console/">Open the console</a></header><div class="page">${sideOf(side)}<main>${html}</main></div></body></html>`;
}

/** Stands beside the content, and on narrow screens opens by its button. The group of the page is open, the others are folded. */
function sideOf(groups: readonly SideGroup[]): string {
  if (groups.length === 0) return '';
  const parts = groups.map(({ title, links }) => {
    const rows = links.map(
      ({ address, text, isCurrent }) =>
        `<li><a href="${escaped(address)}"${isCurrent ? ' aria-current="page"' : ''}>${escaped(text)}</a></li>`,
    );
    const isOpen =
      links.some(({ isCurrent }) => isCurrent) || groups.every(({ links: all }) => all.every((one) => !one.isCurrent));
    return `<details${isOpen ? ' open' : ''}><summary>${escaped(title)}</summary><ul>${rows.join('')}</ul></details>`;
  });
  return `<nav class="side" id="pages" popover aria-label="Pages">${parts.join('')}</nav>`;
}

/** Sets the theme before the first paint; filters the list of operations by what is typed. */
export const PAGE_SCRIPT = `(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const contrast = matchMedia('(prefers-contrast: more)');
  let chosen = null;
  try { chosen = localStorage.getItem('fleetgate.theme'); } catch { /* the browser allows no storage */ }
  const show = () => {
    const system = contrast.matches ? 'contrast' : dark.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = chosen && chosen !== 'system' ? chosen : system;
  };
  show();
  for (const query of [dark, contrast]) query.addEventListener('change', show);
  addEventListener('DOMContentLoaded', () => {
    const field = document.querySelector('main input[type="search"]');
    if (!field) return;
    const rows = [...document.querySelectorAll('[data-words]')];
    const filter = () => {
      const words = field.value.toLowerCase().split(/\\s+/);
      for (const row of rows) row.hidden = !words.every((word) => row.dataset.words.includes(word));
      for (const group of document.querySelectorAll('section'))
        group.hidden = ![...group.querySelectorAll('[data-words]')].some((row) => !row.hidden);
    };
    field.addEventListener('input', filter);
    filter();
  });
})();
`;

/** The colours are those of `console/src/styles/base/tokens.css`. */
export const PAGE_STYLES = `:root, [data-theme='light'] { color-scheme: light; --page: #f7f8fa; --surface: #ffffff; --line: #e3e6eb;
  --ink: #14181f; --ink-2: #4b5563; --accent: #2456d3; --code: #f1f3f6; --target: #fdf1dc; --good: #0f7a4a; --warn: #8f5600; --bad: #c02626; }
[data-theme='dark'] { color-scheme: dark; --page: #0e1116; --surface: #14181f; --line: #262d38; --ink: #e8ebf0; --ink-2: #aab3c0;
  --accent: #86a9ff; --code: #1c222c; --target: #2e2413; --good: #4cc38a; --warn: #e5a93c; --bad: #ff8078; }
[data-theme='contrast'] { color-scheme: dark; --page: #000000; --surface: #000000; --line: #ffffff; --ink: #ffffff; --ink-2: #ffffff;
  --accent: #ffe14d; --code: #1a1a1a; --target: #333300; --good: #7dffb5; --warn: #ffd166; --bad: #ffb3ae; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 14px/1.55 'Inter Variable', system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; padding: 12px 24px; background: var(--surface);
  border-bottom: 1px solid var(--line); }
header .brand { font-weight: 600; color: var(--ink); text-decoration: none; font-size: 15px; }
header nav { display: flex; gap: 16px; } header form { flex: 0 1 280px; margin-left: auto; }
.found { padding-left: 24px; } .found p { margin: 0 0 12px; } mark { background: var(--target); color: inherit; }
[aria-current] { color: var(--ink); text-decoration: none; font-weight: 600; }
main { max-width: 62rem; min-width: 0; margin: 0 auto; padding: 24px; overflow-wrap: anywhere; }
.side { width: auto; height: auto; border: 0; color: inherit; font-size: 13px; overflow-y: auto; }
.side summary { padding: 4px 8px; font-weight: 600; cursor: pointer; } .side ul { list-style: none; margin: 0 0 12px; padding: 0; }
.side a { display: block; padding: 4px 8px; border-radius: 6px; color: var(--ink-2); text-decoration: none; }
.side a:hover { background: var(--code); } .side a[aria-current] { background: var(--code); color: var(--ink); }
.pages { font: inherit; color: inherit; padding: 4px 12px; background: var(--surface); border: 1px solid var(--ink-2); border-radius: 6px; }
@media (max-width: 63.99rem) { .side { inset: 0; margin: 16px; padding: 16px; background: var(--surface); border: 1px solid var(--line);
  border-radius: 6px; } .side::backdrop { background: rgb(0 0 0 / 40%); } }
@media (min-width: 64rem) { .page:has(.side) { display: grid; grid-template-columns: 264px minmax(0, 1fr); } .page:has(.side) > main { width: 100%; }
  .side { display: block; position: sticky; inset: 0 auto auto; align-self: start; max-height: 100vh; margin: 0; padding: 20px 12px 24px 24px;
    background: none; border-right: 1px solid var(--line); } .pages { display: none; } }
a { color: var(--accent); }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 16px; } h2 { font-size: 18px; margin: 32px 0 8px; }
h3 { font-size: 15px; margin: 24px 0 8px; } h4 { font-size: 14px; margin: 16px 0 8px; }
code, pre { font-family: ui-monospace, 'SF Mono', 'DejaVu Sans Mono', monospace; font-size: 0.92em; }
code { background: var(--code); border-radius: 4px; padding: 1px 4px; }
pre { background: var(--code); border-radius: 6px; padding: 12px 16px; overflow-x: auto; } pre code { padding: 0; background: none; }
.box { overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 8px 12px; overflow-wrap: normal; }
td { min-width: 9rem; border-top: 1px solid var(--line); } th { color: var(--ink-2); font-size: 13px; font-weight: 500; } thead th { white-space: nowrap; }
.errors { table-layout: fixed; } .errors td { min-width: 0; } .errors th:nth-child(1) { width: 22%; } .errors th:nth-child(2) { width: 7%; }
.errors th:nth-child(3) { width: 28%; } .errors th:nth-child(5) { width: 9.5%; }
tr:target, h2:target, h3:target { background: var(--target); }
img { max-width: 100%; } .quiet { color: var(--ink-2); }
input[type='search'] { width: 100%; font: inherit; color: inherit; padding: 8px 12px; background: var(--surface);
  border: 1px solid var(--ink-2); border-radius: 6px; }
.operations { list-style: none; padding: 0; margin: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; }
.operations li { border-bottom: 1px solid var(--line); } .operations li:last-child { border-bottom: 0; } [hidden] { display: none; }
.operations a { display: grid; grid-template-columns: 4.5rem minmax(14rem, 2fr) 3fr; gap: 4px 12px; padding: 8px 12px; color: inherit;
  text-decoration: none; } .operations a:hover { background: var(--code); } .operations code { background: none; padding: 0; }
.method { font-weight: 600; font-size: 12px; } .method[data-method='GET'] { color: var(--accent); } .method[data-method='POST'] { color: var(--good); }
.method[data-method='PUT'], .method[data-method='PATCH'] { color: var(--warn); } .method[data-method='DELETE'] { color: var(--bad); }
ul.fields { list-style: none; padding-left: 16px; border-left: 1px solid var(--line); } ul.fields > li { margin: 6px 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 40rem) { main { padding: 16px; } header { padding: 12px 16px; } .operations a { grid-template-columns: 1fr; }
  .list thead { display: none; } .list, .list tbody, .list tr, .list td { display: block; } .list tr { padding: 8px 12px; border-top: 1px solid var(--line); }
  .list tr:first-child { border-top: 0; } .list td { padding: 1px 0; border: 0; }
  .list td[data-head]::before { content: attr(data-head) ': '; color: var(--ink-2); } }
`;
