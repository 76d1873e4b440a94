import { countText, numberText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';
import { failedOf, takingPart } from '../rollouts/forecast.js';
import { grouped } from '../rollouts/reasons.js';
import { isDiscarded } from '../../ui/words/rollout-state.js';

/* How a rollout that a schedule made stands, and what backup policies did, in a colour and a few words. */

export type RunTone = 'good' | 'warn' | 'bad' | 'busy';

type Rollout = Pick<components['schemas']['Rollout'], 'state' | 'startedAt' | 'counts'>;

/** `20 of 20 succeeded`; of a reader who sees a part of its devices only the state is said. */
export function pastRun(rollout: Rollout): { readonly tone: RunTone; readonly about: string } {
  const { state, counts } = rollout;
  if (isDiscarded(rollout)) return { tone: 'warn', about: 'discarded before it began' };
  const failed = failedOf(counts);
  const share = `${numberText(counts.succeeded)} of ${countText(takingPart(counts), 'device')} succeeded`;
  if (state === 'running') return { tone: 'busy', about: `runs: ${share}` };
  if (state === 'paused') return { tone: 'warn', about: `paused: ${share}` };
  if (state === 'aborted' || state === 'aborting') return { tone: 'bad', about: `aborted: ${share}` };
  return { tone: failed > 0 ? 'bad' : 'good', about: share };
}

/** Jobs that are asked for: five weeks of a fleet of 25, or the last night of a large one. */
export const PAST_JOBS = 1000;

type Job = Pick<components['schemas']['Job'], 'startedBy' | 'startedByName' | 'reason' | 'outcome' | 'createdAt'>;

export interface PolicyRun {
  readonly key: string;
  readonly date: string;
  /** When its first job was made. */
  readonly at: string;
  readonly name: string;
  readonly tone: RunTone;
  readonly about: string;
  /** `1 failed`; empty: none. */
  readonly note: string;
}

const OF_A_POLICY = /^system:backup-policy:/;

/** The backups of each policy on each day. @param dateOf the day of an instant */
export function policyRuns(jobs: readonly Job[], dateOf: (at: string) => string): readonly PolicyRun[] {
  const ours = jobs.filter(({ startedBy }) => OF_A_POLICY.test(startedBy));
  return grouped(ours, ({ startedBy, createdAt }) => `${startedBy} ${dateOf(createdAt)}`).map(([key, same]) => {
    const { reason, startedByName, createdAt } = same.reduce((a, b) => (a.createdAt < b.createdAt ? a : b));
    const good = same.filter(({ outcome }) => outcome === 'succeeded').length;
    return {
      key,
      date: dateOf(createdAt),
      at: createdAt,
      name: reason?.replace(/^backup policy /, '') ?? startedByName,
      tone: good === same.length ? ('good' as const) : ('warn' as const),
      about: `${numberText(good)} of ${countText(same.length, 'backup')} made`,
      note: good === same.length ? '' : `${numberText(same.length - good)} failed`,
    };
  });
}

/** The clock of the database, by which jobs are made, may be so far behind that of the gateway. */
const CLOCKS_APART_MS = 60_000;

interface Policy {
  readonly id: string;
  readonly lastRunAt: string | null;
  readonly lastStarted: number | null;
}

/**
 * `19 of 20 backups made`, of the last run of a policy. @param jobs of backups, the newest first @returns null where the jobs are not
 * all of that run
 */
export function policyOutcome(
  { id, lastRunAt, lastStarted }: Policy,
  jobs: readonly Pick<Job, 'startedBy' | 'outcome' | 'createdAt'>[],
): { readonly tone: RunTone; readonly text: string } | null {
  if (lastRunAt === null || !lastStarted) return null;
  const beganMs = Date.parse(lastRunAt) - CLOCKS_APART_MS;
  const ours = jobs.filter(
    (job) => job.startedBy === `system:backup-policy:${id}` && Date.parse(job.createdAt) >= beganMs,
  );
  if (ours.length !== lastStarted) return null;
  const good = ours.filter(({ outcome }) => outcome === 'succeeded').length;
  const isOpen = ours.some(({ outcome }) => outcome === null);
  const text = `${numberText(good)} of ${countText(lastStarted, 'backup')} made`;
  return { tone: isOpen ? 'busy' : good === lastStarted ? 'good' : 'warn', text };
}

/** Without the oldest day, where the list goes on: only a part of it is known. */
export function wholeDays<Of extends Pick<Job, 'createdAt'>>(
  jobs: readonly Of[],
  isCut: boolean,
  dateOf: (at: string) => string,
): readonly Of[] {
  const oldest = jobs.at(-1);
  if (!isCut || oldest === undefined) return jobs;
  return jobs.filter(({ createdAt }) => dateOf(createdAt) !== dateOf(oldest.createdAt));
}
