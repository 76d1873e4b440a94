import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor, systemActor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { PgNotifications } from '../../platform/database/pg-notifications.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { type Device } from './device.entity.js';
import { DeviceMemory } from './device-memory.js';
import { type DeviceTarget, type TargetAccount } from './device.queries.js';
import { parseRef, type RefCondition, refSql } from './device-ref.js';
import { LearnedWrites, type LearnedFacts } from './device-observations.js';

/*
 * What the road to a device asks of the registry: which device a name means, where it is, which account to use; and
 * what the road tells it: what was learned on the way. Operators change the registry through `RegistryService`.
 */

/** Names whose devices are remembered; above it the oldest go. */
const NAMES_SIZE = 50_000;

@Injectable()
export class DevicesService {
  /** Which device a name meant last; what is remembered of that device says whether it still does. */
  private readonly ids = new Map<string, string>();
  private readonly learned: LearnedWrites;
  private readonly listeners = new Set<(deviceId: string) => void>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) private readonly notices: Pick<PgNotifications, 'isListening'>,
    @Inject(DeviceMemory) private readonly memory: DeviceMemory,
  ) {
    this.learned = new LearnedWrites(db, clock);
  }

  /**
   * Finds the device that a reference names.
   * @throws AppError `device_not_found`, `invalid_input`
   */
  async resolve(ref: string): Promise<Readonly<Device>> {
    const condition = parseRef(ref);
    if (condition.column === 'id') return (await this.target(condition.value)).device;
    const known = this.ids.get(ref);
    const remembered = known === undefined ? null : await this.memory.find(known);
    if (remembered && isNamedSo(remembered.device, condition)) return remembered.device;
    const rows = await this.db.query<{ id: string }[]>(`select id from device where ${refSql(condition, '$1')}`, [
      condition.value,
    ]);
    const id = rows[0]?.id;
    if (!id) throw new AppError('device_not_found');
    this.ids.delete(ref); // so that the map stays in the order of age
    this.ids.set(ref, id);
    if (this.ids.size > NAMES_SIZE) this.ids.delete(this.ids.keys().next().value!);
    return (await this.target(id)).device;
  }

  /** What `resolve` finds, where nothing needs to be asked for: a promise costs a call more than the look into memory. */
  recall(ref: string): Readonly<Device> | undefined {
    const condition = parseRef(ref);
    const id = condition.column === 'id' ? condition.value : this.ids.get(ref);
    const device = id === undefined ? undefined : this.memory.peek(id)?.device;
    return device && isNamedSo(device, condition) ? device : undefined;
  }

  /** What `target` finds, where nothing needs to be asked for. */
  recallTarget(deviceId: string): DeviceTarget | undefined {
    return this.memory.peek(deviceId);
  }

  /**
   * What the road needs of a device: as it is, or as it was a moment ago when another process has just changed it.
   * @throws AppError `device_not_found`
   */
  async target(deviceId: string): Promise<DeviceTarget> {
    return this.memory.peek(deviceId) ?? found(await this.memory.find(deviceId));
  }

  /** The same for many devices at once, by their ids; those that are not there any more are left out. */
  targets(deviceIds: readonly string[]): Promise<ReadonlyMap<string, DeviceTarget>> {
    return this.memory.findAll(deviceIds);
  }

  /**
   * The same, before a login: a password that another replica has found to be refused is not sent again.
   * @throws AppError `device_not_found`
   */
  async targetForLogin(deviceId: string): Promise<DeviceTarget> {
    return this.notices.isListening ? this.target(deviceId) : found(await this.memory.ask(deviceId));
  }

  /**
   * Opens the password of an account. Only `proxy/` calls this, for a login.
   * @throws AppError `secret_unreadable`
   */
  openPassword({ id, sealedPassword }: Pick<TargetAccount, 'id' | 'sealedPassword'>): string {
    return this.secrets.open(sealedPassword, passwordPlace(id));
  }

  /**
   * Writes down what a call taught us, as far as it is news. A serial number or MAC that another device has is not
   * taken: the registry stays as the operator made it.
   */
  async learn(deviceId: string, facts: LearnedFacts): Promise<void> {
    const { device } = await this.target(deviceId);
    const { seenAt, ...rest } = facts;
    if (seenAt) this.noteSeen(device, seenAt);
    const news = Object.entries(rest).filter(([field, value]) => device[field as keyof typeof rest] !== value);
    if (news.length === 0) return;
    try {
      await this.learned.add(deviceId, Object.fromEntries(news));
    } finally {
      this.memory.drop(deviceId); // it may have been written before another lesson of the same statement failed
    }
  }

  /** Notes, behind the call, that a device answered. */
  noteSeen(device: Readonly<Device>, at: Date): void {
    this.learned.noteSeen(device, at);
  }

  /** First contact: takes the pin that a device shows, with its audit entry, unless it has one by now. */
  async takePin(deviceId: string, pin: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const [taken] = await tx.query<[unknown[], number]>(
        `update device set trust_pin = $2, updated_at = $3, version = version + 1
          where id = $1 and trust = 'pin' and trust_pin is null returning id`,
        [deviceId, pin, this.clock.now()],
      );
      if (taken.length === 0) return;
      await this.audit.record(tx, {
        actor: systemActor('trust'),
        action: 'device.pin',
        subject: `device:${deviceId}`,
        deviceId,
        facts: { pin, why: 'first contact' },
      });
    });
    this.memory.drop(deviceId);
  }

  /**
   * Notes that a device answers at another address now. Unlike an operator's change of the address, its credentials stay:
   * whoever calls this has proven, by key and serial number, that it is the same device.
   * @throws AppError `device_exists` when another device is registered there
   */
  async move(
    deviceId: string,
    { from, to, serial }: { readonly from: string; readonly to: string; readonly serial: string },
    actor: Actor,
    jobId: string,
  ): Promise<void> {
    await this.db.transaction(async (tx) => {
      const [taken] = await tx.query<unknown[]>('select 1 from device where base_url = $1 and id <> $2', [
        to,
        deviceId,
      ]);
      if (taken) throw new AppError('device_exists', { field: 'baseUrl' });
      const [moved] = await tx.query<[unknown[], number]>(
        `update device set base_url = $3, updated_at = $4, version = version + 1
          where id = $1 and base_url = $2 returning id`,
        [deviceId, from, to, this.clock.now()],
      );
      if (moved.length === 0) return;
      const facts = { from, to, serial };
      await this.audit.record(tx, {
        actor,
        action: 'device.move',
        subject: `device:${deviceId}`,
        deviceId,
        jobId,
        facts,
      });
    });
    this.changed(deviceId);
  }

  /** Calls `listener` whenever this process changed or removed a device. Returns how to stop that. */
  onChange(listener: (deviceId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets what is in memory and tells who holds something of this device. For `RegistryService`. */
  changed(deviceId: string): void {
    this.memory.drop(deviceId);
    for (const listener of this.listeners) listener(deviceId);
  }

  /** Waits until what was learned is committed. */
  async drain(): Promise<void> {
    await this.learned.drain();
  }
}

/** The place that an account's password is sealed for. */
export const passwordPlace = (accountId: string) => ({
  table: 'device_account',
  column: 'sealed_password',
  rowId: accountId,
});

function found(target: DeviceTarget | null): DeviceTarget {
  if (!target) throw new AppError('device_not_found');
  return target;
}

function isNamedSo(device: Readonly<Device>, { column, value }: RefCondition): boolean {
  switch (column) {
    case 'id':
      return device.id === value;
    case 'lower(name)':
      return device.name.toLowerCase() === value.toLowerCase();
    default:
      return device[column] === value;
  }
}
