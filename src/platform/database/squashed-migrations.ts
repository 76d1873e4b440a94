import { type Client } from 'pg';
import { listMigrations, noteRelease } from './schema-release.js';

/*
 * Before the first release the migrations were squashed into a baseline of a file for each noun. A database that ran all of
 * them has the schema of the baseline; the baseline is marked as run there. A database that ran only some of them, or those of
 * an earlier version, is refused.
 */
export const SQUASHED: readonly string[] = [
  'Foundation1795428000000',
  'Secrets1795428600000',
  'Operators1795429200000',
  'Rights1795429800000',
  'Requests1795430400000',
  'Audit1795431000000',
  'Devices1795431600000',
  'Jobs1795432200000',
  'Artifacts1795432800000',
  'Backups1795433400000',
  'Rollouts1795434000000',
  'Events1795434600000',
  'Fleet1795435200000',
  'DeviceNotes1795435800000',
  'Processes1795436400000',
  'DeviceFields1795437000000',
  'FanOuts1795437600000',
  'Discovery1795446600000',
  'Availability1795514400000',
  'NetworkOperator1795600800000',
];

/** The last commit whose migrations are the squashed ones. It takes the databases of all earlier commits, too. */
const LAST_COMMIT = '8555da99';

/** When a migration was written: the milliseconds at the end of its name. */
const writtenAt = (name: string): number => Number(name.slice(-13));

/** Whether a migration is from before the baseline. */
export const isEarly = (name: string, [first]: readonly string[]): boolean => writtenAt(name) < writtenAt(first!);

/**
 * @param names of migrations that ran, in a database or the one that a backup is of
 * @param baseline names of the migrations that the earlier ones were squashed into
 * @returns the same schema in names of this version
 * @throws Error in an operator's words where some of the squashed ones are missing
 */
export function withoutSquashed(names: readonly string[], baseline: readonly string[]): string[] {
  const later = names.filter((name) => !isEarly(name, baseline));
  if (later.length === names.length) return later;
  const missing = SQUASHED.filter((name) => !names.includes(name));
  if (missing.length === 0) return [...baseline, ...later];
  throw new Error(
    `The schema is that of an early version of Fleetgate: ${missing.length} of the ${SQUASHED.length} migrations before this ` +
      `version did not run, the first of them ${missing[0]}. Start the last version that has them first (git checkout ` +
      `${LAST_COMMIT}, npm start), and stop it. Then start this version. Restore a backup with such a schema with that version, too.`,
  );
}

/** Marks the baseline as run where all squashed migrations have run. */
export async function adoptBaseline(client: Client, baseline: readonly string[]): Promise<void> {
  const names = await listMigrations(client);
  if (withoutSquashed(names, baseline).every((name) => names.includes(name))) return;
  await client.query('begin'); // a failure ends the connection, and with it the transaction
  await client.query('delete from public.migrations where name = any($1)', [SQUASHED]);
  await client.query('delete from public.schema_release where migration = any($1)', [SQUASHED]);
  await client.query(
    `insert into public.migrations (timestamp, name) select right(name, 13)::bigint, name from unnest($1::text[]) as name`,
    [baseline],
  );
  await noteRelease(client, baseline);
  await client.query('commit');
}
