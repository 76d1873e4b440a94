/*
 * Lines of a CSV file, each parsed by itself: a line that is none is one bad line, and the next one is read. A parser of
 * whole files ends at the first one, or takes all lines up to the next quote for a cell. RFC 4180, with any line end. Pure.
 */

export interface CsvLine {
  /** From 1; of a record over several lines, the first. */
  readonly line: number;
  /** Null: `problem` says why it is no record. */
  readonly cells: readonly string[] | null;
  readonly problem: string | null;
}

/** A cell over more lines than this is a quote that was not closed. The longest note has 1,000 characters. */
const RECORD_LINES_MAX = 1_000;

/** The same, in characters: the longest record of one line is longer, but no cell has so many line feeds. */
const RECORD_LENGTH_MAX = 32_768;

const QUOTE = '"';

/**
 * The cells of one line.
 * @returns `open` when a quoted cell goes on behind its end; otherwise the cells, or what is wrong
 */
export function cellsOf(text: string, delimiter: string): readonly string[] | 'open' | { readonly problem: string } {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === QUOTE) {
      let cell = '';
      let from = at + 1;
      let quote = text.indexOf(QUOTE, from);
      while (quote >= 0 && text[quote + 1] === QUOTE) {
        cell += text.slice(from, quote + 1);
        from = quote + 2;
        quote = text.indexOf(QUOTE, from);
      }
      if (quote < 0) return 'open';
      cells.push(cell + text.slice(from, quote));
      at = quote + 1;
      if (at < text.length && text[at] !== delimiter)
        return { problem: `text follows the closing quote of cell ${cells.length}: write each quote in it twice` };
    } else {
      const next = text.indexOf(delimiter, at);
      const cell = text.slice(at, next < 0 ? text.length : next);
      if (cell.includes(QUOTE))
        return {
          problem: `cell ${cells.length + 1} has a quote: put the cell in quotes, and write each quote in it twice`,
        };
      cells.push(cell);
      at = next < 0 ? text.length : next;
    }
    if (at >= text.length) return cells;
    at++;
  }
}

/** Physical lines that can be looked at before they are taken. */
export class CsvLines {
  private readonly waiting: string[] = [];
  private line = 0;

  constructor(
    private readonly source: Iterator<string>,
    private readonly lengthMax: number,
  ) {}

  /** The next physical line; null at the end. */
  take(): { readonly line: number; readonly text: string } | null {
    const text = this.peek(0);
    if (text === null) return null;
    this.waiting.shift();
    return { line: ++this.line, text: withoutCr(text) };
  }

  /** The next record; null at the end. */
  record(delimiter: string): CsvLine | null {
    const text = this.peek(0);
    if (text === null) return null;
    this.waiting.shift();
    const line = ++this.line;
    if (text.length > this.lengthMax) return { line, cells: null, problem: `longer than ${this.lengthMax} characters` };
    const alone = cellsOf(withoutCr(text), delimiter);
    if (alone !== 'open')
      return 'problem' in alone ? { line, cells: null, ...alone } : { line, cells: alone, problem: null };
    const more = this.linesToClose(text);
    const joined = more === null ? 'open' : cellsOf(withoutCr([text, ...more].join('\n')), delimiter);
    if (joined === 'open' || 'problem' in joined)
      return { line, cells: null, problem: 'a quote is opened and not closed' };
    this.waiting.splice(0, more!.length);
    this.line += more!.length;
    return { line, cells: joined, problem: null };
  }

  /** The lines after which the number of quotes is even; null when they are too many. */
  private linesToClose(text: string): string[] | null {
    const more: string[] = [];
    let isOpen = isOdd(text);
    let length = text.length;
    while (isOpen) {
      const next = this.peek(more.length);
      length += next?.length ?? 0;
      if (next === null || length > RECORD_LENGTH_MAX || more.length === RECORD_LINES_MAX) return null;
      more.push(next);
      if (isOdd(next)) isOpen = false;
    }
    return more;
  }

  private peek(ahead: number): string | null {
    while (this.waiting.length <= ahead) {
      const { done, value } = this.source.next();
      if (done) return null;
      this.waiting.push(value);
    }
    return this.waiting[ahead]!;
  }
}

const withoutCr = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

function isOdd(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf(QUOTE); at >= 0; at = text.indexOf(QUOTE, at + 1)) odd = !odd;
  return odd;
}

/**
 * Splits pieces of a text into lines. They end with LF, or with CR where the first line does; a CR in front of an LF stays
 * in the line, since a cell may have it.
 */
export function* linesIn(pieces: Iterable<string>, lengthMax: number): Generator<string> {
  let rest = '';
  let end: string | null = null;
  for (const piece of pieces) {
    const text: string = rest + piece;
    end ??= /\n/.test(text) || !/\r./s.test(text) ? '\n' : '\r';
    const lines = text.split(end);
    rest = lines.pop()!.slice(0, lengthMax + 2); // a longer line is refused, and costs no more for each piece
    yield* lines;
  }
  if (rest !== '') yield rest;
}
