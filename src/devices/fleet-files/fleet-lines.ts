import { isIPv6 } from 'node:net';
import { type Readable } from 'node:stream';
import { AppError } from '../../platform/errors.js';
import { findUnstorable } from '../../http/input.pipe.js';
import { issueText } from '../../http/issue-words.js';
import { registerInput, type RegisterInput, TAGS_MAX, type ImportView } from '../devices.contract.js';
import { cellsOf, CsvLines, linesIn } from './csv-lines.js';
import { badFile, decodeFleet, type FleetText, utf8Lines } from './fleet-text.js';
import { EventLoopTurns } from '../../platform/event-loop.js';

/*
 * The lines of an import. A CSV file has a header with the columns below, in any order, separated by commas, semicolons
 * or tabs. Each line of an NDJSON file is the input of POST /v1/devices, or a line of an export. Both become the same
 * input and are checked by the same schema. An empty cell, and an absent or null field, leave an existing device
 * unchanged. User names and passwords are taken exactly; other cells are trimmed.
 */

const CSV_COLUMNS = [
  'name',
  'base_url',
  'username',
  'password',
  'serial',
  'mac',
  'model',
  'site',
  'tags',
  'note',
  'fields',
  'pin',
  'sessions',
  'time_zone',
  'spare_url',
] as const;

/** Fields whose column in a CSV file has another name. */
const COLUMN_OF: Readonly<Record<string, (typeof CSV_COLUMNS)[number]>> = {
  baseUrl: 'base_url',
  spareUrl: 'spare_url',
  timeZone: 'time_zone',
  trust: 'pin',
  'trust.pin': 'pin',
  'trust.mode': 'pin',
  'credentials.username': 'username',
  'credentials.password': 'password',
  credentials: 'password',
};

/** The name of a field in the file: a CSV file has columns, and one for all tags. */
export function nameInFile(field: string, format: 'csv' | 'ndjson'): string {
  if (format === 'ndjson') return field;
  if (Object.hasOwn(COLUMN_OF, field)) return COLUMN_OF[field]!;
  return field.startsWith('tags.') ? 'tags' : field;
}

/** Columns of an export that the gateway observes. An import ignores them, so that it accepts every export. */
const OBSERVED_COLUMNS = ['firmware', 'state', 'seen_at'];

/** The same in NDJSON. A user name without a password is ignored, too. */
const OBSERVED_FIELDS: ReadonlySet<string> = new Set(['id', 'username', 'firmware', 'state', 'seenAt']);

const DELIMITERS = [',', ';', '\t'];

/** More than the largest supported fleet. */
const LINES_MAX = 100_000;

/** A file of 100,000 devices with all fields has about 25 MB. */
const BYTES_MAX = 64 * 1024 * 1024;

/** The most lines, empty ones included. */
const ALL_LINES_MAX = 2 * LINES_MAX;

/** A longer NDJSON line is no device. */
const LINE_LENGTH_MAX = 150_000;

/** Longer than 50 tags of 63 letters, the longest cell of a CSV line but for `fields`. */
const CELL_LENGTH_MAX = 4_096;

/** Longer than 50 custom fields of 200 letters as JSON. */
const FIELDS_LENGTH_MAX = 16_384;

const lengthMax = (column: string): number => (column === 'fields' ? FIELDS_LENGTH_MAX : CELL_LENGTH_MAX);

const LINE_PROBLEMS_MAX = 10;

export type LineProblem = Readonly<ImportView['errors'][number]>;

export interface FleetLine {
  readonly line: number;
  readonly input: RegisterInput;
  /** The fields that the line contains, for existing devices. */
  readonly given: ReadonlySet<keyof RegisterInput>;
}

export interface FleetLines {
  readonly lines: FleetLine[];
  readonly problems: LineProblem[];
  /** Lines with content, valid and invalid. */
  readonly count: number;
  readonly encoding: string;
}

