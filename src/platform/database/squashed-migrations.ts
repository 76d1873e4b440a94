import { type Client } from 'pg';
import { listMigrations, noteRelease } from './schema-release.js';

/*
 * Before the first release the first 48 migrations were squashed into a baseline of a file for each noun. A database that
 * ran all of them has the schema of the baseline; the baseline is marked as run there. A database that ran some of them is refused.
 */
export const SQUASHED: readonly string[] = [
  'Foundation1763719200000',
  'Audit1763719800000',
  'Auth1763720400000',
  'Devices1763721000000',
  'Jobs1763721600000',
  'Selectors1763722800000',
  'Idempotency1763723400000',
  'DeviceHistory1763724000000',
  'SavedSelectors1763724600000',
  'SessionPools1763725200000',
  'Notices1763725800000',
  'DeviceNotices1763726400000',
  'LoginReservations1763727000000',
  'SignIn1763730000000',
  'Roles1763733600000',
  'Locks1763734200000',
  'Approvals1763734800000',
  'JobOperator1763735400000',
  'AuditLog1763737200000',
  'KeyRotation1763740800000',
  'IdempotentAnswers1763741400000',
  'Artifacts1763744400000',
  'SealedValues1763748000000',
  'DeviceCertificates1763748600000',
  'PasswordRotation1763751600000',
  'BackupPolicies1763752200000',
  'Rollouts1763758800000',
  'BulkJobs1763759400000',
  'Events1763762400000',
  'RollBacks1763763000000',
  'DispatchOrder1763764200000',
  'SealedValueOperator1763765400000',
  'WebhookAuthor1763766600000',
  'ApprovedDevices1763766660000',
  'IdempotentRights1763766720000',
  'ReadAccounts1763766780000',
  'LeaseUpdates1763766840000',
  'AuditServer1763807400000',
  'Issuers1763836200000',
  'IdempotentFailures1763838000000',
  'JobQuarantine1763863200000',
  'WorkMarks1763863800000',
  'QuietTrials1763866800000',
  'PolicyPassphrases1763874000000',
  'BackupAccounts1763874600000',
  'SchemaReleases1763877600000',
  'AuditOrder1763881200000',
  'FleetImports1763884800000',
];

/** The last commit whose migrations are the squashed ones. */
const LAST_COMMIT = '555efff';

/**
 * @param names of migrations that ran, in a database or the one that a backup is of
 * @param baseline names of the migrations that they were squashed into
 * @returns the same schema in names of this version
 * @throws Error in an operator's words where some of the squashed ones are missing
 */
export function withoutSquashed(names: readonly string[], baseline: readonly string[]): string[] {
  const old = new Set(SQUASHED);
  const others = names.filter((name) => !old.has(name));
  if (others.length === names.length) return others;
  const missing = SQUASHED.filter((name) => !names.includes(name));
  if (missing.length === 0) return [...baseline, ...others];
  throw new Error(
    `The schema is that of an early version of Fleetgate: ${missing.length} of its ${SQUASHED.length} migrations did not run, the ` +
      `first of them ${missing[0]}. Start the last version that has them first (git checkout ${LAST_COMMIT}, npm start), and ` +
      'stop it. Then start this version. Restore a backup with such a schema with that version, too.',
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
