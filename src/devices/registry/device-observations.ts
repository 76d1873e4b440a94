import { type DataSource } from 'typeorm';
import { type Clock } from '../../platform/clock.js';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { storableJson } from '../../platform/database/storable.js';
import { isWrongValue } from '../../platform/wrong-value.js';
import { type Device } from './device.entity.js';
import { DEVICE_COLUMNS } from './device.queries.js';

/*
 * What calls teach about devices, written down for many devices by one statement: a site that goes away, or a fan-out
 * that finds everybody there, is thousands of lessons at once. What has a history gets its line from the row itself, so
 * that two replicas that learn the same write it once.
 */

/** What a call taught us. Only the fields that are given and differ are written. */
export interface LearnedFacts {
  readonly offeredPin?: string | null;
  readonly profile?: Device['profile'];
  readonly apiVersion?: string | null;
  readonly serial?: string;
  readonly mac?: string;
  readonly model?: string;
  readonly firmware?: string;
  readonly state?: Device['state'];
  readonly stateReason?: string | null;
  readonly seenAt?: Date;
}

/** When a device was seen is no lesson: it is written by itself. */
type Facts = Omit<LearnedFacts, 'seenAt'>;
type Field = keyof Facts;

/** What has a history: who reads it wants to know when a device was away, and since when it runs its firmware. */
const HISTORY: readonly Field[] = ['state', 'firmware', 'serial', 'mac', 'model', 'profile', 'apiVersion'];

const OVERWRITTEN: readonly Field[] = [...HISTORY.filter((field) => field !== 'serial'), 'offeredPin', 'stateReason'];

/** A device that is called all the time is noted as seen this often. */
const SEEN_EVERY_MS = 30_000;

/** Devices that were seen are gathered for so long before they are written down. */
const SEEN_TOGETHER_MS = 300;

/** Devices whose last note is remembered; above it the oldest go, and are noted once more than needed. */
const SEEN_SIZE = 100_000;

interface Lesson {
  readonly deviceId: string;
  readonly facts: Facts;
}

const assignments = OVERWRITTEN.map(
  (field) =>
    `${DEVICE_COLUMNS[field]} = case when facts ? '${field}' then facts->>'${field}' else device.${DEVICE_COLUMNS[field]} end`,
);
/** Another serial number than the known one is another device: a person decides about that. */
assignments.push(`serial = coalesce(device.serial, facts->>'serial')`);
const histories = HISTORY.map((field) => DEVICE_COLUMNS[field]).map(
  (column) => `('${column}', was.${column}, now.${column})`,
);

/** Rows are locked in the order of their ids, so that replicas that learn of the same devices do not block each other. */
const WRITE = `
  with given as (
    select (lesson->>'deviceId')::uuid as id, lesson->'facts' as facts from jsonb_array_elements($1::jsonb) as lesson
  ), was as (
    select device.* from device where id in (select id from given) order by id for update
  ), now as (
    update device
       set ${assignments.join(', ')}
      from given join was using (id) where device.id = given.id
    returning device.*
  )
  insert into device_change (device_id, at, field, before, after)
  select id, $2, field, before, after
    from was join now using (id)
    cross join lateral (values ${histories.join(', ')}) as news (field, before, after)
   where before is distinct from after`;

/** When devices were seen has no history and belongs to no version, so that a plain update does. */
const WRITE_SEEN = `
  with given as (
    select * from unnest($1::uuid[], $2::timestamptz[]) as given (id, at)
  ), ours as materialized (
    select id from device where id in (select id from given) order by id for no key update
  )
  update device set seen_at = greatest(device.seen_at, given.at) from given join ours using (id) where device.id = given.id`;

/** Devices that one statement notes as seen: those who change one of them meanwhile wait for it. */
const SEEN_AT_ONCE = 500;

export class LearnedWrites {
  private readonly lessons: GroupCommit<Lesson>;
  private readonly seen = new Map<string, number>();
  private readonly waiting = new Map<string, Date>();
  private timer: NodeJS.Timeout | null = null;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly clock: Clock,
  ) {
    this.lessons = new GroupCommit((lessons) => this.writeAll(lessons));
  }

  /** Resolves when the facts are committed. A serial number or MAC that another device has is left out. */
  add(deviceId: string, facts: Facts): Promise<void> {
    return this.lessons.add({ deviceId, facts });
  }

  /** Notes, behind the call, that a device answered; at most twice a minute for each device. */
  noteSeen({ id, seenAt }: Pick<Device, 'id' | 'seenAt'>, at: Date): void {
    const noted = this.seen.get(id) ?? seenAt?.getTime() ?? 0;
    if (at.getTime() - noted < SEEN_EVERY_MS) return;
    this.seen.delete(id); // so that the map stays in the order of age
    this.seen.set(id, at.getTime());
    if (this.seen.size > SEEN_SIZE) this.seen.delete(this.seen.keys().next().value!);
    this.waiting.set(id, at);
    this.timer ??= setTimeout(() => this.flushSeen(), SEEN_TOGETHER_MS);
  }

  /** Waits until everything that was handed in is committed. */
  async drain(): Promise<void> {
    this.flushSeen();
    await this.flushing;
    await this.lessons.drain();
  }

  private flushSeen(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const seen = [...this.waiting];
    this.waiting.clear();
    this.flushing = this.flushing.then(() => this.writeSeen(seen));
  }

  /** Does not fail: those that could not be written are noted again by their next call. */
  private async writeSeen(seen: readonly [string, Date][]): Promise<void> {
    for (let from = 0; from < seen.length; from += SEEN_AT_ONCE) {
      const part = seen.slice(from, from + SEEN_AT_ONCE);
      try {
        await this.db.query(WRITE_SEEN, [part.map(([id]) => id), part.map(([, at]) => at)]);
      } catch {
        for (const [id] of part) this.seen.delete(id);
      }
    }
  }

  /** One statement for all; the group is written in halves where a value of one is wrong. */
  private async writeAll(lessons: readonly Lesson[]): Promise<void> {
    const byDevice = new Map<string, Facts>();
    for (const { deviceId, facts } of lessons) byDevice.set(deviceId, { ...byDevice.get(deviceId), ...facts });
    const [one, ...others] = byDevice;
    await (one && others.length === 0 ? this.writeOne(one) : this.write([...byDevice]));
  }

  private async writeOne([deviceId, facts]: [string, Facts]): Promise<void> {
    try {
      await this.write([[deviceId, facts]]);
    } catch (error) {
      if (!isWrongValue(error)) throw error;
      // The registry stays as the operator made it.
      const { serial: _serial, mac: _mac, ...rest } = facts;
      await this.write([[deviceId, rest]]);
    }
  }

  private async write(lessons: readonly [string, Facts][]): Promise<void> {
    const lines = lessons.map(([deviceId, facts]) => ({ deviceId, facts }));
    await this.db.query(WRITE, [storableJson(lines), this.clock.now()]);
  }
}
