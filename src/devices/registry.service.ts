import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { Audit } from '../audit/entries/audit.js';
import { type AuditAction } from '../audit/entries/audit-actions.js';
import { type Principal } from '../auth/access/access.js';
import { Locks } from '../auth/access/locks.service.js';
import { type Permission } from '../auth/rights/permissions.js';
import { type Rights } from '../auth/rights/rights.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { lockRow, requireVersion } from '../http/edits.js';
import { type Meanings, mapConstraintErrors } from '../database/constraints.js';
import { AppError } from '../platform/errors.js';
import { cutPage, decodeCursor, type PageQuery } from '../http/page.js';
import { AddressRules } from './registry/address-rules.js';
import { type StoredAccounts, DeviceAccounts } from './device-accounts.js';
import { checkBaseUrl } from './registry/base-url.js';
import { changedFields } from './registry/device-fields.js';
import { FieldsService } from './registry/fields.service.js';
import { parseRef, refSql } from '../selectors/device-ref.js';
import { type AccountPurpose, Device, DeviceAccount } from './registry/device.entity.js';
import { DevicesService } from './registry/devices.service.js';
import { expectedSerial, claimsOn, type ClaimedFacts } from './registry/identity-reason.js';
import { type DeviceTrust } from '../selectors/matched-device.js';
import { NOTHING_OFFERED, trustColumns } from './trust-columns.js';
import {
  type ChangeInput,
  type CredentialsInput,
  type DeviceHistory,
  type RegisterInput,
  type TrustInput,
} from './devices.contract.js';

const CONSTRAINTS: Meanings = {
  device_name_is_unique: ['device_exists', { field: 'name' }],
  device_base_url_is_unique: ['device_exists', { field: 'baseUrl' }],
  device_spare_url_is_unique: ['device_exists', { field: 'spareUrl' }],
  device_serial_is_unique: ['device_exists', { field: 'serial' }],
  device_mac_is_unique: ['device_exists', { field: 'mac' }],
  job_keeps_its_device: ['device_in_use'],
};

export interface RegisteredDevice extends StoredAccounts {
  readonly device: Device;
  /** Its facts that another device reports; absent: not looked up. */
  readonly claimed?: ClaimedFacts | undefined;
}

/**
 * The registry as operators change it. Each change is one transaction with its audit entry. A device that the caller
 * cannot see counts as missing. A change must not move a device out of, or into, the actor's rights.
 */
