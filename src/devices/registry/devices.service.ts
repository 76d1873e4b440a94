import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor, systemActor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { Secrets } from '../../secrets/secrets.js';
import { type Device } from './device.entity.js';
import { DeviceCache } from './device-cache.js';
import { type DeviceWithAccounts, type RegisteredAccount } from './device.queries.js';
import { parseRef, type RefCondition, refSql } from '../../selectors/device-ref.js';
import { ObservationWriter, type Observations } from './device-observations.js';
import { ShownCertificates } from './shown-certificates.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * The registry for calls: finds devices, addresses and accounts, and stores what calls observe. Operators change the
 * registry through `RegistryService`.
 */

const NAMES_SIZE = 50_000;

/** A proven move of a device to another address. */
export interface DeviceMove {
  readonly from: string;
  readonly to: string;
  readonly serial: string;
  /** Whether `from` becomes the spare address, in the place of another one. */
  readonly keepOld: boolean;
}

@Injectable()
export class DevicesService {
  /** The device of each name at its last use; the cached device shows whether it still has that name. */
  private readonly ids = boundedCache<string, string>(NAMES_SIZE);
  private readonly observations: ObservationWriter;
  private readonly certificates: ShownCertificates;
  private readonly listeners = new Set<(deviceId: string) => void>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'on' | 'isListening'>,
    @Inject(DeviceCache) private readonly cache: DeviceCache,
  ) {
    this.observations = new ObservationWriter(db, clock);
    this.certificates = new ShownCertificates(db, clock);
    notifications.on('device', (deviceId) => this.certificates.forget(deviceId));
  }

  /** @throws AppError `device_not_found`, `invalid_input` */
  async resolve(ref: string): Promise<Readonly<Device>> {
    const condition = parseRef(ref);
    if (condition.column === 'id') return (await this.get(condition.value)).device;
    const known = this.ids.get(ref);
    const cached = known === undefined ? null : await this.cache.find(known);
    if (cached && isNamedSo(cached.device, condition)) return cached.device;
    const rows = await this.db.query<{ id: string }[]>(`select id from device where ${refSql(condition, '$1')}`, [
      condition.value,
    ]);
    const id = rows[0]?.id;
    if (!id) throw new AppError('device_not_found');
    this.ids.set(ref, id);
    return (await this.get(id)).device;
  }

  /** As `resolve`, only from the cache: a promise costs a call more than the look-up. */
  resolveCached(ref: string): DeviceWithAccounts | undefined {
    const condition = parseRef(ref);
    const id = condition.column === 'id' ? condition.value : this.ids.get(ref);
    const known = id === undefined ? undefined : this.cache.peek(id);
    return known && isNamedSo(known.device, condition) ? known : undefined;
  }

  /** As `get`, only from the cache. */
  getCached(deviceId: string): DeviceWithAccounts | undefined {
    return this.cache.peek(deviceId);
  }

  /** It may be outdated for a moment after a change by another process. @throws AppError `device_not_found` */
  async get(deviceId: string): Promise<DeviceWithAccounts> {
    return this.cache.peek(deviceId) ?? found(await this.cache.find(deviceId));
  }

  /** As `get`, for many devices by their ids; missing ones are omitted. */
  getMany(deviceIds: readonly string[]): Promise<ReadonlyMap<string, DeviceWithAccounts>> {
    return this.cache.findAll(deviceIds);
  }

  /**
   * As `get`, but from the database while no notifications arrive: another replica may have found the password refused.
   * @throws AppError `device_not_found`
   */
  async getForLogin(deviceId: string): Promise<DeviceWithAccounts> {
    return this.notifications.isListening ? this.get(deviceId) : found(await this.cache.ask(deviceId));
  }

  /** For a login, a rotation of the password, and a comparison with a backup. @throws AppError `secret_unreadable` */
  openPassword({ id, sealedPassword }: Pick<RegisteredAccount, 'id' | 'sealedPassword'>): string {
    return this.secrets.open(sealedPassword, passwordLocation(id));
  }

  /** A serial number or MAC of another device is stored as a claim, with all the other facts. */
  async storeObservations(deviceId: string, facts: Observations): Promise<void> {
    const { device } = await this.get(deviceId);
    const { seenAt, ...rest } = facts;
    if (seenAt) this.noteSeen(device, seenAt);
    const changes = Object.entries(rest).filter(([field, value]) => isNews(device, field, value));
    if (changes.length === 0) return;
    try {
      await this.observations.add(deviceId, Object.fromEntries(changes));
    } finally {
      this.cache.drop(deviceId); // it may have been written although another observation of the statement failed
    }
  }

  /** Records after the call that a device answered. */
  noteSeen(device: Readonly<Device>, at: Date): void {
    this.observations.noteSeen(device, at);
  }

  /** Records the certificate (DER) that a device showed in a handshake. */
  noteCertificate(deviceId: string, der: Buffer): void {
    this.certificates.note(deviceId, der);
  }

  /** First contact: stores the pin that a device offers, with its audit entry, unless it has one by now. */
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
    this.cache.drop(deviceId);
  }

  /**
   * Records that a device now answers at another address. Unlike an operator's change of the address, it keeps the
   * credentials: the caller has proven, by key and serial number, that it is the same device.
   * @throws AppError `device_exists` when another device is registered there
   */
  async move(deviceId: string, { from, to, serial, keepOld }: DeviceMove, actor: Actor, jobId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.requireFree(to, deviceId, tx);
      const [moved] = await tx.query<[unknown[], number]>(
        `update device
            set base_url = $3, by_spare = false, updated_at = $4, version = version + 1,
                spare_url = case when $5 then base_url else nullif(spare_url, $3) end
          where id = $1 and base_url = $2 returning id`,
        [deviceId, from, to, this.clock.now(), keepOld],
      );
      if (moved.length === 0) return;
      const facts = { from, to, serial, ...(keepOld ? { spare: from } : {}) };
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

  /** @throws AppError `device_exists` when another device is registered at this address */
  async requireFree(address: string, deviceId: string, tx: Pick<EntityManager, 'query'> = this.db): Promise<void> {
    const [taken] = await tx.query<unknown[]>(
      'select 1 from device where (base_url = $1 or spare_url = $1) and id <> $2',
      [address, deviceId],
    );
    if (taken) throw new AppError('device_exists', { field: 'baseUrl' });
  }

  /** For devices that this process changed or removed. @returns a function that removes the listener */
  onChange(listener: (deviceId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Drops the device from the cache and calls the listeners. For `RegistryService`. */
  changed(deviceId: string): void {
    this.cache.drop(deviceId);
    this.certificates.forget(deviceId);
    for (const listener of this.listeners) listener(deviceId);
  }

  /** Waits until all observations are committed. */
  async drain(): Promise<void> {
    await this.observations.drain();
    await this.certificates.drain();
  }
}

/** What is known is no news. A claim always is: the other device may have been removed, or have another fact by now. */
function isNews(device: Readonly<Device>, field: string, value: unknown): boolean {
  if (field === 'serial' && device.claimedSerial !== null) return true;
  if (field === 'mac' && device.claimedMac !== null) return true;
  return !isDeepStrictEqual(device[field as keyof Observations], value);
}

/** The location for which an account's password is sealed. */
export const passwordLocation = (accountId: string) => ({
  table: 'device_account',
  column: 'sealed_password',
  rowId: accountId,
});

function found(registered: DeviceWithAccounts | null): DeviceWithAccounts {
  if (!registered) throw new AppError('device_not_found');
  return registered;
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
