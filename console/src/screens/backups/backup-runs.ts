import { type components } from '../../../../src/api-client/openapi.js';

/* Backups that one run made, such as a policy at night, as one row of the list. Pure. */

type Backup = components['schemas']['Artifact'];

export interface BackupRun {
  readonly key: string;
  /** The newest first. */
  readonly backups: readonly [Backup, ...Backup[]];
}

/** What they take in the store, where equal files are stored once: the same figure on every screen. */
export function storedBytes(files: readonly Pick<Backup, 'sha256' | 'bytes'>[]): number {
  const different = new Map(files.map(({ sha256, bytes }) => [sha256, bytes]));
  return [...different.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Of fewer backups each has its own row. */
const TOGETHER = 4;

/** Two backups of one run are not further apart. */
const APART_MS = 15 * 60_000;

/** The rows of a list, the newest first: those of one author that follow each other within minutes are one. */
export function backupRuns(backups: readonly Backup[]): readonly (BackupRun | Backup)[] {
  const runs: [Backup, ...Backup[]][] = [];
  for (const backup of backups) {
    const last = runs.at(-1);
    if (last && isOfRun(last.at(-1)!, backup)) last.push(backup);
    else runs.push([backup]);
  }
  return runs.flatMap((run): readonly (BackupRun | Backup)[] =>
    run.length < TOGETHER ? run : [{ key: `run ${run.at(-1)!.id}`, backups: run }],
  );
}

const isOfRun = (newer: Backup, older: Backup): boolean =>
  newer.createdBy === older.createdBy && Date.parse(newer.createdAt) - Date.parse(older.createdAt) <= APART_MS;

/** The one before it of the same device, as far as the list was read. */
export const before = (of: Backup, backups: readonly Backup[]): Backup | undefined =>
  of.deviceId === null
    ? undefined
    : backups.slice(backups.indexOf(of) + 1).find(({ deviceId }) => deviceId === of.deviceId);

/** Whether it has other bytes than the one before it of the same device; of one without a known one before it: no. */
export function isChanged(of: Backup, backups: readonly Backup[]): boolean {
  const older = before(of, backups);
  return older !== undefined && older.sha256 !== of.sha256;
}

/** `18 unchanged, 2 with another file`; those whose one before was not read are not counted. */
export function changesText(run: readonly Backup[], backups: readonly Backup[]): string {
  const known = run.flatMap((one) => {
    const older = before(one, backups);
    return older ? [one.sha256 === older.sha256] : [];
  });
  const same = known.filter(Boolean).length;
  const parts = [same > 0 && `${same} unchanged`, known.length > same && `${known.length - same} with another file`];
  return parts.filter(Boolean).join(', ');
}