@Injectable()
export class RegistryService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(DeviceAccounts) private readonly accounts: DeviceAccounts,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AddressRules) private readonly addresses: AddressRules,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(FieldsService) private readonly fields: FieldsService,
    @Inject(Locks) private readonly locks: Pick<Locks, 'refuseDevice'>,
  ) {}

  /**
   * Registers a device. It sends nothing to the device; the first call does.
   * @throws AppError `base_url_refused`, `device_exists`, `invalid_input`; `forbidden` for a device that the actor
   *   could not change afterwards
   */
  async register(input: RegisterInput, actor: Principal): Promise<RegisteredDevice> {
    const now = this.clock.now();
    const baseUrl = this.checkedUrl(input.baseUrl, input.trust.mode);
    const draft = this.db.manager.create(Device, {
      id: randomUUID(),
      name: input.name,
      baseUrl,
      spareUrl: this.checkedSpare(input.spareUrl ?? null, input.trust.mode, baseUrl),
      bySpare: false,
      serial: input.serial ?? null,
      mac: input.mac ?? null,
      claimedSerial: null,
      claimedMac: null,
      serialUnreadable: false,
      model: input.model ?? null,
      firmware: null,
      networkOperator: null,
      site: input.site,
      tags: input.tags,
      note: input.note,
      fields: changedFields({}, input.fields),
      formerSerials: [],
      timeZone: input.timeZone ?? null,
      profile: 'unknown',
      apiVersion: null,
      sessions: input.sessions,
      ...trustColumns(input.trust, now),
      ...NOTHING_OFFERED,
      state: 'new',
      stateReason: null,
      failedChecks: 0,
      seenAt: null,
      movedAt: null,
      createdAt: now,
      updatedAt: now,
    });
    actor.rights.require({ action: 'device.manage', device: draft });
    this.locks.refuseDevice(draft);
    return this.change(draft.id, async (tx) => {
      await this.fields.require(tx, input.fields);
      const device = await tx.save(Device, draft);
      const account = input.credentials ? await this.accounts.write(tx, device.id, 'main', input.credentials) : null;
      await this.record(tx, actor, 'device.register', device.id, {
        after: auditView(device),
        credentials: input.credentials && this.accounts.facts(input.credentials),
      });
      return { device, account, readAccount: null };
    });
  }

  /** @throws AppError `device_not_found` */
  async get(ref: string, rights: Rights): Promise<RegisteredDevice> {
    const device = await this.find(ref, rights, 'device.read');
    const claimed = (await claimsOn(this.db, [device])).get(device.id);
    return { device, claimed, ...(await this.accounts.of(this.db.manager, device.id)) };
  }

  /** Observed changes of a device, newest first. @throws AppError `device_not_found`, `invalid_cursor` */
  async history(ref: string, query: PageQuery, rights: Rights): Promise<DeviceHistory> {
    const { id } = await this.find(ref, rights, 'device.read');
    const [before] = query.cursor
      ? decodeCursor(`history ${id}`, query.cursor, z.tuple([z.string().regex(/^\d{1,18}$/)]))
      : [null];
    const rows = await this.db.query<(DeviceHistory['items'][number] & { id: string })[]>(
      `select id, at, field, before, after, reason from device_change
        where device_id = $1 and ($2::bigint is null or id < $2::bigint) order by id desc limit $3`,
      [id, before, query.limit + 1],
    );
    return cutPage(`history ${id}`, rows, query.limit, (row) => [row.id]);
  }

  /** @throws AppError `device_not_found`, `device_exists`, `base_url_refused`, `invalid_input`, `version_changed` */
  async edit(ref: string, input: ChangeInput, ifMatch: number | null, actor: Principal): Promise<RegisteredDevice> {
    const { id } = await this.find(ref, actor.rights, 'device.manage');
    return this.change(id, async (tx) => {
      const { credentials, baseUrl: wanted, spareUrl: wantedSpare, fields: changes = {}, ...fields } = input;
      // Definitions before devices, as the removal of a field locks them: the other order could deadlock.
      await this.fields.require(tx, changes);
      const device = await this.lockDevice(tx, id, ifMatch, actor, 'device.manage');
      const before = auditView(device);
      const baseUrl = wanted && this.checkedUrl(wanted, device.trust);
      const moves = baseUrl !== undefined && baseUrl !== device.baseUrl;
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      const values = changedFields(device.fields, changes);
      // At another address the state starts again: observations of the old address do not apply.
      const moved = moves
        ? { baseUrl, state: 'new', stateReason: null, ...NOTHING_OFFERED, claimedSerial: null, claimedMac: null }
        : {};
      const spareUrl =
        wantedSpare === undefined && !moves
          ? device.spareUrl // as the base URL: another edit does not judge it again
          : this.checkedSpare(
              wantedSpare === undefined ? device.spareUrl : wantedSpare,
              device.trust,
              baseUrl ?? device.baseUrl,
            );
      const spare = { spareUrl, bySpare: device.bySpare && !moves && spareUrl === device.spareUrl };
      const isReplaced = fields.serial !== undefined && fields.serial !== device.serial;
      // It may be offline because the device had another serial number.
      const replaced = isReplaced && device.state === 'offline' ? { state: 'new', stateReason: null } : {};
      const unknown = isReplaced ? { networkOperator: null, claimedSerial: null } : {};
      const recognised = expectedSerial(device);
      const isOther = fields.serial !== undefined && recognised !== null && fields.serial !== recognised;
      const movedAt = moves || isOther ? { movedAt: this.clock.now() } : {};
      const claims = fields.mac === undefined ? {} : { claimedMac: null };
      const own = { ...replaced, ...unknown, ...claims, ...spare, ...moved, ...movedAt };
      Object.assign(device, given, own, { fields: values, updatedAt: this.clock.now() });
      actor.rights.requireAfter({ action: 'device.manage', device });
      // The stored password is sent to the spare address, and by trust `ca` any device of the authority may be there.
      const sendsElsewhere = spareUrl !== null && spareUrl !== before['spareUrl'];
      if (credentials || sendsElsewhere) actor.rights.require({ action: 'device.trust', device });
      const saved = await tx.save(Device, device);
      if (isReplaced) await this.identifySoon(tx, id);
      // A password belongs to one address. An operator who points a device elsewhere must not be able to send it there.
      // So it is entered again or forgotten.
      if (moves) await tx.delete(DeviceAccount, { deviceId: id });
      if (credentials) await this.accounts.write(tx, id, 'main', credentials);
      await this.record(tx, actor, 'device.change', id, {
        before,
        after: auditView(saved),
        ...(credentials ? { credentials: this.accounts.facts(credentials) } : {}),
        ...(moves && !credentials ? { credentials: 'forgotten' } : {}),
      });
      return { device: saved, ...(await this.accounts.of(tx, id)) };
    });
  }

  /** @throws AppError `device_not_found`, `device_in_use`, `version_changed` */
  async remove(ref: string, ifMatch: number | null, actor: Principal): Promise<void> {
    const { id } = await this.find(ref, actor.rights, 'device.manage');
    await this.change(id, async (tx) => {
      const device = await this.lockDevice(tx, id, ifMatch, actor, 'device.manage');
      await tx.delete(Device, { id });
      await this.record(tx, actor, 'device.remove', id, { before: auditView(device) });
    });
  }

  /** Resets the count of refused logins. @throws AppError `device_not_found` */
  async setCredentials(
    ref: string,
    purpose: AccountPurpose,
    input: CredentialsInput,
    actor: Principal,
  ): Promise<RegisteredDevice> {
    const { id } = await this.find(ref, actor.rights, 'device.trust');
    return this.change(id, async (tx) => {
      const device = await this.lockDevice(tx, id, null, actor, 'device.trust');
      await this.accounts.write(tx, id, purpose, input);
      if (device.firmware === null) await this.identifySoon(tx, id);
      return this.afterAccounts(tx, device, actor, { purpose, ...this.accounts.facts(input) });
    });
  }

  /** Reads use the main account again. @throws AppError `device_not_found` */
  async removeReadCredentials(ref: string, actor: Principal): Promise<void> {
    const { id } = await this.find(ref, actor.rights, 'device.trust');
    await this.change(id, async (tx) => {
      const device = await this.lockDevice(tx, id, null, actor, 'device.trust');
      const { readAccount } = await this.accounts.of(tx, id);
      if (!readAccount) return;
      await tx.delete(DeviceAccount, { id: readAccount.id });
      await this.afterAccounts(tx, device, actor, { purpose: 'read', credentials: 'forgotten' });
    });
  }

  /** Changes the trust of the device. Accepting an offered pin is this call with that pin. */
  async setTrust(ref: string, input: TrustInput, actor: Principal): Promise<RegisteredDevice> {
    const { id } = await this.find(ref, actor.rights, 'device.trust');
    return this.change(id, async (tx) => {
      const device = await this.lockDevice(tx, id, null, actor, 'device.trust');
      this.checkedUrl(device.baseUrl, input.mode);
      this.checkedSpare(device.spareUrl, input.mode, device.baseUrl);
      const before = { trust: device.trust, pin: device.trustPin };
      Object.assign(device, trustColumns(input, this.clock.now()), {
        ...NOTHING_OFFERED,
        updatedAt: this.clock.now(),
      });
      if (device.state === 'trust_changed') Object.assign(device, { state: 'new', stateReason: null });
      const saved = await tx.save(Device, device);
      await this.identifySoon(tx, id);
      await this.record(tx, actor, 'device.trust', id, { before, after: { trust: saved.trust, pin: saved.trustPin } });
      return { device: saved, ...(await this.accounts.of(tx, id)) };
    });
  }

  private checkedUrl(url: string, trust: DeviceTrust): string {
    return checkBaseUrl(url, trust, this.addresses.policy());
  }

  /** Nothing proves a device of trust `insecure` at another address. @throws AppError `base_url_refused` */
  checkedSpare(url: string | null, trust: DeviceTrust, baseUrl: string): string | null {
    if (url === null) return null;
    const refuse = (reason: string) => new AppError('base_url_refused', { field: 'spareUrl', reason });
    if (trust === 'insecure') throw refuse('a spare address needs trust `pin` or `ca`, which prove the device there');
    const checked = this.checkedUrl(url, trust);
    if (checked === baseUrl) throw refuse('it is the base URL itself');
    return checked;
  }

  /** Runs a change of the registry, and translates violated constraints into errors. */
  translate<Result>(work: () => Promise<Result>): Promise<Result> {
    return mapConstraintErrors(CONSTRAINTS, work);
  }

  /** The audit entry of a change. */
  record(
    tx: EntityManager,
    actor: Actor,
    action: Extract<AuditAction, `device.${string}`>,
    deviceId: string,
    facts: object,
  ) {
    return this.audit.record(tx, { actor, action, subject: `device:${deviceId}`, deviceId, facts: { ...facts } });
  }

  /** Lets the status sweep look at the device at once, and identify it. */
  async identifySoon(tx: EntityManager, deviceId: string): Promise<void> {
    await tx.query(`update device set identify_at = '-infinity', probe_at = '-infinity' where id = $1`, [deviceId]);
  }

  /** One transaction for one device; its cache entry is dropped after the commit. */
  async change<Result>(deviceId: string, work: (tx: EntityManager) => Promise<Result>): Promise<Result> {
    const result = await this.translate(() => this.db.transaction(work));
    this.devices.changed(deviceId);
    return result;
  }

  /** @throws AppError `device_not_found`, also when the caller cannot see it; `forbidden` */
  async find(ref: string, rights: Rights, action: Permission): Promise<Device> {
    const condition = parseRef(ref);
    const device = await this.db.manager
      .createQueryBuilder(Device, 'device')
      .where(refSql(condition, ':value'), { value: condition.value })
      .getOne();
    if (!device) throw new AppError('device_not_found');
    rights.requireOnDevice({ action, device });
    return device;
  }

  /**
   * Locks a device that `find` found, for a change.
   * @throws AppError `device_not_found`, `forbidden`, `locked`, `version_changed`: it may have changed since then
   */
  async lockDevice(
    tx: EntityManager,
    id: string,
    ifMatch: number | null,
    actor: Principal,
    action: Permission,
  ): Promise<Device> {
    const device = await lockRow(tx, Device, { id }, 'device_not_found');
    actor.rights.requireOnDevice({ action, device });
    this.locks.refuseDevice(device);
    requireVersion(ifMatch, device.version);
    return device;
  }

  /** The state `credentials_refused` ends when no account has refused logins. */
  private async afterAccounts(
    tx: EntityManager,
    device: Device,
    actor: Principal,
    facts: Record<string, unknown>,
  ): Promise<RegisteredDevice> {
    const accounts = await this.accounts.of(tx, device.id);
    const failedLogins = (accounts.account?.failedLogins ?? 0) + (accounts.readAccount?.failedLogins ?? 0);
    if (device.state === 'credentials_refused' && failedLogins === 0) {
      Object.assign(device, { state: 'new', stateReason: null });
    }
    device.updatedAt = this.clock.now();
    const saved = await tx.save(Device, device);
    await this.record(tx, actor, 'device.credentials', device.id, facts);
    return { device: saved, ...accounts };
  }
}

/** The fields of a device that operators set; none is secret. */
export function auditView(device: Device): Record<string, unknown> {
  const { name, baseUrl, spareUrl, serial, mac, site, tags, note, fields, timeZone, sessions, trust, trustPin } =
    device;
  return { name, baseUrl, spareUrl, serial, mac, site, tags, note, fields, timeZone, sessions, trust, trustPin };
}
