import { observedText } from '../device/observed-text.js';
import { kindTitle } from '../jobs/kinds.js';

/** What happened to a device at one time. */
export interface DeviceEvent {
  readonly key: string;
  /** Milliseconds. */
  readonly at: number;
  readonly kind: 'job' | 'state' | 'change';
  readonly what: string;
  readonly how: string;
  /** Of a job: how it stands. */
  readonly state?: string;
  readonly jobId?: string;
}

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly phase: string;
  readonly outcome: string | null;
  readonly createdAt: string;
}

interface Change {
  readonly at: string;
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

type StateText = (state: string) => string;

/** Jobs of a device and changes of what it is, the newest first. What was first learned of it at one time is one event. */
export function eventsOf(
  changes: readonly Change[],
  jobs: readonly Job[],
  stateText: StateText,
): readonly DeviceEvent[] {
  const firsts = new Map<string, Change[]>();
  const events: DeviceEvent[] = jobs.map((job) => jobEvent(job, stateText));
  for (const change of changes) {
    if (!isFirst(change)) events.push(changeEvent(change, stateText));
    else firsts.set(change.at, [...(firsts.get(change.at) ?? []), change]);
  }
  for (const [at, some] of firsts)
    events.push(some.length === 1 ? changeEvent(some[0]!, stateText) : identified(at, some));
  return events.toSorted((one, other) => other.at - one.at);
}

const isFirst = ({ field, before }: Change): boolean =>
  field !== 'state' && (before === null || (field === 'profile' && before === 'unknown'));

const jobEvent = ({ id, kind, phase, outcome, createdAt }: Job, stateText: StateText): DeviceEvent => ({
  key: id,
  at: Date.parse(createdAt),
  kind: 'job',
  what: `Job: ${kindTitle(kind)}`,
  how: stateText(outcome ?? phase),
  state: outcome ?? phase,
  jobId: id,
});

const changeEvent = ({ at, field, before, after }: Change, stateText: StateText): DeviceEvent => ({
  key: `${at} ${field}`,
  at: Date.parse(at),
  kind: field === 'state' ? 'state' : 'change',
  what: observedText(field),
  how: [before, after]
    .map((value) => (value === null ? 'none' : field === 'state' ? stateText(value) : value))
    .join(' → '),
});

/** What the first contact said, in the order in which people ask for it. */
const FIRST_FIELDS: readonly string[] = ['model', 'firmware', 'serial', 'mac'];

const identified = (at: string, changes: readonly Change[]): DeviceEvent => ({
  key: at,
  at: Date.parse(at),
  kind: 'change',
  what: 'Identified',
  how: changes
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map(({ field, after }) => `${observedText(field)} ${after ?? 'none'}`)
    .join(' · '),
});

const placeOf = ({ field }: Change): number => (FIRST_FIELDS.includes(field) ? FIRST_FIELDS.indexOf(field) : 9);
