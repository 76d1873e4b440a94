import { escaped } from './html-page.js';

/*
 * Our own documents as HTML: headings, paragraphs, lists, tables, code, links and images, which is all that they use. What is no
 * such thing is shown as text; HTML is never passed on. Pure.
 */

/** Where a link of a document leads; null: to nothing that the gateway serves, so its text stays without a link. */
export type LinkOf = (target: string) => string | null;

/** @param markdown of a document of ours */
export function toHtml(markdown: string, linkOf: LinkOf): string {
  return blocksOf(markdown.replaceAll(/<!--.*?-->\n?/gs, '').split('\n'), linkOf).join('\n');
}

/** The text of the first heading. */
export const titleOf = (markdown: string): string =>
  (/^# (.+)$/m.exec(markdown)?.[1] ?? 'Document').replaceAll('`', '');

const FENCE = /^\s*```/;
const HEADING = /^(#{1,6}) (.+)$/;
const ITEM = /^(\s*)(?:[-*]|(\d+)\.) (.*)$/;
const ROW = /^\s*\|/;
const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
const beginsBlock = (line: string): boolean => [FENCE, HEADING, ITEM, ROW].some((pattern) => pattern.test(line));

function blocksOf(lines: readonly string[], linkOf: LinkOf): string[] {
  const blocks: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const end = endOf(lines, at);
    const part = lines.slice(at, end);
    const [, marks, title] = HEADING.exec(line) ?? [];
    if (FENCE.test(line)) blocks.push(`<pre tabindex="0"><code>${escaped(codeIn(part))}</code></pre>`);
    else if (marks)
      blocks.push(`<h${marks.length} id="${slugOf(title!)}">${inline(title!, linkOf)}</h${marks.length}>`);
    else if (ROW.test(line)) blocks.push(tableOf(part, linkOf));
    else if (ITEM.test(line)) blocks.push(listOf(part, linkOf));
    else if (!isBlank(line)) blocks.push(`<p>${inline(part.map((one) => one.trim()).join(' '), linkOf)}</p>`);
    at = end;
  }
  return blocks;
}

/** The line behind the block that begins at a line. */
function endOf(lines: readonly string[], at: number): number {
  const line = lines[at]!;
  let end = at + 1;
  if (isBlank(line) || HEADING.test(line)) return end;
  if (FENCE.test(line)) {
    while (end < lines.length && !FENCE.test(lines[end]!)) end++;
    return end + 1;
  }
  if (ROW.test(line)) {
    while (end < lines.length && ROW.test(lines[end]!)) end++;
    return end;
  }
  if (!ITEM.test(line)) {
    while (!isBlank(lines[end]) && !beginsBlock(lines[end]!)) end++;
    return end;
  }
  // A list goes on over empty lines while what follows is indented or another item.
  while (end < lines.length) {
    const next = lines[end]!;
    const follows = isBlank(next) ? isOfList(lines[end + 1]) : isOfList(next) || !isBlank(lines[end - 1]);
    if (!follows || HEADING.test(next)) break;
    end++;
  }
  return end;
}

const isOfList = (line: string | undefined): boolean => line !== undefined && (/^\s+\S/.test(line) || ITEM.test(line));

function codeIn(lines: readonly string[]): string {
  const indent = /^\s*/.exec(lines[0]!)![0].length;
  const inner = FENCE.test(lines.at(-1)!) && lines.length > 1 ? lines.slice(1, -1) : lines.slice(1);
  return inner.map((line) => line.slice(Math.min(indent, /^\s*/.exec(line)![0].length))).join('\n');
}

function listOf(lines: readonly string[], linkOf: LinkOf): string {
  const [, indent = '', number] = ITEM.exec(lines[0]!)!;
  const items: string[][] = [];
  for (const line of lines) {
    const [, itsIndent, , text] = ITEM.exec(line) ?? [];
    if (itsIndent !== undefined && itsIndent.length <= indent.length) items.push([text!]);
    else items.at(-1)!.push(line.slice(Math.min(indent.length + 2, /^\s*/.exec(line)![0].length)));
  }
  const tag = number === undefined ? 'ul' : 'ol';
  const start = number === undefined || number === '1' ? '' : ` start="${number}"`;
  return `<${tag}${start}>${items.map((item) => `<li>${itemOf(item, linkOf)}</li>`).join('\n')}</${tag}>`;
}

/** An item of one paragraph has no space around it. */
function itemOf(lines: readonly string[], linkOf: LinkOf): string {
  const [first = '', ...others] = blocksOf(lines, linkOf);
  return [first.replace(/^<p>(.*)<\/p>$/s, '$1'), ...others].join('\n');
}

/** A bar behind a backslash, or in code that is escaped so, is part of its cell. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

function tableOf([head = '', ...rows]: readonly string[], linkOf: LinkOf): string {
  const cells = (row: string, tag: string) =>
    `<tr>${cellsOf(row)
      .map((cell) => `<${tag}>${inline(cell, linkOf)}</${tag}>`)
      .join('')}</tr>`;
  const body = rows.filter((row) => !/^[\s|:-]+$/.test(row)).map((row) => cells(row, 'td'));
  return `<div class="box"><table><thead>${cells(head, 'th')}</thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

/** The anchor of a heading, as GitHub makes it. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Text within a block. Code is taken out first: nothing in it is a mark. */
function inline(text: string, linkOf: LinkOf): string {
  return text
    .split(/(`+[^`]+`+)/)
    .map((part) => (part.startsWith('`') ? `<code>${escaped(part.replaceAll(/^`+|`+$/g, ''))}</code>` : part))
    .map((part, at) => (at % 2 === 1 ? part : escaped(part)))
    .join('')
    .replaceAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_all, alt: string, target: string) => imageOf(alt, linkOf(target)))
    .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_all, said: string, target: string) => anchorOf(said, linkOf(target)))
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, '<em>$1</em>');
}

const anchorOf = (said: string, address: string | null): string =>
  address === null ? said : `<a href="${address}">${said}</a>`;
const imageOf = (alt: string, address: string | null): string =>
  address === null ? alt : `<img alt="${alt}" src="${address}">`;
