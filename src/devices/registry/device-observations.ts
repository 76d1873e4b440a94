import { type DataSource } from 'typeorm';
import { type Clock } from '../../platform/clock.js';
import { Batching } from '../../database/batching.js';
import { storableJson } from '../../database/storable.js';
import { isWrongValue } from '../../platform/wrong-value.js';
import { type Device } from './device.entity.js';
import { DEVICE_COLUMNS } from './device.queries.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Stores what calls observe about devices, for many devices in one statement: an outage of a site, or a fan-out that
 * reaches all devices, is thousands of observations at once. History lines come from the row itself, so two replicas
 * with the same observation write one line.
 */

/** What a call observed. Only given fields with a new value are written. */
export type Observations = Readonly<
  Partial<
    Pick<
      Device,
      | 'offeredPin'
      | 'offeredCertificate'
      | 'profile'
      | 'apiVersion'
      | 'serialUnreadable'
      | 'state'
      | 'stateReason'
      | 'failedChecks'
      | 'bySpare'
    >
  >
> & {
  readonly [Fact in 'serial' | 'mac' | 'model' | 'firmware' | 'networkOperator' | 'seenAt']?: NonNullable<Device[Fact]>;
};

/** The time of the last answer is written separately. */
type ObservedFacts = Omit<Observations, 'seenAt'>;
type Field = keyof ObservedFacts;

/** Fields with a history, which shows when a device was away and since when it runs its firmware. */
const HISTORY: readonly (Field | 'claimedSerial' | 'claimedMac')[] = [
  'state',
  'firmware',
  'serial',
  'claimedSerial',
  'mac',
  'claimedMac',
  'model',
  'profile',
  'apiVersion',
];

const OVERWRITTEN: readonly Field[] = [
  'state',
  'firmware',
  'model',
  'profile',
  'apiVersion',
  'networkOperator',
  'offeredPin',
  'stateReason',
];

/** The interval at which a busy device's last answer is stored. */
const SEEN_EVERY_MS = 30_000;

const SEEN_GATHERED_MS = 300;

/** The most devices whose last write is cached; the oldest go first, and are written once more than needed. */
const SEEN_SIZE = 100_000;

interface Observation {
  readonly deviceId: string;
  readonly observed: ObservedFacts;
}

const assignments = OVERWRITTEN.map(
  (field) =>
    `${DEVICE_COLUMNS[field]} = case when observed ? '${field}' then observed->>'${field}' else device.${DEVICE_COLUMNS[field]} end`,
);
/*
 * A fact that another device of the registry has is stored as a claim, so that nothing else of the observation is lost.
 * Another serial number means another device: an operator decides about that.
 */
assignments.push(
  `offered_certificate = case when observed ? 'offeredCertificate' then nullif(observed->'offeredCertificate', 'null') else device.offered_certificate end`,
  `serial = coalesce(device.serial, case when not serial_taken then observed->>'serial' end)`,
  `claimed_serial = case when not observed ? 'serial' then device.claimed_serial
                         when device.serial is null and serial_taken then observed->>'serial' end`,
  `failing_since = case when device.failed_checks = 0 and (observed->>'failedChecks')::integer > 0 then $2 else device.failing_since end`,
  `failed_checks = coalesce((observed->>'failedChecks')::integer, device.failed_checks)`,
  `serial_unreadable = coalesce((observed->>'serialUnreadable')::boolean, device.serial_unreadable)`,
  `by_spare = device.spare_url is not null and coalesce((observed->>'bySpare')::boolean, device.by_spare)`,
  // A device that answers for the first time while its identity is due is asked at once.
  // One that is away by a call is looked for at its spare address at once.
  `probe_at = case when observed->>'state' = 'online' and device.state <> 'online' and device.identify_at <= $2
                     or observed->>'state' = 'offline' and device.state <> 'offline' and device.spare_url is not null
                   then '-infinity' else device.probe_at end`,
  `mac = case when observed ? 'mac' and not mac_taken then observed->>'mac' else device.mac end`,
  `claimed_mac = case when not observed ? 'mac' then device.claimed_mac when mac_taken then observed->>'mac' end`,
);
const addressOf = (row: string) => `case when ${row}.by_spare then ${row}.spare_url else ${row}.base_url end`;
const isTaken = (column: string) =>
  `exists (select from device other where other.${column} = observed->>'${column}' and other.id <> was.id) as ${column}_taken`;
