import { numberText } from '../../api/amount-text.js';
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

/**
 * The rows of a list, the newest first: those of one cause that were made within minutes are one, where the newest of them stands.
 * @param causeOf in words, such as a policy or a rollout
 */
export function backupRuns(
  backups: readonly Backup[],
  causeOf: (backup: Backup) => string,
): readonly (BackupRun | Backup)[] {
  const runs: [Backup, ...Backup[]][] = [];
  const open = new Map<string, [Backup, ...Backup[]]>();
  for (const backup of backups) {
    const key = `${backup.createdBy} ${causeOf(backup)}`;
    const last = open.get(key);
    if (last && Date.parse(last.at(-1)!.createdAt) - Date.parse(backup.createdAt) <= APART_MS) last.push(backup);
    else {
      const run: [Backup, ...Backup[]] = [backup];
      runs.push(run);
      open.set(key, run);
    }
  }
  const together = new Map(
    runs.filter(({ length }) => length >= TOGETHER).flatMap((run) => run.map((one) => [one.id, run] as const)),
  );
  return backups.flatMap((backup): readonly (BackupRun | Backup)[] => {
    const run = together.get(backup.id);
    if (!run) return [backup];
    return run[0] === backup ? [{ key: `run ${run.at(-1)!.id}`, backups: run }] : [];
  });
}

/** The one before it of the same device, as far as the list was read. */
export const before = (of: Backup, backups: readonly Backup[]): Backup | undefined =>
  of.deviceId === null
    ? undefined
    : backups.slice(backups.indexOf(of) + 1).find(({ deviceId }) => deviceId === of.deviceId);

/**
 * The comparison of a backup with the one before it of its device, else with the newest; of the only one the other side is open.
 * @param backups newest first, as far as they were read
 */
export function compareSearch({ id, deviceId }: Pick<Backup, 'id' | 'deviceId'>, backups: readonly Backup[]) {
  const own = backups.filter((one) => one.deviceId !== null && one.deviceId === deviceId);
  const at = own.findIndex((one) => one.id === id);
  const older = at === -1 ? undefined : own[at + 1];
  const newest = at === 0 ? undefined : own[0];
  const pair = older ? { a: older.id, b: id } : { a: id, b: newest?.id };
  return { tab: 'compare', device: deviceId ?? undefined, ...pair };
}

/** The newest of each device. @param backups newest first */
export const newestOfDevices = (backups: readonly Backup[]): readonly Backup[] =>
  backups.filter(
    (one, at) => one.deviceId !== null && backups.findIndex(({ deviceId }) => deviceId === one.deviceId) === at,
  );

/** How a backup compares with the one before it of the same device. */
type BackupChange = 'same settings' | 'settings changed' | 'same file' | 'another file';

/** By its settings where both were opened, else by its bytes: another file may have the same settings. Null: no other one is known. */
export function changeOf(of: Backup, backups: readonly Backup[]): BackupChange | null {
  if (typeof of.sameSettings === 'boolean') return of.sameSettings ? 'same settings' : 'settings changed';
  const older = before(of, backups);
  if (older === undefined) return null;
  return of.sha256 === older.sha256 ? 'same file' : 'another file';
}

/** Whether its settings are others than those of the one before it, or could be. */
export const isChanged = (of: Backup, backups: readonly Backup[]): boolean =>
  ['settings changed', 'another file'].includes(changeOf(of, backups) ?? '');

/** `18 unchanged, 2 changed`; those whose one before is not known are not counted. */
export function changesText(run: readonly Backup[], backups: readonly Backup[]): string {
  const known = run.map((one) => changeOf(one, backups)).filter((one) => one !== null);
  const countOf = (...changes: BackupChange[]) => known.filter((one) => changes.includes(one)).length;
  const parts = [
    [countOf('same settings', 'same file'), 'unchanged'],
    [countOf('settings changed'), 'changed'],
    [countOf('another file'), 'with another file'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${numberText(count)} ${text}`)
    .join(', ');
}

/** Two backups of one device, by their ids. */
export type Pair = Readonly<Record<'a' | 'b', string>>;

/** The last two that follow each other and differ. @param backups of one device, newest first */
export function lastChange(backups: readonly Backup[]): Pair | null {
  const changed = backups.find((one) => isChanged(one, backups));
  const older = changed && before(changed, backups);
  return older ? { a: older.id, b: changed.id } : null;
}

/** What is compared first: the last two that differ, else the two newest. Null: there are no two. */
export function firstPair(backups: readonly Backup[]): Pair | null {
  const [newest, older] = backups;
  return lastChange(backups) ?? (newest && older ? { a: older.id, b: newest.id } : null);
}
