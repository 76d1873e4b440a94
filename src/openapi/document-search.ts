import { escaped } from './html-page.js';
import { slugOf } from './markdown.js';

/* The search of the documents: parts of pages that have all words of a question. Pure. */

/** A part of a document, from a heading to the next. */
export interface DocumentPart {
  /** Of its page and heading. */
  readonly address: string;
  /** Of the document. */
  readonly title: string;
  readonly heading: string;
  /** Without the marks of Markdown. */
  readonly text: string;
  /** Its code and commands: they are searched, and no excerpt shows them. */
  readonly code: string;
}

/** Of a question: longer ones, and more words, are cut. */
const QUESTION_MAX = 100;
const WORDS_MAX = 8;
const FOUND_MAX = 30;
const EXCERPT = { before: 60, length: 200 };

const HEADING = /^#{1,4} /;
/** The line below the head of a table. */
const TABLE_RULE = /^[|:\s-]+$/;
const LINK = /\[([^[\]]+)\]\([^()]+\)/g;

/** @param address of the page */
export function partsOf(markdown: string, title: string, address: string): DocumentPart[] {
  const parts: { heading: string; lines: string[]; code: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    else if (!isCode && HEADING.test(line))
      parts.push({ heading: plain(line.replace(HEADING, '')), lines: [], code: [] });
    else if (isCode) parts.at(-1)?.code.push(line);
    else if (!line.startsWith('<!--') && !TABLE_RULE.test(line)) parts.at(-1)?.lines.push(cellsOf(line));
  }
  return parts.map(({ heading, lines, code }) => ({
    address: `${address}#${slugOf(heading)}`,
    title,
    heading,
    text: plain(lines.join(' ')),
    code: code.join(' '),
  }));
}

/** A row of a table as a line of text. */
const cellsOf = (line: string): string =>
  line.startsWith('|')
    ? line
        .split('|')
        .map((cell) => cell.trim())
        .filter(Boolean)
        .join(' · ')
    : line;

const plain = (markdown: string): string =>
  markdown
    .replaceAll(LINK, '$1')
    .replaceAll(/[`*|]|-{3,}/g, '')
    .replaceAll(/\s{2,}/g, ' ')
    .trim();

/** The words of a question in small letters. */
const wordsOf = (question: string): string[] =>
  question.slice(0, QUESTION_MAX).toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);

/** What a word counts where it is found: the title of a page says most about a part. */
const RANK = { title: 3, heading: 2 } as const;

/** Parts with all words, those with more of them in title and heading first; of equal ones in the order of the parts. */
function found(parts: readonly DocumentPart[], words: readonly string[]): readonly DocumentPart[] {
  if (words.length === 0) return [];
  const ranked = parts.flatMap((part) => {
    const [head, title] = [part.heading.toLowerCase(), part.title.toLowerCase()];
    const all = `${head}\n${title}\n${part.text}\n${part.code}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const rankOf = (word: string) => (head.includes(word) ? RANK.heading : 0) + (title.includes(word) ? RANK.title : 0);
    const rank = words.reduce((sum, word) => sum + rankOf(word), 0);
    return [{ part, rank }];
  });
  return ranked.toSorted((a, b) => b.rank - a.rank).map(({ part }) => part);
}

/** The content of the page with the answer. */
export function searchContent(parts: readonly DocumentPart[], question: string): string {
  const asked = question.slice(0, QUESTION_MAX).trim();
  const words = wordsOf(asked);
  if (words.length === 0) return '<h1>Search</h1><p>Type a word into the field above, such as <em>restore</em>.</p>';
  const all = found(parts, words);
  const said = `<h1>Search: ${escaped(asked)}</h1>`;
  if (all.length === 0)
    return `${said}<p>No part of the documents has all of these words. Try fewer ones, or look through the pages at the side.</p>`;
  const rows = all.slice(0, FOUND_MAX).map(({ address, title, heading, text }) => {
    const where = heading === title ? '' : ` <span class="quiet">${escaped(title)}</span>`;
    return `<li><a href="${escaped(address)}">${escaped(heading)}</a>${where}<p>${excerpt(text, words)}</p></li>`;
  });
  const count = all.length > FOUND_MAX ? `The first ${FOUND_MAX} of ${all.length} parts` : `${all.length} found`;
  return `${said}<p class="quiet">${count}</p><ol class="found">${rows.join('\n')}</ol>`;
}

/** The text around the first word that it has, cut between words, with all words marked. */
function excerpt(text: string, words: readonly string[]): string {
  const small = text.toLowerCase();
  const places = words.map((word) => small.indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - EXCERPT.before);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const limit = start + EXCERPT.length;
  const end = limit < text.length ? Math.max(text.lastIndexOf(' ', limit), start) : text.length;
  return `${start > 0 ? '… ' : ''}${marked(text.slice(start, end), words)}${end < text.length ? ' …' : ''}`;
}

/** Each word where it stands; of several that begin at one place the first. */
function marked(text: string, words: readonly string[]): string {
  const small = text.toLowerCase();
  let html = '';
  let done = 0;
  while (done < text.length) {
    const next = words
      .map((word) => ({ word, at: small.indexOf(word, done) }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at)[0];
    if (!next) break;
    const end = next.at + next.word.length;
    html += `${escaped(text.slice(done, next.at))}<mark>${escaped(text.slice(next.at, end))}</mark>`;
    done = end;
  }
  return html + escaped(text.slice(done));
}
