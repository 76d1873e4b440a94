import { Marked, type Tokens } from 'marked';
import { escaped } from './html-page.js';

/* Our own documents as HTML. HTML within them is shown as text, except for comments, which are left out. */

/** Where a link of a document leads; null: to nothing that the gateway serves, so its text stays without a link. */
export type LinkOf = (target: string) => string | null;

/** What a document is called that a link leads to; null: it is not known. */
type TitleAt = (target: string) => string | null;

/** The text of a link says the file and not what is in it. */
const isFileName = (text: string, href: string): boolean => text.endsWith('.md') && href.split('#')[0]!.endsWith(text);

/** @param markdown of a document of ours @param titleAt for links whose text is the name of the file */
export function toHtml(markdown: string, linkOf: LinkOf, titleAt: TitleAt = () => null): string {
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (text.startsWith('<!--') ? '' : escaped(text)),
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const title = isFileName(text, href) ? titleAt(href) : null;
        const said = title === null ? this.parser.parseInline(tokens) : escaped(title);
        const address = linkOf(href);
        return address === null ? said : `<a href="${escaped(address)}">${said}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const address = linkOf(href);
        return address === null ? escaped(text) : `<img alt="${escaped(text)}" src="${escaped(address)}">`;
      },
    },
    hooks: {
      postprocess: (html) =>
        html.replaceAll('<table>', '<div class="box"><table>').replaceAll('</table>', '</table></div>'),
    },
  });
  return marked.parse(markdown) as string;
}

/** The text of the first heading. */
export const titleOf = (markdown: string): string =>
  (/^# (.+)$/m.exec(markdown)?.[1] ?? 'Document').replaceAll('`', '');

/** The anchor of a heading, as GitHub makes it. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