const histories = HISTORY.map((field) => DEVICE_COLUMNS[field]).map(
  (column) => `('${column}', was.${column}, now.${column})`,
);
histories.push(`('address', ${addressOf('was')}, ${addressOf('now')})`);

/** Rows are locked in the order of their ids, so that replicas with the same devices do not deadlock. */
const WRITE = `
  with given as (
    select (observation->>'deviceId')::uuid as id, observation->'observed' as observed from jsonb_array_elements($1::jsonb) as observation
  ), was as (
    select device.* from device where id in (select id from given) order by id for no key update
  ), now as (
    update device
       set ${assignments.join(', ')}
      from (select was.id, observed, ${isTaken('serial')}, ${isTaken('mac')} from given join was using (id)) as told
     where device.id = told.id
    returning device.*
  )
  insert into device_change (device_id, at, field, before, after, reason)
  select id, $2, field, before, after, case when field = 'state' then now.state_reason end
    from was join now using (id)
    cross join lateral (values ${histories.join(', ')}) as news (field, before, after)
   where before is distinct from after`;

/** The time of the last answer has no history and no version, so a plain update is enough. */
const WRITE_SEEN = `
  with given as (
    select * from unnest($1::uuid[], $2::timestamptz[]) as given (id, at)
  ), ours as materialized (
    select id from device where id in (select id from given) order by id for no key update
  )
  update device set seen_at = greatest(device.seen_at, given.at) from given join ours using (id) where device.id = given.id`;

/** Devices of one statement: other changes of these devices wait for it. */
const SEEN_AT_ONCE = 500;

export class ObservationWriter {
  private readonly observations: Batching<Observation>;
  private readonly seen = boundedCache<string, number>(SEEN_SIZE);
  private readonly waiting = new Map<string, Date>();
  private timer: NodeJS.Timeout | null = null;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly clock: Clock,
  ) {
    this.observations = new Batching((observations) => this.writeAll(observations));
  }

  /** Resolves when the observation is committed. A serial number or MAC of another device is stored as a claim. */
  add(deviceId: string, observed: ObservedFacts): Promise<void> {
    return this.observations.add({ deviceId, observed });
  }

  /** Records after the call that a device answered; at most twice a minute for each device. */
  noteSeen({ id, seenAt }: Pick<Device, 'id' | 'seenAt'>, at: Date): void {
    const storedMs = this.seen.get(id) ?? seenAt?.getTime() ?? 0;
    if (at.getTime() - storedMs < SEEN_EVERY_MS) return;
    this.seen.set(id, at.getTime());
    this.waiting.set(id, at);
    this.timer ??= setTimeout(() => this.flushSeen(), SEEN_GATHERED_MS);
  }

  /** Waits until all given observations are committed. */
  async drain(): Promise<void> {
    this.flushSeen();
    await this.flushing;
    await this.observations.drain();
  }

  private flushSeen(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const seen = [...this.waiting];
    this.waiting.clear();
    this.flushing = this.flushing.then(() => this.writeSeen(seen));
  }

  /** Does not fail: the next call records unwritten devices again. */
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

  /** One statement for all; the group is written in halves when a value is wrong. */
  private async writeAll(observations: readonly Observation[]): Promise<void> {
    const byDevice = new Map<string, ObservedFacts>();
    for (const { deviceId, observed } of observations)
      byDevice.set(deviceId, { ...byDevice.get(deviceId), ...observed });
    const [one, ...others] = byDevice;
    await (one && others.length === 0 ? this.writeOne(one) : this.write([...byDevice]));
  }

  /** A fact that cannot be stored must not take the others with it: they are written one by one then. */
  private async writeOne([deviceId, observed]: [string, ObservedFacts]): Promise<void> {
    const parts = Object.entries(observed).map(([field, value]) => ({ [field]: value }));
    try {
      await this.write([[deviceId, observed]]);
    } catch (error) {
      if (!isWrongValue(error)) throw error;
      for (const part of parts) await this.write([[deviceId, part]]).catch(ignoreWrongValue);
    }
  }

  private async write(observations: readonly [string, ObservedFacts][]): Promise<void> {
    const lines = observations.map(([deviceId, observed]) => ({ deviceId, observed }));
    await this.db.query(WRITE, [storableJson(lines), this.clock.now()]);
  }
}

function ignoreWrongValue(error: unknown): void {
  if (!isWrongValue(error)) throw error;
}
