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
}

/** A complete page. */
export function htmlPage({ prefix, title, html, current }: HtmlPage): string {
  const link = (key: string, path: string, text: string) =>
    `<a href="${prefix}${path}"${key === current ? ' aria-current="page"' : ''}>${text}</a>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)} · Fleetgate</title>
<meta name="viewport" content="width=device-width">
<script src="${prefix}/docs/page.js"></script><link rel="stylesheet" href="${prefix}/docs/page.css"></head>
<body><header><a class="brand" href="${prefix}/console/">Fleetgate</a><nav aria-label="Documents">
${link('api', '/docs', 'API')} ${link('documents', '/docs/README', 'Documents')} ${link('errors', '/docs/errors', 'Errors')}
</nav></header><main>${html}</main></body></html>`;
}

/** Sets the theme before the first paint; filters the list of operations by what is typed. */
export const PAGE_SCRIPT = `(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const contrast = matchMedia('(prefers-contrast: more)').matches;
  let chosen = null;
  try { chosen = localStorage.getItem('fleetgate.theme'); } catch { /* the browser allows no storage */ }
  const system = contrast ? 'contrast' : dark ? 'dark' : 'light';
  document.documentElement.dataset.theme = chosen && chosen !== 'system' ? chosen : system;
  addEventListener('DOMContentLoaded', () => {
    const field = document.querySelector('input[type="search"]');
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
header nav { display: flex; gap: 16px; }
[aria-current] { color: var(--ink); text-decoration: none; font-weight: 600; }
main { max-width: 62rem; margin: 0 auto; padding: 24px; overflow-wrap: anywhere; }
a { color: var(--accent); }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 16px; } h2 { font-size: 18px; margin: 32px 0 8px; }
h3 { font-size: 15px; margin: 24px 0 8px; } h4 { font-size: 14px; margin: 16px 0 8px; }
code, pre { font-family: ui-monospace, 'SF Mono', 'DejaVu Sans Mono', monospace; font-size: 0.92em; }
code { background: var(--code); border-radius: 4px; padding: 1px 4px; }
pre { background: var(--code); border-radius: 6px; padding: 12px 16px; overflow-x: auto; } pre code { padding: 0; background: none; }
.box { overflow-x: auto; } table { border-collapse: collapse; width: 100%; background: var(--surface); }
th, td { text-align: left; vertical-align: top; padding: 6px 12px; border: 1px solid var(--line); overflow-wrap: normal; }
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
@media (max-width: 40rem) { main { padding: 16px; } .operations a { grid-template-columns: 1fr; } }
`;
