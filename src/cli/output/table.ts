import { cellOf, countsText, isRow, valueAt, type Row } from './cells.js';
import { cutTo, padTo, widthOf } from './text.js';
import { distanceTo, hasTime, isTime, localTime, shortTime, zoneAt } from './times.js';

/* Tables for people: they fit the terminal, and in a pipe nothing is cut. */

const GAP = '  ';
/** A column is not made narrower than this. */
const NARROWEST = 6;

export interface TableOptions {
  /** Columns of the terminal; null in a pipe. */
  readonly width: number | null;
  /** Milliseconds since 1970, for times of the local clock; null writes them as they are. */
  readonly now: number | null;
}

/** `seenAt` as `SEEN AT`, `trust.mode` as `TRUST MODE`. */
export const titleOf = (path: string): string =>
  path
    .replaceAll('.', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toUpperCase();

/** A table that may come in parts: the first has the head, and no column gets narrower later. */
export class Table {
  private widths: number[] = [];

  constructor(
    private readonly columns: readonly string[],
    private readonly options: TableOptions,
  ) {}

  /** The lines of the next rows; before the first ones the head. */
  lines(rows: readonly Row[]): string[] {
    const { width } = this.options;
    const cells = rows.map((row) => this.columns.map((column) => this.cell(column, valueAt(row, column))));
    if (this.widths.length === 0) cells.unshift(this.head(rows));
    const widths = this.columns.map((_column, at) =>
      Math.max(this.widths[at] ?? 0, ...cells.map((line) => widthOf(line[at]!))),
    );
    if (width !== null) shrink(widths, width);
    this.widths = widths;
    return cells.map((line) =>
      line
        .map((cell, at) => padTo(cutTo(cell, widths[at]!), widths[at]!))
        .join(GAP)
        .trimEnd(),
    );
  }

  /** The titles; that of the first column with times says their zone. */
  private head(rows: readonly Row[]): string[] {
    const { now } = this.options;
    const timed = this.columns.find((column) => rows.some((row) => hasTime(valueAt(row, column))));
    return this.columns.map((column) =>
      now !== null && column === timed ? `${titleOf(column)} ${zoneAt(now)}` : titleOf(column),
    );
  }

  private cell(column: string, value: unknown): string {
    const { width, now } = this.options;
    const counts = /(^|\.)counts$/.test(column) ? countsText(value) : null;
    if (counts !== null) return counts;
    if (now === null) return cellOf(value);
    return cellOf(value, (time) => (width === null ? localTime(time, now) : shortTime(time, now)));
  }
}

/**
 * The lines of one object: a field each, those of inner objects with dotted names, then a table for each list of objects.
 * @param withEmpty whether fields without a value are listed
 */
export function objectLines(value: Row, options: TableOptions, withEmpty: boolean): string[] {
  const all = flat(value, '');
  const fields = all.filter(([, inner]) => !isRowList(inner) && (withEmpty || cellOf(inner) !== ''));
  const width = Math.max(0, ...fields.map(([name]) => widthOf(name)));
  const [timed] = fields.find(([, inner]) => hasTime(inner)) ?? [];
  const lines = fields.map(
    ([name, inner]) => `${padTo(name, width)}${GAP}${fieldText(inner, options, name === timed)}`,
  );
  return [...lines, ...all.flatMap(([name, inner]) => (isRowList(inner) ? listLines(name, inner, options) : []))];
}

function listLines(name: string, rows: readonly Row[], options: TableOptions): string[] {
  const width = options.width === null ? null : options.width - GAP.length;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = new Table(columns, { ...options, width }).lines(rows);
  return ['', titleOf(name), ...lines.map((line) => GAP + line)];
}

const isRowList = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow);

/** Makes the widest column narrower until all fit. */
function shrink(widths: number[], room: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  for (let over = total() - room; over > 0; over = total() - room) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= NARROWEST) return;
    widths[widest]!--;
  }
}

function flat(value: Row, before: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? flat(inner as Row, `${before}${name}.`)
      : [[before + name, inner] as [string, unknown]],
  );
}

/** A time is that of the local clock, on a terminal with its distance; the first one says the zone. */
function fieldText(value: unknown, { now, width }: TableOptions, saysZone: boolean): string {
  if (now === null) return cellOf(value);
  const zone = saysZone ? ` ${zoneAt(now)}` : '';
  const text = cellOf(value, (time) => localTime(time, now));
  if (!isTime(value)) return hasTime(value) ? `${text}${zone}` : text;
  return `${text}${zone}${width === null ? '' : ` (${distanceTo(value, now)})`}`;
}
