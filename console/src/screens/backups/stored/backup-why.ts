import { type components } from '../../../../../src/api-client/openapi.js';
import { isChanged } from '../backup-runs.js';

/* Why a backup was made, and why it is stored although it equals the one before. Pure. */

type Schemas = components['schemas'];
type Backup = Schemas['Artifact'];
type Policy = Pick<Schemas['BackupPolicy'], 'id' | 'name' | 'onlyChanges'>;
type Job = Pick<Schemas['Job'], 'id' | 'deviceId' | 'reason' | 'createdAt'>;

export interface Known {
  readonly policies: readonly Policy[];
  /** The last jobs that made backups, and the last firmware updates. */
  readonly jobs: readonly Job[];
  readonly updates: readonly Job[];
}

const OF_A_POLICY = 'system:backup-policy:';
const OF_A_ROLLOUT = 'rollout ';

const policyOf = ({ createdBy }: Backup, policies: readonly Policy[]): Policy | undefined =>
  policies.find(({ id }) => createdBy === OF_A_POLICY + id);

const isOfPolicy = ({ createdBy }: Backup): boolean => createdBy?.startsWith(OF_A_POLICY) ?? false;

/** `Policy Nightly`, `Rollout Autumn, by Ada`, `“Before the move”, by Ada`, `By Ada`. */
export function whyText(backup: Backup, { policies, jobs }: Pick<Known, 'policies' | 'jobs'>): string {
  if (isOfPolicy(backup)) {
    const policy = policyOf(backup, policies);
    return policy ? `Policy ${policy.name}` : 'A policy';
  }
  const by = backup.createdByName;
  const reason = jobs.find(({ id }) => id === backup.jobId)?.reason ?? null;
  if (reason === null) return by === null ? '–' : `By ${by}`;
  const why = reason.startsWith(OF_A_ROLLOUT) ? `Rollout ${reason.slice(OF_A_ROLLOUT.length)}` : `“${reason}”`;
  return by === null ? why : `${why}, by ${by}`;
}

/** Of the backups of one run: `Policy Nightly`, or of several reasons the first one `and others`. */
export function runWhy(run: readonly Backup[], known: Pick<Known, 'policies' | 'jobs'>): string {
  const [first = '–', ...others] = new Set(run.map((backup) => whyText(backup, known)));
  return others.length === 0 ? first : `${first}, and others`;
}

/** When the firmware was updated next, where this is the last backup before it; null: no update followed it. @param rows newest first */
export function updateAfter(
  backup: Backup,
  rows: readonly Backup[],
  { updates }: Pick<Known, 'updates'>,
): string | null {
  const newer = rows.slice(0, rows.indexOf(backup)).findLast(({ deviceId }) => deviceId === backup.deviceId);
  const isBetween = ({ deviceId, createdAt }: Job): boolean =>
    deviceId === backup.deviceId &&
    Date.parse(createdAt) > Date.parse(backup.createdAt) &&
    (newer === undefined || Date.parse(createdAt) < Date.parse(newer.createdAt));
  return updates.findLast(isBetween)?.createdAt ?? null;
}

/** Why some of the backups equal the one before them; empty where none does. */
export function equalTexts(rows: readonly Backup[], policies: readonly Policy[]): readonly string[] {
  const equal = rows.filter((one) => one.sameSettings === true && !isChanged(one, rows));
  const named = policies.filter((policy) => equal.some((one) => policyOf(one, [policy])));
  return [
    ...named.map(({ name, onlyChanges }) =>
      onlyChanges
        ? `The policy ${name} stores only what changed. Those without a change were made before it did so, have another passphrase, or were in use by a job.`
        : `The policy ${name} stores each backup, also one without a change.`,
    ),
    ...(equal.some((one) => !isOfPolicy(one)) ? ['A backup that a person or a rollout makes is always stored.'] : []),
  ];
}
