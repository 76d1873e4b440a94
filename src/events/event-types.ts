/*
 * Every type of event, with the fields of its `data`. Triggers in the database make the events (`migrations/`); a test compares
 * them with this table. docs/reference/events.md shows it.
 */

export interface EventType {
  readonly happened: string;
  readonly data: readonly string[];
}

const ROLLOUT = ['name', 'kind', 'state', 'why'];
const WAVE = ['wave', 'state'];
const APPROVAL = ['action', 'requestedBy', 'decidedBy'];
const FAN_OUT = ['startedBy', 'state'];
const ALERT = ['rule', 'severity', 'name'];
const DEVICE_STATE = ['name', 'before', 'reason'];

const quarantined = (what: string): EventType => ({
  happened: `${what}: processes were lost while they worked on it.`,
  data: ['name'],
});

export const EVENT_TYPES: Readonly<Record<string, EventType>> = {
  'job.started': { happened: 'A job was created.', data: ['kind', 'startedBy'] },
  'job.ended': { happened: 'A job ended.', data: ['kind', 'outcome', 'code'] },
  'job.quarantined': { happened: 'A job ended in quarantine.', data: ['kind', 'outcome', 'why'] },
  'rollout.draft': { happened: 'A rollout was planned.', data: ROLLOUT },
  'rollout.awaiting_approval': { happened: 'A rollout waits for the approval of a second person.', data: ROLLOUT },
  'rollout.scheduled': { happened: 'A rollout waits for its start time.', data: ROLLOUT },
  'rollout.running': { happened: 'A rollout started, or was resumed.', data: ROLLOUT },
  'rollout.paused': { happened: 'A rollout was paused.', data: ROLLOUT },
  'rollout.aborting': { happened: 'A rollout is being aborted; some of its jobs have not ended.', data: ROLLOUT },
  'rollout.finished': { happened: 'A rollout finished.', data: ROLLOUT },
  'rollout.aborted': { happened: 'A rollout was aborted.', data: ROLLOUT },
  'rollout.quarantined': quarantined('A rollout was paused'),
  'rollout.wave_waiting': { happened: 'A wave waits again for its start.', data: WAVE },
  'rollout.wave_running': { happened: 'A wave started.', data: WAVE },
  'rollout.wave_soaking': { happened: 'All devices of a wave ended, and its soak time began.', data: WAVE },
  'rollout.wave_passed': { happened: 'A wave passed.', data: WAVE },
  'rollout.wave_accepted': { happened: 'A person resumed the rollout, and accepted a wave that failed.', data: WAVE },
  'rollout.wave_failed': { happened: 'A wave failed.', data: WAVE },
  'device.registered': { happened: 'A device was registered.', data: ['name'] },
  'device.removed': { happened: 'A device was removed.', data: ['name'] },
  'device.new': {
    happened: 'A device has to be looked at again: its address or its trust changed.',
    data: DEVICE_STATE,
  },
  'device.online': { happened: 'A device answers.', data: DEVICE_STATE },
  'device.offline': { happened: 'A device does not answer.', data: DEVICE_STATE },
  'device.credentials_refused': { happened: 'A device refused its stored credentials.', data: DEVICE_STATE },
  'device.trust_changed': { happened: 'A device shows another certificate.', data: DEVICE_STATE },
  'device.identity_conflict': {
    happened: 'Two devices report the same serial number or MAC address; each of them has this event.',
    data: ['name', 'field', 'value'],
  },
  'device.firmware_changed': { happened: 'A device runs another firmware.', data: ['name', 'before', 'after'] },
  'device.sampling_slowed': {
    happened:
      'A device is sampled less often than its policy says: the budget of the month would not last. Once a month.',
    data: ['name', 'everySeconds', 'intervalSeconds'],
  },
  'device.template_suspended': {
    happened:
      'An option of a device was put back to its template three times in seven days: two masters are at work, and no job puts it back. ' +
      'GET /v1/devices/{ref}/templates says which template.',
    data: ['name'],
  },
  'observed.changed': {
    happened:
      'A watch found that a device has another configuration: paths with the names of their options. At most one for each device and pass.',
    data: ['name', 'changes'],
  },
  'alert.opened': { happened: 'A device needs attention: it met a rule for its time.', data: ALERT },
  'alert.acknowledged': { happened: 'A person takes care of an alert.', data: ALERT },
  'alert.closed': { happened: 'A device no longer needs attention, or its rule was disabled or removed.', data: ALERT },
  'backup.quarantined': quarantined('A backup policy was disabled'),
  'schedule.quarantined': quarantined('A schedule was disabled'),
  'webhook.quarantined': quarantined('A webhook was disabled'),
  'lock.set': { happened: 'A lock was set.', data: ['kind', 'by'] },
  'lock.lifted': { happened: 'A lock was lifted.', data: ['kind'] },
  'approval.pending': { happened: 'A request waits for the approval of a second person.', data: APPROVAL },
  'approval.approved': { happened: 'A request was approved.', data: APPROVAL },
  'approval.rejected': { happened: 'A request was rejected.', data: APPROVAL },
  'approval.used': { happened: 'An approved request was carried out.', data: APPROVAL },
  'fanout.running': { happened: 'A stored fan-out started.', data: FAN_OUT },
  'fanout.ended': { happened: 'A stored fan-out ended.', data: FAN_OUT },
  'fanout.interrupted': { happened: 'The gateway stopped, or was lost, during a stored fan-out.', data: FAN_OUT },
  'discovery.started': { happened: 'A search of networks was created.', data: ['addresses', 'startedBy'] },
  'discovery.ended': { happened: 'A search of networks ended.', data: ['state', 'devices'] },
  'artifact.stored': { happened: 'An artifact was stored.', data: ['kind', 'name'] },
  'artifact.removed': { happened: 'An artifact was removed.', data: ['kind', 'name'] },
  'audit.checkpoint': { happened: 'The audit log signed a checkpoint.', data: ['size'] },
  'system.warning': { happened: 'The gateway warns of its state; GET /v1/system says what to do.', data: ['code'] },
};

/** The nouns of the types, such as `job`. */
const NOUNS = new Set(Object.keys(EVENT_TYPES).map(nounOf));

/** @returns whether a name stands for at least one type: a type itself, or `job.*` for all types of a noun */
export function isEventType(name: string): boolean {
  return Object.hasOwn(EVENT_TYPES, name) || (name.endsWith('.*') && NOUNS.has(name.slice(0, -2)));
}

/** What is wrong with a name that stands for no type, with the names that can be meant. */
export function noSuchType(name: string): string {
  const noun = nounOf(name);
  const ofNoun = Object.keys(EVENT_TYPES).filter((type) => nounOf(type) === noun);
  const known = ofNoun.length > 0 ? [`${noun}.*`, ...ofNoun] : [...NOUNS].map((one) => `${one}.*`);
  return `is no type of event: expected one of ${known.join(', ')}`;
}

function nounOf(name: string): string {
  return name.split('.', 1)[0]!;
}
