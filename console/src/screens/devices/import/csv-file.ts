/*
 * A CSV file as its person sees it: the header, and its lines by their numbers, as the gateway counts them
 * (docs/reference/fleets.md). Only for what is shown and saved; the gateway decides what a line means. Pure.
 */

export interface CsvLine {
  /** From 1; of a record over several lines, the first. */
  readonly line: number;
  readonly text: string;
}

export interface CsvFile {
  /** The columns, as the gateway names them. */
  readonly names: readonly string[];
  readonly header: string;
  readonly separator: string;
  /** The lines with content, without the header. */
  readonly lines: readonly CsvLine[];
}

/** A quote that opens and does not close within so many lines is not closed. */
const RECORD_LINES_MAX = 1_000;

const hasContent = (text: string): boolean => !/^[,;\t ]*$/.test(text);

/** Null: the file has no header. */
export function readCsv(text: string): CsvFile | null {
  const lines = text.split(text.includes('\n') ? /\r?\n/ : '\r');
  const isBefore = (line: string) => !hasContent(line) || /^\s*#/.test(line) || /^"?sep=.?"?[,; \t]*$/i.test(line);
  const at = lines.findIndex((line) => !isBefore(line));
  const header = lines[at];
  if (header === undefined) return null;
  const separator = /[,;\t]/.exec(header)?.[0] ?? ',';
  const names = cellsOf(header, separator).map((name) => name.trim().toLowerCase());
  return { names, header, separator, lines: recordsFrom(lines, at + 1) };
}

/** Without lines that have no content: a file may have millions of them. */
function recordsFrom(lines: readonly string[], start: number): CsvLine[] {
  const records: CsvLine[] = [];
  for (let at = start; at < lines.length; at++) {
    const last = isOpen(lines[at]!) ? closingLine(lines, at) : at;
    if (hasContent(lines[at]!)) records.push({ line: at + 1, text: lines.slice(at, last + 1).join('\n') });
    at = last;
  }
  return records;
}

/** Where a quote that line `at` opens is closed; `at` itself when it is not. */
function closingLine(lines: readonly string[], at: number): number {
  const end = Math.min(lines.length, at + RECORD_LINES_MAX);
  for (let next = at + 1; next < end; next++) if (isOpen(lines[next]!)) return next;
  return at;
}

const isOpen = (line: string): boolean => line.split('"').length % 2 === 0;

/** Of a line. More would hold up the page for seconds while it is drawn, as a cell of megabytes would. */
const CELLS_MAX = 200;
const CELL_LENGTH_MAX = 300;

/** The first cells of a record, each with what may be shown of it. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= text.length && cells.length < CELLS_MAX;) {
    const end = endOfCell(text, at, separator);
    cells.push(cut(unquoted(text.slice(at, Math.min(end, at + 3 * CELL_LENGTH_MAX)))));
    at = end + 1;
  }
  return cells;
}

/** A doubled quote ends one quoted part, and begins the next. */
function endOfCell(text: string, start: number, separator: string): number {
  let at = start;
  while (text[at] === '"') {
    const close = text.indexOf('"', at + 1);
    if (close < 0) return text.length;
    at = close + 1;
  }
  const end = text.indexOf(separator, at);
  return end < 0 ? text.length : end;
}

const unquoted = (cell: string): string => (cell.startsWith('"') ? cell.slice(1).replaceAll(/"("?)/g, '$1') : cell);

const cut = (cell: string): string => (cell.length > CELL_LENGTH_MAX ? `${cell.slice(0, CELL_LENGTH_MAX)}…` : cell);

/** Cells of this column are never shown. */
const SECRET = 'password';
const HIDDEN = '••••••';

/** The cells of a line as they may be shown, in the order of the header. */
export const shownCells = ({ names, separator }: CsvFile, { text }: CsvLine): string[] =>
  cellsOf(text, separator).map((cell, at) => (names[at] === SECRET && cell !== '' ? HIDDEN : cell));

/** The cell that a problem is about; null: it is about no one cell. @param field as the gateway names it, such as `fields.rack` */
export function badCell(file: CsvFile, line: number, field: string | null): string | null {
  const record = file.lines.find((one) => one.line === line);
  const column = field === null ? -1 : file.names.indexOf(field.split('.')[0]!);
  return record && column >= 0 ? (shownCells(file, record)[column] ?? '') : null;
}

export interface LineProblem {
  readonly line: number;
  readonly field: string | null;
  readonly detail: string;
}

/** A file with the bad lines alone, to correct and import: what is wrong stands above its header, as comments. */
export function badLinesFile(file: CsvFile, problems: readonly LineProblem[]): string {
  const bad = new Set(problems.map(({ line }) => line));
  const said = problems.map(
    ({ line, field, detail }) => `# Line ${line}, ${[field, detail].filter(Boolean).join(': ')}`,
  );
  const lines = file.lines.filter(({ line }) => bad.has(line)).map(({ text }) => text);
  return [...said.map((line) => line.replaceAll(/\s+/g, ' ')), file.header, ...lines, ''].join('\r\n');
}

/** The text of a file: UTF-8, UTF-16 by its mark, or else Windows-1252, as the gateway reads it. */
export function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** What a file for an import looks like. */
export const TEMPLATE = [
  'name,base_url,username,password,serial,site,tags,note',
  'pump-1,https://192.0.2.7,admin,,,vilnius/plant-2,pump critical,"Keys at the gate, ask first"',
  '',
].join('\r\n');
