import { type Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { PART_BYTES, TABLES_LEFT_OUT, type ArchivedTable, type ArchiveContents } from './archive-format.js';

/* Rows of a database out and in, by Postgres' own COPY. Everything here runs inside the caller's transaction. */

const quoted = (names: readonly string[]) => names.map((name) => pg.escapeIdentifier(name)).join(', ');

/** The tables of the product with the columns that can be written. A partition is of the history of samples, which is left out. */
export async function listTables(db: pg.Client): Promise<ArchivedTable[]> {
  const { rows } = await db.query<ArchivedTable>(
    `select t.relname as name, array_agg(c.attname::text order by c.attnum) as columns
       from pg_class t join pg_attribute c on c.attrelid = t.oid
      where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and not t.relispartition
        and c.attnum > 0 and not c.attisdropped and c.attgenerated = ''
      group by t.relname order by t.relname`,
  );
  return rows.filter(({ name }) => !TABLES_LEFT_OUT.has(name));
}

/** The value that each sequence gave last; null: none yet. */
export async function listSequences(db: pg.Client): Promise<ArchiveContents['sequences']> {
  const { rows } = await db.query<{ name: string; value: string | null }>(
    `select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public' order by 1`,
  );
  return rows;
}

/** The rows of a table as parts of text. @returns through `onEnd` how many there were */
export async function* copyOut(
  db: pg.Client,
  { name, columns }: ArchivedTable,
  onEnd: (rows: number) => void,
): AsyncGenerator<Buffer> {
  const stream = db.query(to(`copy public.${quoted([name])} (${quoted(columns)}) to stdout`));
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
  onEnd(stream.rowCount);
}

/** Takes the parts of one table after another into the database. */
export class TableLoader {
  readonly rows: Record<string, number> = {};
  private open: { readonly name: string; readonly stream: Writable & { rowCount: number } } | null = null;

  constructor(
    private readonly db: pg.Client,
    private readonly tables: ReadonlyMap<string, ArchivedTable>,
  ) {}

  /** @throws Error for a table that the backup did not announce, or rows that the database refuses */
  async take(name: string, part: Readable): Promise<void> {
    if (this.open?.name !== name) {
      await this.end();
      const table = this.tables.get(name);
      if (!table) throw new Error(`The backup contains rows of ${name}, which is not one of its tables`);
      const sql = `copy public.${quoted([name])} (${quoted(table.columns)}) from stdin`;
      const stream = this.db.query(from(sql));
      stream.on('error', () => undefined); // met where it is written or ended
      this.open = { name, stream };
    }
    const { stream } = this.open;
    for await (const chunk of part) {
      if (!stream.write(chunk)) await drained(stream);
    }
  }

  /** Ends the table that is being written. */
  async end(): Promise<void> {
    if (!this.open) return;
    const { name, stream } = this.open;
    this.open = null;
    stream.end();
    await finished(stream);
    this.rows[name] = stream.rowCount;
  }
}

async function drained(stream: Writable): Promise<void> {
  if (stream.errored) throw stream.errored;
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error | null) => {
      stream.off('drain', settle).off('error', settle).off('close', settle);
      if (error instanceof Error) reject(error);
      else resolve();
    };
    stream.on('drain', settle).on('error', settle).on('close', settle);
  });
}

/** Foreign keys are dropped and triggers are off. @returns what puts both back; foreign keys are checked then */
export async function openTables(db: pg.Client, tables: readonly ArchivedTable[]): Promise<() => Promise<void>> {
  const { rows: keys } = await db.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
  for (const { table, name } of keys) await db.query(`alter table ${table} drop constraint ${quoted([name])}`);
  for (const { name } of tables) await db.query(`alter table public.${quoted([name])} disable trigger user`);
  await db.query(`truncate ${tables.map(({ name }) => `public.${quoted([name])}`).join(', ')}`);
  return async () => {
    for (const { table, name, definition } of keys) {
      await db.query(`alter table ${table} add constraint ${quoted([name])} ${definition}`);
    }
    for (const { name } of tables) await db.query(`alter table public.${quoted([name])} enable trigger user`);
  };
}

/** Lets sequences go on where those of the backup were. */
export async function setSequences(db: pg.Client, sequences: ArchiveContents['sequences']): Promise<void> {
  for (const { name, value } of sequences) {
    if (value !== null) await db.query('select setval($1::regclass, $2)', [`public.${quoted([name])}`, value]);
  }
}