/** @throws AppError `body_too_large` */
export async function readFleetFile(source: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new AppError('body_too_large', { limitBytes: BYTES_MAX });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Parses lines and checks each.
 * @param charset of the content type of a CSV file; null when it has none
 * @throws AppError `invalid_input` when the file itself cannot be read
 */
export async function readFleetLines(
  file: Buffer,
  format: 'csv' | 'ndjson',
  charset: string | null,
): Promise<FleetLines> {
  const turns = new EventLoopTurns();
  const text = format === 'csv' ? await decodeFleet(file, charset, turns) : null;
  const lines: FleetLine[] = [];
  const problems: LineProblem[] = [];
  let count = 0;
  for await (const record of text ? csvRecords(text, turns) : ndjsonRecords(file, turns)) {
    if (turns.isOver) await turns.next();
    if (++count > LINES_MAX) throw badFile(`at most ${LINES_MAX} lines`);
    const { line, raw } = record;
    const found = problemsOf(record, text?.isGuess ?? false);
    if (Array.isArray(found)) problems.push(...found);
    else lines.push({ line, input: found, given: new Set(Object.keys(raw as object) as (keyof RegisterInput)[]) });
  }
  if (count === 0) throw badFile('the file has no lines of devices');
  return { lines, problems, count, encoding: text?.encoding ?? 'utf-8' };
}

/** The input of a line, or its problems. A list's length is checked before the schema walks through it. */
function problemsOf({ line, raw, detail, field }: RawRecord, isGuess: boolean): RegisterInput | LineProblem[] {
  const problem = (field: string | null, why: string) => ({ line, field, code: 'invalid_input', detail: why });
  if (detail !== undefined) return [problem(field ?? null, detail)];
  const tags = typeof raw === 'object' && raw !== null && 'tags' in raw ? raw.tags : null;
  if (Array.isArray(tags) && tags.length > TAGS_MAX) return [problem('tags', `more than ${TAGS_MAX}`)];
  const unstorable = findUnstorable(raw);
  if (unstorable) return [problem(unstorable.path.join('.') || null, unstorable.detail)];
  const parsed = registerInput.safeParse(raw, { error: issueText });
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, LINE_PROBLEMS_MAX);
    return issues.map(({ path, message }) => problem(path.join('.') || null, message));
  }
  const { credentials } = parsed.data;
  if (isGuess && credentials && !isAscii(credentials.username + credentials.password)) {
    return [
      problem(
        'credentials',
        'the file is not UTF-8 and these letters are ambiguous: save it as UTF-8, or give its charset',
      ),
    ];
  }
  return parsed.data;
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

interface RawRecord {
  readonly line: number;
  readonly raw: unknown;
  /** Why the line could not be parsed. */
  readonly detail?: string;
  readonly field?: string;
}

async function* csvRecords({ text }: FleetText, turns: EventLoopTurns): AsyncGenerator<RawRecord> {
  const lines = new CsvLines(linesIn(text, LINE_LENGTH_MAX), LINE_LENGTH_MAX);
  const { names, delimiter } = headerOf(lines);
  for (let record = lines.record(delimiter); record !== null; record = lines.record(delimiter)) {
    if (turns.isOver) await turns.next();
    if (record.line > ALL_LINES_MAX) throw tooManyLines();
    const { line, cells, problem } = record;
    if (cells === null) yield { line, raw: null, detail: problem! };
    else if (cells.some((cell) => cell.trim() !== '')) yield { line, ...rowOf(cells, names) }; // spreadsheets leave empty ones
  }
}

/** One row under the header, or why it is none. */
function rowOf(cells: readonly string[], names: readonly string[]): Omit<RawRecord, 'line'> {
  if (cells[0]!.trimStart().startsWith('#')) return { raw: null, detail: 'a comment is no device' };
  if (cells.length < names.length) return { raw: null, detail: `${cells.length} cells instead of ${names.length}` };
  // Spreadsheets leave empty columns at the end.
  if (cells.slice(names.length).some((cell) => cell.trim() !== ''))
    return { raw: null, detail: `${cells.length} cells instead of ${names.length}` };
  const long = names.find((column, at) => cells[at]!.length > lengthMax(column));
  if (long !== undefined) return { raw: null, field: long, detail: `longer than ${lengthMax(long)} characters` };
  return { raw: fromCsv(Object.fromEntries(names.map((name, at) => [name, cells[at]!]))) };
}

/** The first line with content that is no comment. `sep=;` before it, which Excel reads and writes, names the delimiter. */
function headerOf(lines: CsvLines): { names: string[]; delimiter: string } {
  let named: string | null = null;
  for (let next = lines.take(); next !== null; next = lines.take()) {
    if (next.line > ALL_LINES_MAX) throw tooManyLines();
    const text = next.text.trim();
    if (text.startsWith('#') || /^[,;\t ]*$/.test(text)) continue;
    const separator: string | undefined = named === null ? /^"?sep=(.)"?[,; \t]*$/i.exec(next.text)?.[1] : undefined;
    if (separator === undefined) return headerIn(next.text, next.line, named ?? delimiterOf(text));
    if (!DELIMITERS.includes(separator)) throw badFile('the separator is a comma, a semicolon or a tab');
    named = separator;
  }
  throw badFile('the file has no lines of devices');
}

function headerIn(text: string, line: number, delimiter: string): { names: string[]; delimiter: string } {
  const cells = text.length > LINE_LENGTH_MAX ? 'open' : cellsOf(text, delimiter);
  if (cells === 'open' || 'problem' in cells)
    throw badFile(
      `the header in line ${line} is not CSV: ${cells === 'open' ? 'a quote is not closed' : cells.problem}`,
    );
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  return { names: checkHeader(cells.slice(0, last + 1)), delimiter };
}

