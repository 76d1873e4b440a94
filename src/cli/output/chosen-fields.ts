import { nearestOf } from '../../api-client/problem-words.js';
import { UsageError } from '../exit-codes.js';
import { isRow, type Row } from './cells.js';

/** Fields whose inner names are the caller's or differ by row: custom fields, parameters of jobs, data of events. */
const OPEN = new Set(
  'api body checks counts data facts fields json match message paths result selectors spec summary'.split(' '),
);

/** Rows that are held until each chosen field was in one of them. */
const HELD_MAX = 100;

/* `--fields` names columns of rows that only the gateway knows: a wrong name is noticed when rows have come. */

/** Which of the chosen fields the rows have. Without this a wrong name is a blank column, and the command ends with 0. */
export class ChosenFields {
  private readonly missing: Set<string>;
  private readonly known = new Set<string>();

  /** @param names dotted names, such as `trust.mode` */
  constructor(names: readonly string[]) {
    this.missing = new Set(names);
  }

  /**
   * The same rows, once each field was in one of them: a wrong name is an error before anything is written.
   * @throws UsageError
   */
  async *checked(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    const held: Row[] = [];
    for await (const row of rows) {
      this.note(row);
      held.push(row);
      if (this.missing.size === 0) yield* held.splice(0);
      else if (held.length >= HELD_MAX) this.requireFound();
    }
    this.requireFound();
    yield* held;
  }

  /** The same rows as they come; each is looked at on its way. */
  async *noted(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      this.note(row);
      yield row;
    }
  }

  note(row: Row): void {
    for (const name of Object.keys(row)) this.known.add(name);
    for (const name of this.missing) if (hasPlace(row, name)) this.missing.delete(name);
  }

  /** @throws UsageError when there were rows, and none of them had a field */
  requireFound(): void {
    if (this.known.size === 0 || this.missing.size === 0) return;
    const names = [...this.missing].join(', ');
    const known = [...this.known];
    const meant = [...this.missing].map((name) => nearestOf(name, known)).find((name) => name !== null);
    const hint = meant === undefined ? '' : `Did you mean ${meant}? `;
    throw new UsageError(`No row has the field ${names}. ${hint}The fields are ${known.join(', ')}`);
  }
}

/** @throws UsageError when an object does not have one of the fields */
export function requireFields(value: Row, names: readonly string[]): void {
  const fields = new ChosenFields(names);
  fields.note(value);
  fields.requireFound();
}

/** Whether a row has a dotted name; yes also where a part of it is null, or an object of the caller's own names. */
function hasPlace(row: Row, path: string): boolean {
  const [first = '', ...inner] = path.split('.');
  if (!Object.hasOwn(row, first)) return false;
  const value = row[first];
  if (inner.length === 0 || value === null) return true;
  return isRow(value) && (OPEN.has(first) || hasPlace(value, inner.join('.')));
}
