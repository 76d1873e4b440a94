import { Batches } from './batches.js';
import { ChosenFields, requireFields } from './chosen-fields.js';
import { cellOf, valueAt, type Row } from './cells.js';
import { scalarColumns } from './rows.js';
import { objectLines, Table, type TableOptions } from './table.js';

export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'yaml'] as const;
type Format = (typeof FORMATS)[number];

export interface OutputOptions extends TableOptions {
  readonly format: Format;
  /** The columns of a table, or the fields that were asked for. */
  readonly columns: readonly string[];
  /** Whether rows come as things happen, and each is shown at once. */
  readonly live: boolean;
  /** Whether the caller chose the columns: JSON then has these fields alone. */
  readonly chosen: boolean;
}

/** Rows of a table that are measured together: a screen or two, so that the first ones are there at once. */
const TABLE_ROWS = 100;

/**
 * Writes rows as they come, in any format. A table and CSV have one head.
 * @returns how many rows there were
 * @throws UsageError when no row had a field that was asked for: before the first row, of a live list after the last one
 */
export async function writeRows(
  rows: AsyncIterable<Row>,
  options: OutputOptions,
  write: (text: string) => Promise<void>,
): Promise<number> {
  if (!options.chosen) return writeIn(options, rows, write);
  const fields = new ChosenFields(options.columns);
  const count = await writeIn(options, options.live ? fields.noted(rows) : fields.checked(rows), write);
  fields.requireFound();
  return count;
}

async function writeIn(options: OutputOptions, rows: AsyncIterable<Row>, write: (text: string) => Promise<void>) {
  const { format } = options;
  if (format === 'json' || format === 'yaml') return writeAll(rows, options, write);
  if (format === 'ndjson') return eachRow(rows, write, (row) => `${JSON.stringify(picked(row, options))}\n`);
  if (format === 'csv') {
    const csv = await csvWriter();
    let columns: readonly string[] | null = null;
    return eachRow(rows, write, (row) => {
      const head = columns === null ? [[...(columns = columnsOf(options, row))]] : [];
      return csv([...head, columns.map((column) => csvCell(valueAt(row, column)))]);
    });
  }
  return writeTables(rows, options, write);
}

/** Writes one object. @throws UsageError when it does not have a field that was asked for */
export async function writeObject(
  value: Row,
  options: OutputOptions,
  write: (text: string) => Promise<void>,
): Promise<void> {
  if (options.chosen) requireFields(value, options.columns);
  const shown = picked(value, options);
  if (options.format === 'json') return write(`${JSON.stringify(shown, null, 2)}\n`);
  if (options.format === 'ndjson') return write(`${JSON.stringify(shown)}\n`);
  if (options.format === 'yaml') return write((await import('yaml')).stringify(shown));
  if (options.format === 'csv') {
    const csv = await csvWriter();
    const names = options.chosen ? options.columns : Object.keys(value);
    return write(csv([[...names], names.map((name) => csvCell(valueAt(value, name)))]));
  }
  return write(
    objectLines(shown, options, options.chosen || options.format === 'wide')
      .map((line) => `${line}\n`)
      .join(''),
  );
}

async function writeAll(rows: AsyncIterable<Row>, options: OutputOptions, write: (text: string) => Promise<void>) {
  const all: Row[] = [];
  for await (const row of rows) all.push(picked(row, options));
  await write(options.format === 'json' ? `${JSON.stringify(all, null, 2)}\n` : (await import('yaml')).stringify(all));
  return all.length;
}

/** A table in parts: each has as many rows as set its widths, of a live list one. */
async function writeTables(rows: AsyncIterable<Row>, options: OutputOptions, write: (text: string) => Promise<void>) {
  let part: Row[] = [];
  let count = 0;
  let table: Table | null = null;
  const flush = async () => {
    if (part.length === 0) return;
    table ??= new Table(columnsOf(options, part[0]!), options);
    await write(
      table
        .lines(part)
        .map((line) => `${line}\n`)
        .join(''),
    );
    part = [];
  };
  for await (const row of rows) {
    count++;
    if (part.push(row) >= (options.live ? 1 : TABLE_ROWS)) await flush();
  }
  await flush();
  return count;
}

async function eachRow(
  rows: AsyncIterable<Row>,
  write: (text: string) => Promise<void>,
  textOf: (row: Row) => string,
): Promise<number> {
  const batches = new Batches(write);
  let count = 0;
  for await (const row of rows) {
    count++;
    await batches.add(textOf(row));
  }
  await batches.end();
  return count;
}

/** The columns of a list: the chosen ones; with `wide`, or without any, all fields of its first row that are no objects. */
function columnsOf({ format, columns, chosen }: OutputOptions, first: Row): readonly string[] {
  const wantsAll = columns.length === 0 || (format === 'wide' && !chosen);
  return wantsAll ? [...new Set([...columns, ...scalarColumns(first)])] : columns;
}

/** The fields that were asked for, with their dotted names, or all. */
function picked(row: Row, { chosen, columns }: OutputOptions): Row {
  if (!chosen) return row;
  return Object.fromEntries(columns.map((column) => [column, valueAt(row, column) ?? null]));
}

/** Loaded when it is needed, like `yaml`: a table has to be there at once. */
const csvWriter = async () => (await import('csv-stringify/sync')).stringify;

/** A cell that no spreadsheet takes for a formula (CWE-1236), whether it has a text or a list of texts. */
function csvCell(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : cellOf(value);
  return typeof value !== 'number' && /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
}
