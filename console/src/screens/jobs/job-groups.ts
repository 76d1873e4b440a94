import { type components } from '../../../../src/api-client/openapi.js';
import { numberText } from '../../api/amount-text.js';

/* Jobs that one rollout, one run of a policy, or one person in a moment started, as one row of the list. Pure. */

type Job = components['schemas']['Job'];
type Grouped = Pick<Job, 'id' | 'kind' | 'reason' | 'startedByName' | 'createdAt' | 'phase' | 'outcome'>;

export interface JobGroup<One> {
  readonly key: string;
  /** The newest first. */
  readonly jobs: readonly [One, ...One[]];
}

/** Of fewer jobs each has its own row. */
const TOGETHER = 4;

/** A longer pause is another run, such as that of another night. */
const APART_MS = 3_600_000;

/** Jobs of one person or one key without a reason: those that follow each other so soon are of one choice, or of one script. */
const SINGLES_APART_MS = 30_000;

/** The rows of a list, the newest first: a group stands where its newest job does. */
export function jobGroups<One extends Grouped>(jobs: readonly One[]): readonly (JobGroup<One> | One)[] {
  const groups: [One, ...One[]][] = [];
  const open = new Map<string, [One, ...One[]]>();
  for (const job of jobs) {
    const key = `${job.kind} ${job.startedByName} ${job.reason}`;
    const last = open.get(key);
    const most = job.reason === null ? SINGLES_APART_MS : APART_MS;
    if (last && Date.parse(last.at(-1)!.createdAt) - Date.parse(job.createdAt) <= most) last.push(job);
    else {
      const group: [One, ...One[]] = [job];
      groups.push(group);
      open.set(key, group);
    }
  }
  const first = new Map<string, JobGroup<One>>();
  const isOfGroup = new Set<string>();
  for (const all of groups.filter(({ length }) => length >= TOGETHER)) {
    first.set(all[0].id, { key: `group ${all.at(-1)!.id}`, jobs: all });
    for (const { id } of all) isOfGroup.add(id);
  }
  return jobs.flatMap((job): readonly (JobGroup<One> | One)[] => {
    const group = first.get(job.id);
    return group ? [group] : isOfGroup.has(job.id) ? [] : [job];
  });
}

/** How the gateway names the reason of jobs that a rollout starts. */
const reasonOf = (rollout: string): string => `rollout ${rollout}`;

/** Whether a rollout that runs may start more of these jobs. @param running the names of the rollouts that run */
export const goesOn = (jobs: readonly Pick<Job, 'reason'>[], running: readonly string[]): boolean =>
  running.some((name) => jobs[0]?.reason === reasonOf(name));

/** What needs a person before the others. */
const ORDER = ['failed', 'unknown', 'not_executed', 'running', 'dispatched', 'queued', 'cancelled', 'succeeded'];

const stateOf = ({ outcome, phase }: Pick<Job, 'outcome' | 'phase'>): string => outcome ?? phase;

/** The state that needs a person most, and how many have it; undefined: all. */
export function groupState(jobs: readonly Pick<Job, 'outcome' | 'phase'>[]): {
  state: string;
  count: number | undefined;
} {
  const state = ORDER.find((one) => jobs.some((job) => stateOf(job) === one)) ?? stateOf(jobs[0]!);
  const count = jobs.filter((job) => stateOf(job) === state).length;
  return { state, count: count === jobs.length ? undefined : count };
}

type Times = Pick<Job, 'createdAt' | 'startedAt' | 'endedAt'>;

/** From the first start of some jobs to the last end; null: none has started, or one has not ended. @param jobs the newest first */
export function timesOf(jobs: readonly Times[]): Times {
  const starts = jobs.flatMap(({ startedAt }) => startedAt ?? []).toSorted();
  const ends = jobs.flatMap(({ endedAt }) => endedAt ?? []).toSorted();
  return {
    createdAt: jobs.at(-1)!.createdAt,
    startedAt: starts[0] ?? null,
    endedAt: ends.length === jobs.length ? ends.at(-1)! : null,
  };
}

/** `1 failed, 19 succeeded`. @param wordOf the word of a state */
export function groupText(jobs: readonly Pick<Job, 'outcome' | 'phase'>[], wordOf: (state: string) => string): string {
  const counts = ORDER.map((state) => [state, jobs.filter((job) => stateOf(job) === state).length] as const);
  return counts
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${numberText(count)} ${wordOf(state).toLowerCase()}`)
    .join(', ');
}
