import { type Client } from 'pg';
import { VERSION } from '../platform/config.js';

/*
 * An older version could run on a newer schema, and write rows that break newer rules or lack what they need. So it
 * does not start. The database stores which version ran each migration, for the message.
 */

/** When a migration was written: the milliseconds at the end of its name. */
const writtenAt = (name: string): number => Number(name.slice(-13));

/**
 * Refuses the schema of before the first release: its migrations became those of this version, and are not in it.
 * @param migrations that a database has, or the one that a backup is of
 * @param known those of this version, in their order
 * @throws Error with advice for the operator
 */
export function refuseEarlySchema(migrations: readonly string[], known: ReadonlySet<string>): void {
  const [first] = known;
  const early = migrations.filter((name) => writtenAt(name) < writtenAt(first!));
  if (early.length === 0) return;
  throw new Error(
    `The schema is of an early state of Fleetgate, before the first release; its last migration is ${early.at(-1)}. ` +
      'This version cannot continue it. Start it on an empty database (another DATABASE_URL, or a new DATA_DIR) and ' +
      'import the devices there. Or run the version that made it: a backup with such a schema is restored with that one, too.',
  );
}

/**
 * Refuses a database with migrations that this version does not have.
 * @param present the migrations of the database
 * @param known those of this version
 * @throws Error with advice for the operator
 */
export async function refuseNewerSchema(
  client: Client,
  present: readonly string[],
  known: ReadonlySet<string>,
): Promise<void> {
  const unknown = present.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const needed = await neededVersion(client, unknown);
  throw new Error(
    `The database belongs to a newer version of Fleetgate: this one (${VERSION}) does not know ${unknown.length} of its ` +
      `migrations; the last one is ${unknown.at(-1)}. Start ${needed ? `Fleetgate ${needed}` : 'the version that made it'} ` +
      'or a newer one. To go back to an older version, restore the backup that was made before the upgrade ' +
      '(docs/howto/back-up-and-restore.md).',
  );
}

/** Migrations that a database has; none when it has no schema. */
export async function listMigrations(client: Client): Promise<string[]> {
  if (!(await hasTable(client, 'migrations'))) return [];
  const { rows } = await client.query<{ name: string }>('select name from public.migrations order by id');
  return rows.map(({ name }) => name);
}

/** Records that this version ran these migrations. */
export async function noteRelease(client: Client, ran: readonly string[]): Promise<void> {
  if (ran.length === 0 || !(await hasTable(client, 'schema_release'))) return; // the schema of an older version
  await client.query(
    `insert into public.schema_release (migration, version) select name, $2 from unnest($1::text[]) as name
     on conflict (migration) do nothing`,
    [ran, VERSION],
  );
}

/** The version that ran the last of these migrations; null when the database does not record it. */
async function neededVersion(client: Client, unknown: readonly string[]): Promise<string | null> {
  if (!(await hasTable(client, 'schema_release'))) return null;
  const { rows } = await client.query<{ version: string }>(
    'select version from public.schema_release where migration = any($1) order by ran_at desc, migration desc limit 1',
    [unknown],
  );
  return rows[0]?.version ?? null;
}

async function hasTable(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    `public.${name}`,
  ]);
  return rows[0]!.found;
}
