import { countText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';
import { actOf } from './entry-act.js';

/*
 * The entries of one job, one rollout or one fan-out as one row of the log. Only what the page has read is joined: each entry stays
 * as it was written, and is shown when its row is opened.
 */

type Entry = components['schemas']['AuditEntry'];

export interface EntryGroup {
  readonly key: string;
  /** The newest first, as in the log. */
  readonly entries: readonly [Entry, ...Entry[]];
  /** `started firmware updates on 25 devices: 24 succeeded, 1 failed`; null: it is one entry, which has words of its own. */
  readonly text: string | null;
  /** They are no work, but equal acts in a row. */
  readonly isFolded: boolean;
  /** As of an entry; null: it is under way. */
  readonly outcome: Entry['outcome'];
}

const ROLLOUT = /^rollout ./;

/** Entries with the same key are of one work: of a rollout by its name, else of a job or a fan-out. */
function keyOf({ id, jobId, operationId, reason, actor }: Entry): string {
  if (jobId !== null && reason !== null && ROLLOUT.test(reason)) return `${actor} ${reason}`;
  return jobId ?? operationId ?? id;
}

/** The rows of a log, in the order of the newest entry of each. */
export function entryGroups(entries: readonly Entry[]): readonly EntryGroup[] {
  const found = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const own = found.get(key);
    if (own) own.push(entry);
    else found.set(key, [entry]);
  }
  return folded([...found].map(([key, own]) => ({ key, entries: own, isFolded: false, ...summaryOf(own) })));
}

/** Equal acts of one person in a row are one row: `3 × Signed in`. */
function folded(groups: readonly EntryGroup[]): readonly EntryGroup[] {
  const rows: EntryGroup[] = [];
  for (const group of groups) {
    const before = rows.at(-1);
    if (!before || !isSame(before, group)) {
      rows.push(group);
      continue;
    }
    const entries: EntryGroup['entries'] = [...before.entries, ...group.entries];
    const text = `${entries.length} × ${actOf(entries[0])}`;
    rows[rows.length - 1] = { key: `same ${group.key}`, entries, isFolded: true, text, outcome: group.outcome };
  }
  return rows;
}

/** A row of one entry, and of such ones. */
function isSame(before: EntryGroup, { entries: [one], text }: EntryGroup): boolean {
  const [other] = before.entries;
  return (
    (before.isFolded || before.text === null) &&
    text === null &&
    one.actor === other.actor &&
    one.outcome === other.outcome &&
    actOf(one) === actOf(other)
  );
}

function summaryOf(entries: readonly [Entry, ...Entry[]]): Pick<EntryGroup, 'text' | 'outcome'> {
  const [newest] = entries;
  if (entries.length === 1) return { text: null, outcome: newest.outcome };
  const ends = entries.filter(({ action }) => action === 'job.end');
  const isOfJobs = entries.some(({ jobId }) => jobId !== null);
  const judged = isOfJobs ? ends : entries.filter(({ deviceId }) => deviceId !== null);
  const devices = new Set(entries.flatMap(({ deviceId }) => (deviceId === null ? [] : [deviceId]))).size;
  const outcome = worstOf(
    isOfJobs && ends.length < devices ? [...judged.map((one) => one.outcome), null] : judged.map((one) => one.outcome),
  );
  const { one, many, done } = workOf(entries);
  if (isOfJobs && devices === 1) return { text: outcome === 'succeeded' ? done : `started ${one}`, outcome };
  const what = isOfJobs ? `started ${many} on` : 'sent calls to';
  return { text: `${what} ${countText(devices, 'device')}${countsOf(judged, devices)}`, outcome };
}

interface Work {
  /** `a firmware update`. */
  readonly one: string;
  readonly many: string;
  /** What it was, where it has succeeded. */
  readonly done: string;
}

const JOB: Work = { one: 'a job', many: 'jobs', done: 'ended a job' };

const WORK: Readonly<Record<string, Work>> = {
  backup: { one: 'a backup', many: 'backups', done: 'backed up' },
  call: { one: 'a call', many: 'calls', done: 'sent a call' },
  certificates: { one: 'a job of certificates', many: 'jobs of certificates', done: 'issued certificates' },
  configure: { one: 'a change of settings', many: 'changes of settings', done: 'changed settings' },
  credentials: { one: 'a change of the login', many: 'changes of the login', done: 'changed the login' },
  firmware: { one: 'a firmware update', many: 'firmware updates', done: 'updated the firmware' },
  move: { one: 'a move to another address', many: 'moves to other addresses', done: 'moved to another address' },
  reboot: { one: 'a restart', many: 'restarts', done: 'restarted' },
  restore: { one: 'a restore', many: 'restores', done: 'restored a backup' },
  upload: { one: 'an upload', many: 'uploads', done: 'uploaded a file' },
  users: { one: 'a change of users', many: 'changes of users', done: 'changed users' },
};

/** By the facts that the start and the end of a job have. */
function workOf(entries: readonly Entry[]): Work {
  const kind = entries.map(({ facts }) => facts['kind']).find((one) => typeof one === 'string');
  return WORK[kind ?? ''] ?? JOB;
}

const WORDS: Readonly<Record<string, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  refused: 'refused',
  unknown: 'unknown',
};

/** `: 24 succeeded, 1 failed`. */
function countsOf(judged: readonly Entry[], devices: number): string {
  const parts = Object.entries(WORDS).flatMap(([outcome, word]) => {
    const count = judged.filter((one) => one.outcome === outcome).length;
    return count === 0 ? [] : [devices === 1 && judged.length === 1 ? word : `${count} ${word}`];
  });
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

const BY_WEIGHT = ['failed', 'unknown', 'refused'] as const;

const worstOf = (outcomes: readonly Entry['outcome'][]): Entry['outcome'] =>
  BY_WEIGHT.find((one) => outcomes.includes(one)) ??
  (outcomes.includes(null) || outcomes.length === 0 ? null : 'succeeded');
