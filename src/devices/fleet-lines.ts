import { type Readable, Transform } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { AppError } from '../platform/errors.js';
import { registerInput, type RegisterInput } from './devices.contract.js';

/*
 * The lines of an import. A CSV file has a header with the columns below, in any order; an NDJSON file has on each line
 * what POST /v1/devices takes. Both become the same input and are checked by the same schema. A cell that is empty, and
 * a field that is not there, leave a device that exists as it is.
 */

export const CSV_COLUMNS = [
  'name',
  'base_url',
  'username',
  'password',
  'serial',
  'mac',
  'model',
  'site',
  'tags',
  'pin',
  'sessions',
  'time_zone',
] as const;

/** Columns of an export that are learned, not told: an import passes over them, so that it takes every export. */
const LEARNED_COLUMNS = ['firmware', 'state', 'seen_at'];

/** More than the largest fleet that this product is made for. */
export const LINES_MAX = 100_000;

/** A file of 100,000 devices with all fields has about 25 MB. */
const BYTES_MAX = 64 * 1024 * 1024;

/** An NDJSON line is a device; one that is longer is not. */
const LINE_LENGTH_MAX = 150_000;

export interface LineProblem {
  readonly line: number;
  readonly field: string | null;
  readonly code: string;
  readonly detail: string;
}

export interface FleetLine {
  readonly line: number;
  readonly input: RegisterInput;
  /** The fields that the line itself gives, for devices that exist. */
  readonly given: ReadonlySet<keyof RegisterInput>;
}

export interface FleetLines {
  readonly lines: FleetLine[];
  readonly problems: LineProblem[];
  /** Lines with content, good and bad. */
  readonly count: number;
}

/** Takes lines apart and checks each. @throws AppError `invalid_input` when the file as a whole cannot be read */
export async function readFleetLines(source: Readable, format: 'csv' | 'ndjson'): Promise<FleetLines> {
  const read: { lines: FleetLine[]; problems: LineProblem[]; count: number } = { lines: [], problems: [], count: 0 };
  const capped = source.pipe(byteCap());
  source.once('error', (error) => capped.destroy(error));
  for await (const { line, raw, detail } of format === 'csv' ? csvRecords(capped) : ndjsonRecords(capped)) {
    if (++read.count > LINES_MAX) throw badFile(`at most ${LINES_MAX} lines`);
    const parsed = registerInput.safeParse(raw);
    if (detail !== undefined) read.problems.push({ line, field: null, code: 'invalid_input', detail });
    else if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        read.problems.push({ line, field: issue.path.join('.') || null, code: 'invalid_input', detail: issue.message });
      }
    } else
      read.lines.push({
        line,
        input: parsed.data,
        given: new Set(Object.keys(raw as object) as (keyof RegisterInput)[]),
      });
  }
  if (read.count === 0) throw badFile('the file has no lines of devices');
  return read;
}

interface RawRecord {
  readonly line: number;
  readonly raw: unknown;
  /** Why the line could not even be taken apart. */
  readonly detail?: string;
}

const badFile = (detail: string) => new AppError('invalid_input', { errors: [{ pointer: '/body', detail }] });

/** Passes bytes on until there are too many of them. */
function byteCap(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) done(new AppError('body_too_large', { limitBytes: BYTES_MAX }));
      else done(null, chunk);
    },
  });
}

async function* csvRecords(source: Readable): AsyncGenerator<RawRecord> {
  const parser = source.pipe(
    parse({
      bom: true,
      columns: checkHeader,
      info: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: LINE_LENGTH_MAX,
    }),
  );
  source.once('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>) {
      yield { line: info.lines, raw: fromCsv(record) };
    }
  } catch (cause) {
    if (cause instanceof CsvError)
      throw badFile(
        `the file is not CSV: ${cause.code}${typeof cause['lines'] === 'number' ? ` in line ${cause['lines']}` : ''}`,
      );
    throw cause;
  }
}

function checkHeader(header: string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase());
  const known: readonly string[] = [...CSV_COLUMNS, ...LEARNED_COLUMNS];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw badFile(`unknown columns: ${unknown.join(', ')}; known are ${CSV_COLUMNS.join(', ')}`);
  if (new Set(names).size < names.length) throw badFile('a column is there twice');
  for (const needed of ['name', 'base_url'])
    if (!names.includes(needed)) throw badFile(`the column ${needed} is missing`);
  return names;
}

function fromCsv(row: Readonly<Record<string, string>>): Record<string, unknown> {
  // An export marks a cell that begins like a formula with an apostrophe; here the mark goes again.
  const cell = (column: (typeof CSV_COLUMNS)[number]) => row[column]?.replace(/^'(?=[=+\-@])/, '') || undefined;
  const fields = {
    name: cell('name'),
    baseUrl: cell('base_url'),
    serial: cell('serial'),
    mac: cell('mac'),
    model: cell('model'),
    site: cell('site'),
    tags: cell('tags')?.split(/[\s,;]+/),
    // Not `Number` alone: an empty text would be 0, and what is no number is named as it stands there.
    sessions: /^\d{1,9}$/.test(cell('sessions') ?? '') ? Number(cell('sessions')) : cell('sessions'),
    timeZone: cell('time_zone'),
    trust: cell('pin') && { mode: 'pin', pin: cell('pin') },
    // A user name alone, as an export gives it, leaves the credentials as they are.
    credentials: cell('password') && { username: cell('username'), password: cell('password') },
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function* ndjsonRecords(source: Readable): AsyncGenerator<RawRecord> {
  let line = 0;
  for await (const text of textLines(source)) {
    line++;
    if (text.trim() === '') continue;
    try {
      yield { line, raw: JSON.parse(text) };
    } catch {
      yield { line, raw: null, detail: 'the line is not JSON' };
    }
  }
}

/** Lines of a stream, with a limit to their length, so that a file without line ends does not fill the memory. */
async function* textLines(source: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of source.setEncoding('utf8') as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > LINE_LENGTH_MAX) throw badFile(`a line is longer than ${LINE_LENGTH_MAX} characters`);
    yield* parts;
  }
  if (rest !== '') yield rest;
}
