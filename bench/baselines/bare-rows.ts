/*
 * What the database alone costs. `BareRows` takes the rows that an import has written (devices, accounts, audit entries and
 * outcomes) and inserts the very same into empty copies of their tables, with the same keys, checks and indexes, by one
 * `unnest` statement for each thousand rows, in one transaction: the fastest way in that SQL has.
 */
import { type Client } from 'pg';

const BATCH = 1_000;

/** The tables of an import, in the order of their keys, and which of their rows belong to the devices of a name. */
const TABLES: Readonly<Record<string, string>> = {
  device: `name like $1`,
  device_account: `device_id in (select id from device where name like $1)`,
  audit_entry: `device_id in (select id from device where name like $1)`,
  audit_outcome: `entry_id in (select id from audit_entry where device_id in (select id from device where name like $1))`,
};

interface Column {
  readonly name: string;
  /** As Postgres names it inside: arrays begin with `_`. */
  readonly type: string;
}

/** Copies of the tables, with the keys between them that a copy does not take along. */
const COPIES = `
  create schema bare;
  ${Object.keys(TABLES)
    .map((table) => `create table bare.${table} (like public.${table} including all);`)
    .join('\n  ')}
  alter table bare.device_account add foreign key (device_id) references bare.device (id) on delete cascade;
  alter table bare.audit_outcome add foreign key (entry_id) references bare.audit_entry (id);
`;

export class BareRows {
  private readonly columns = new Map<string, Column[]>();

  private constructor(private readonly db: Client) {}

  /** @param db a connection of a role that may make a schema; the copies are made where they are not there yet */
  static async on(db: Client): Promise<BareRows> {
    const made = await db.query(`select from pg_namespace where nspname = 'bare'`);
    if (made.rowCount === 0) await db.query(COPIES);
    const bare = new BareRows(db);
    for (const table of Object.keys(TABLES)) {
      const { rows } = await db.query<Column>(
        `select column_name as name, udt_name as type from information_schema.columns
          where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'
          order by ordinal_position`,
        [table],
      );
      bare.columns.set(table, rows);
    }
    return bare;
  }

  /** Inserts the rows of the devices whose names begin so. @returns milliseconds, and how many rows it were */
  async insertAgain(namePrefix: string): Promise<{ ms: number; rows: number }> {
    const batches: { sql: string; values: unknown[] }[] = [];
    let count = 0;
    for (const [table, condition] of Object.entries(TABLES)) {
      const columns = this.columns.get(table)!;
      const rows = await this.textRows(table, columns, condition, namePrefix);
      count += rows.length;
      for (let from = 0; from < rows.length; from += BATCH) {
        const batch = rows.slice(from, from + BATCH);
        batches.push({ sql: insertSql(table, columns), values: columns.map((_, i) => batch.map((row) => row[i])) });
      }
    }
    const startedAt = performance.now();
    await this.db.query('begin');
    for (const { sql, values } of batches) await this.db.query(sql, values);
    await this.db.query('commit');
    return { ms: performance.now() - startedAt, rows: count };
  }

  /** Rows as Postgres writes them, so that nothing is lost on the way through JavaScript. */
  private async textRows(table: string, columns: readonly Column[], condition: string, namePrefix: string) {
    const list = columns.map(({ name }) => `${name}::text`).join(', ');
    const { rows } = await this.db.query<(string | null)[]>({
      text: `select ${list} from ${table} where ${condition}`,
      values: [`${namePrefix}%`],
      rowMode: 'array',
    });
    return rows;
  }
}

/** An array in an array would be taken apart by `unnest`: such columns go in as text. */
function insertSql(table: string, columns: readonly Column[]): string {
  const isArray = ({ type }: Column) => type.startsWith('_');
  const given = columns.map((column, index) => `$${index + 1}::${isArray(column) ? 'text' : column.type}[]`);
  const taken = columns.map((column) => (isArray(column) ? `${column.name}::${column.type.slice(1)}[]` : column.name));
  const names = columns.map(({ name }) => name).join(', ');
  return `insert into bare.${table} (${names}) select ${taken.join(', ')} from unnest(${given.join(', ')}) as row (${names})`;
}
