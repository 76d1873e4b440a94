import { type DeviceScope, EVERY_PATH } from '../platform/actor.js';
import { scopeOfObserved, type SelectorReader } from './measures.js';

/*
 * Terms about what the gateway has of a device, by words: `credentials:none`, `spare:used`, `backup:none`, `job:failed`,
 * `observed:failed`, `template:base`, `sync:drifted`, `lock:any`. They exist as SQL only, as those of `measures.ts`. Pure.
 */

/** How a device compares with a template. */
export const SYNC_STATES = ['in_sync', 'pending', 'drifted', 'both', 'suspended', 'unread', 'left_out'] as const;

const WORDS = {
  /** Whether a login is stored. */
  credentials: ['none', 'stored'],
  /** Whether it has a spare address, and whether calls go there now. */
  spare: ['none', 'stored', 'used'],
  backup: ['none'],
  /** Whether a job has begun and not ended; the outcome of the latest one that has ended. */
  job: ['running', 'failed'],
  /** Whether a watch could not read a path that the device has, or the device itself. */
  observed: ['failed'],
  /** The published templates that reach it, by name; `readWord` has the names. */
  template: [],
  /** Its state for any of them, or for one: `sync:base/drifted`. */
  sync: SYNC_STATES,
  /** The locks in force of devices and selectors: `selector-expansion.ts` puts what they name in the place of the term. */
  lock: ['any'],
} as const;
export type RecordName = keyof typeof WORDS;

export const RECORD_NAMES = Object.keys(WORDS) as RecordName[];

export const isRecord = (name: string): name is RecordName => Object.hasOwn(WORDS, name);

/** A group of `GET /v1/observed`: the path, and the digest of the body that its devices had at the last pass. */
const GROUP = /^(\/api\/[A-Za-z0-9_/.-]{1,295})\/([0-9a-f]{64})$/;

const TEMPLATE = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** A state for one template. */
const SYNC = /^([a-z0-9][a-z0-9_-]{0,62})\/([a-z_]+)$/;

/** @returns the word in its one form; null: the record has no such word */
export function readWord(name: RecordName, text: string): string | null {
  if (name === 'observed' && GROUP.test(text)) return text;
  const word = text.toLowerCase();
  if (name === 'template') return TEMPLATE.test(word) ? word : null;
  const state = name === 'sync' ? (SYNC.exec(word)?.[2] ?? word) : word;
  return (WORDS[name] as readonly string[]).includes(state) ? word : null;
}

/** What may stand after the name, for a message. */
export const wordsText = (name: RecordName): string => [...WORDS[name], ...(MORE_WORDS[name] ?? [])].join(' or ');

const MORE_WORDS: Readonly<Partial<Record<RecordName, readonly string[]>>> = {
  observed: ['a path and a digest'],
  template: ['the name of a template'],
  sync: ['a template and a state such as base/drifted'],
};

/** A condition on table `device` for each word, true or false for every row. */
const SQL: Readonly<Record<string, string>> = {
  'credentials:stored': "exists (select from device_account where device_id = device.id and purpose = 'main')",
  'credentials:none': "not exists (select from device_account where device_id = device.id and purpose = 'main')",
  'spare:none': 'device.spare_url is null',
  'spare:stored': 'device.spare_url is not null',
  'spare:used': 'device.by_spare',
  'backup:none': "not exists (select from artifact where artifact.device_id = device.id and artifact.kind = 'backup')",
  'job:running': `exists (select from job where job.device_id = device.id and job.phase <> 'ended' and job.started_at is not null)`,
  'job:failed': `coalesce((
    select job.outcome = 'failed' from job where job.device_id = device.id and job.phase = 'ended'
     order by job.created_at desc, job.id desc limit 1), false)`,
  'observed:failed': `(device.id in (select device_id from observed where error <> 'not_there')
    or device.id in (select device_id from watched_device where last_error is not null or refused_paths <> '{}'))`,
};

/** @param param adds a value to the statement. @throws Error for a lock, which was not expanded */
export function recordSql(name: RecordName, word: string, param: (value: unknown) => string): string {
  const [, path, digest] = GROUP.exec(word) ?? [];
  if (digest)
    return `device.id in (select device_id from observed where path = ${param(path)} and digest = ${param(digest)} and error is null)`;
  if (name === 'template' || name === 'sync') {
    const [, template = name === 'template' ? word : null, state = name === 'sync' ? word : null] =
      SYNC.exec(word) ?? [];
    const own = template && `template_id = (select id from template where name = ${param(template)})`;
    const conditions = [own, state && `state = ${param(state)}`].filter(Boolean);
    return `device.id in (select device_id from template_state where ${conditions.join(' and ')})`;
  }
  const condition = SQL[`${name}:${word}`];
  if (condition === undefined) throw new Error(`The term ${name}:${word} was not expanded`);
  return condition;
}

/** The devices on which the reader may read it; null: all that they see. */
export function scopeOfRecord(name: RecordName, word: string, reader: SelectorReader): DeviceScope | null {
  if (name === 'observed') return scopeOfObserved(reader, GROUP.exec(word)?.[1]);
  if (name === 'template' || name === 'sync') {
    // The paths of a template are not known here: a term matches only where the reader may read all of them.
    const rights = (['template.read', 'observed.read', 'device.call_read'] as const).map((one) =>
      reader.scope(one, EVERY_PATH),
    );
    const scopes = rights.filter((scope) => scope !== null);
    return scopes.length === 0 ? null : (values, now) => scopes.map((scope) => scope(values, now)).join(' and ');
  }
  return name === 'backup' || name === 'job' ? reader.scope('job.read') : null;
}