const tooManyLines = () => badFile(`at most ${ALL_LINES_MAX} lines, empty ones included`);

/** Column names contain none of these characters, so the first one in the header is the delimiter. */
const delimiterOf = (header: string): string => /[,;\t]/.exec(header.slice(0, 4_096))?.[0] ?? ',';

function checkHeader(header: readonly string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase());
  const known: readonly string[] = [...CSV_COLUMNS, ...OBSERVED_COLUMNS];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.includes('')) throw badFile(`column ${names.indexOf('') + 1} has no name`);
  if (unknown.length > 0) throw badFile(`unknown columns: ${unknown.join(', ')}; known are ${CSV_COLUMNS.join(', ')}`);
  if (new Set(names).size < names.length) throw badFile('a column appears twice');
  for (const needed of ['name', 'base_url'])
    if (!names.includes(needed)) throw badFile(`the column ${needed} is missing`);
  return names;
}

function fromCsv(row: Readonly<Record<string, string>>): Record<string, unknown> {
  const cell = (column: (typeof CSV_COLUMNS)[number]) => unmarkFormula(row[column]?.trim() ?? '') || undefined;
  const fields = {
    name: cell('name'),
    baseUrl: addressIn(cell('base_url')),
    serial: cell('serial'),
    mac: cell('mac'),
    model: cell('model'),
    site: cell('site'),
    tags: cell('tags')?.split(/[\s,;]+/),
    note: cell('note')?.replaceAll('\r\n', '\n'),
    fields: jsonCell(cell('fields')),
    // Not `Number` alone: it turns an empty text into 0, and errors must quote the original text.
    sessions: /^\d{1,9}$/.test(cell('sessions') ?? '') ? Number(cell('sessions')) : cell('sessions'),
    timeZone: cell('time_zone'),
    spareUrl: addressIn(cell('spare_url')),
    trust: cell('pin') && { mode: 'pin', pin: cell('pin') },
    // A user name without a password, as in an export, leaves the credentials unchanged.
    credentials: row['password']
      ? {
          username: unmarkFormula(row['username'] ?? '') || undefined,
          password: row['password'], // exports contain no passwords, so it has no mark
        }
      : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Devices are reached by https alone, so a list may have bare IP addresses and host names. A bare word is more likely of another column. */
function addressIn(cell: string | undefined): string | undefined {
  if (cell === undefined || cell.includes('://') || !/[.:]/.test(cell)) return cell;
  return `https://${isIPv6(cell) ? `[${cell}]` : cell}`;
}

/** A cell that is not JSON stays a text, which the schema refuses. */
function jsonCell(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

async function* ndjsonRecords(file: Buffer, turns: EventLoopTurns): AsyncGenerator<RawRecord> {
  let line = 0;
  for (const { text, isUtf8 } of utf8Lines(file)) {
    if (++line > ALL_LINES_MAX) throw tooManyLines();
    if (turns.isOver) await turns.next();
    if (text.length > LINE_LENGTH_MAX) {
      yield { line, raw: null, detail: `longer than ${LINE_LENGTH_MAX} characters` };
      continue;
    }
    if (text.trim() === '') continue;
    if (isUtf8) yield jsonRecord(line, text);
    else yield { line, raw: null, detail: 'the line is not UTF-8' };
  }
}

function jsonRecord(line: number, text: string): RawRecord {
  try {
    return { line, raw: fromExport(JSON.parse(text)) };
  } catch {
    return { line, raw: null, detail: 'the line is not JSON' };
  }
}

/** Converts a line of an export, which has null for missing values, and the pin as a field. */
function fromExport(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const given = Object.entries(raw).filter(([field, value]) => value !== null && !OBSERVED_FIELDS.has(field));
  const fields: Record<string, unknown> = Object.fromEntries(given);
  if (fields['pin'] === undefined || fields['trust'] !== undefined) return fields;
  const { pin, ...rest } = fields;
  return { ...rest, trust: { mode: 'pin', pin } };
}

/*
 * A spreadsheet executes a cell that begins like a formula, so an export adds an apostrophe before it. It adds one
 * before apostrophes that precede such a beginning, too, so that an import can always remove exactly one. A name that begins with
 * `#` gets one as well: its row would be a comment. Pure.
 */

const NEEDS_MARK = /^'*[=+\-@#\t\r\uff1d\uff0b\uff0d\uff20]/;
const HAS_MARK = /^'+[=+\-@#\t\r\uff1d\uff0b\uff0d\uff20]/;

export const markFormula = (cell: string): string => (NEEDS_MARK.test(cell) ? `'${cell}` : cell);

const unmarkFormula = (cell: string): string => (HAS_MARK.test(cell) ? cell.slice(1) : cell);
