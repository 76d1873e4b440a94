import { Inject, Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { Audit } from '../audit/audit.js';
import { systemActor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { Secrets } from '../platform/secrets.js';
import { type AccountPurpose, Device, DeviceAccount } from './device.entity.js';
import { parseRef } from './device-ref.js';

/*
 * What the road to a device asks of the registry: which device a name means, where it is, which account to use; and
 * what the road tells it: what was learned on the way. Operators change the registry through `RegistryService`.
 */

/** An account as the road needs it: without its password. */
export interface TargetAccount {
  readonly id: string;
  readonly purpose: AccountPurpose;
  readonly username: string;
  readonly failedLogins: number;
  readonly changedAt: Date;
}

/** Everything the road needs to know. */
export interface DeviceTarget {
  readonly device: Readonly<Device>;
  readonly account: TargetAccount | null;
  /** The account that reads go through, where the device has one. */
  readonly readAccount: TargetAccount | null;
}

/** What a call taught us. Only the fields that are given and differ are written. */
export interface LearnedFacts {
  readonly trustPin?: string;
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

const COLUMNS: Readonly<Record<keyof LearnedFacts, string>> = {
  trustPin: 'trust_pin',
  offeredPin: 'offered_pin',
  profile: 'profile',
  apiVersion: 'api_version',
  serial: 'serial',
  mac: 'mac',
  model: 'model',
  firmware: 'firmware',
  state: 'state',
  stateReason: 'state_reason',
  seenAt: 'seen_at',
};

/** What has a history: who reads it wants to know when a device was away, and since when it runs its firmware. */
const HISTORY: ReadonlySet<keyof LearnedFacts> = new Set([
  'state',
  'firmware',
  'serial',
  'mac',
  'model',
  'profile',
  'apiVersion',
]);

/** How long an answer from memory may be old: a change made by another replica is in force within this time. */
const MEMORY_MS = 1_000;

/** A device that is called all the time is noted as seen this often. */
const SEEN_EVERY_MS = 30_000;

/** Devices held in memory; above it the oldest go. A target is about 1 KB. */
const MEMORY_SIZE = 50_000;

interface Remembered<Value> {
  readonly value: Value;
  readonly until: number;
}

@Injectable()
export class DevicesService {
  private readonly targets = new Map<string, Remembered<DeviceTarget>>();
  /** Looked up at this moment: all who ask for the same device meanwhile wait for the one answer. */
  private readonly looking = new Map<string, Promise<DeviceTarget>>();
  private readonly ids = new Map<string, Remembered<string>>();
  /** Counts up with every change that this process makes. */
  private changes = 0;
  private readonly listeners = new Set<(deviceId: string) => void>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Finds the device that a reference names.
   * @throws AppError `device_not_found`, `invalid_input`
   */
  async resolve(ref: string): Promise<Readonly<Device>> {
    return (await this.target(await this.idOf(ref))).device;
  }

  /** Whether an id is that of a device, and what the road needs of it; at most a second old. */
  async target(deviceId: string): Promise<DeviceTarget> {
    const known = this.recall(this.targets, deviceId) ?? this.looking.get(deviceId);
    if (known) return known;
    const looking = this.freshTarget(deviceId).finally(() => {
      if (this.looking.get(deviceId) === looking) this.looking.delete(deviceId);
    });
    this.looking.set(deviceId, looking);
    return looking;
  }

  /** The same, as it stands in the database now: before a login, which another replica may have found to be refused. */
  async freshTarget(deviceId: string): Promise<DeviceTarget> {
    const { changes } = this;
    const device = await this.db.manager.findOneBy(Device, { id: deviceId });
    if (!device) throw new AppError('device_not_found');
    const accounts = await this.db.manager.findBy(DeviceAccount, { deviceId });
    const accountFor = (purpose: AccountPurpose) => accounts.find((account) => account.purpose === purpose);
    const target: DeviceTarget = {
      device,
      account: targetAccount(accountFor('main')),
      readAccount: targetAccount(accountFor('read')),
    };
    // What was read while something changed may be what was before: it is used once and not kept.
    if (changes === this.changes) this.remember(this.targets, deviceId, target);
    return target;
  }

  /**
   * Opens the password of an account. Only `proxy/` calls this, for a login.
   * @throws AppError `device_has_no_credentials`, `secret_unreadable`
   */
  async openPassword(accountId: string): Promise<string> {
    const account = await this.db.manager.findOneBy(DeviceAccount, { id: accountId });
    if (!account) throw new AppError('device_has_no_credentials');
    return this.secrets.open(account.sealedPassword, passwordPlace(account.id));
  }

  /**
   * Writes down what a call taught us, as far as it is news. A pin is taken on first contact only, and audited.
   * A serial number or MAC that another device has is not taken: the registry stays as the operator made it.
   */
  async learn(deviceId: string, facts: LearnedFacts): Promise<void> {
    const { device } = await this.target(deviceId);
    const news = (Object.keys(facts) as (keyof LearnedFacts)[]).filter((key) => isNews(key, facts[key], device));
    if (news.length === 0) return;
    if (news.includes('trustPin')) await this.takePin(deviceId, facts.trustPin!);
    const rest = news.filter((key) => key !== 'trustPin');
    try {
      await this.write(device, rest, facts);
    } catch (error) {
      if (!(error instanceof QueryFailedError) || (error.driverError as { code?: string }).code !== '23505')
        throw error;
      await this.write(
        device,
        rest.filter((key) => key !== 'serial' && key !== 'mac'),
        facts,
      );
    }
    this.drop(deviceId);
  }

  /**
   * Counts one refused login.
   * @param changedAt which credentials were refused
   * @returns how many refusals there are of them; null when others were stored meanwhile, which nobody has refused
   */
  async countFailedLogin(accountId: string, changedAt: Date): Promise<number | null> {
    const [rows] = await this.db.query<[{ failed_logins: number; device_id: string }[], number]>(
      `update device_account set failed_logins = failed_logins + 1
        where id = $1 and changed_at = $2 returning failed_logins, device_id`,
      [accountId, changedAt],
    );
    const row = rows[0];
    if (!row) return null;
    this.drop(row.device_id);
    return row.failed_logins;
  }

  async clearFailedLogins(accountId: string): Promise<void> {
    const [rows] = await this.db.query<[{ device_id: string }[], number]>(
      'update device_account set failed_logins = 0 where id = $1 and failed_logins > 0 returning device_id',
      [accountId],
    );
    for (const row of rows) this.drop(row.device_id);
  }

  /** Calls `listener` whenever this process changed or removed a device. Returns how to stop that. */
  onChange(listener: (deviceId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets what is in memory and tells who holds something of this device. For `RegistryService`. */
  changed(deviceId: string): void {
    this.drop(deviceId);
    this.ids.clear();
    for (const listener of this.listeners) listener(deviceId);
  }

  private async idOf(ref: string): Promise<string> {
    const { column, value } = parseRef(ref);
    if (column === 'id') return value;
    const known = this.recall(this.ids, ref);
    if (known) return known;
    const rows = await this.db.query<{ id: string }[]>(`select id from device where ${column} = $1`, [value]);
    const id = rows[0]?.id;
    if (!id) throw new AppError('device_not_found');
    this.remember(this.ids, ref, id);
    return id;
  }

  private async takePin(deviceId: string, pin: string): Promise<void> {
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
  }

  private async write(device: Readonly<Device>, keys: (keyof LearnedFacts)[], facts: LearnedFacts): Promise<void> {
    if (keys.length === 0) return;
    const assignments = keys.map((key, index) => `${COLUMNS[key]} = $${index + 2}`);
    const update = `update device set ${assignments.join(', ')} where id = $1`;
    const values = [device.id, ...keys.map((key) => facts[key] ?? null)];
    const news = keys.filter((key) => HISTORY.has(key));
    if (news.length === 0) {
      await this.db.query(update, values);
      return;
    }
    await this.db.transaction(async (tx) => {
      await tx.query(update, values);
      await tx.query(
        `insert into device_change (device_id, at, field, before, after)
         select $1, $2, * from unnest($3::text[], $4::text[], $5::text[]) as news (field, before, after)
          where before is distinct from after and exists (select from device where id = $1)`,
        [
          device.id,
          this.clock.now(),
          news.map((key) => COLUMNS[key]),
          news.map((key) => device[key]),
          news.map((key) => facts[key] ?? null),
        ],
      );
    });
  }

  private drop(deviceId: string): void {
    this.changes++;
    this.targets.delete(deviceId);
    this.looking.delete(deviceId); // it may have read the row as it was before
  }

  private recall<Value>(memory: Map<string, Remembered<Value>>, key: string): Value | undefined {
    const found = memory.get(key);
    return found && found.until > this.clock.now().getTime() ? found.value : undefined;
  }

  private remember<Value>(memory: Map<string, Remembered<Value>>, key: string, value: Value): void {
    memory.delete(key); // so that the map stays in the order of age
    memory.set(key, { value, until: this.clock.now().getTime() + MEMORY_MS });
    if (memory.size <= MEMORY_SIZE) return;
    for (const oldest of memory.keys()) {
      memory.delete(oldest);
      break;
    }
  }
}

function targetAccount(row: DeviceAccount | undefined): TargetAccount | null {
  if (!row) return null;
  const { id, purpose, username, failedLogins, changedAt } = row;
  return { id, purpose, username, failedLogins, changedAt };
}

/** The place that an account's password is sealed for. */
export const passwordPlace = (accountId: string) => ({
  table: 'device_account',
  column: 'sealed_password',
  rowId: accountId,
});

function isNews(key: keyof LearnedFacts, value: unknown, device: Readonly<Device>): boolean {
  if (value === undefined) return false;
  if (key === 'trustPin') return device.trust === 'pin' && device.trustPin === null;
  if (key === 'seenAt') {
    return device.seenAt === null || (value as Date).getTime() - device.seenAt.getTime() >= SEEN_EVERY_MS;
  }
  return device[key] !== value;
}
