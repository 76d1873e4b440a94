import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../auth/access/access.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { DeviceAccounts } from './device-accounts.js';
import { type ReplaceInput } from './devices.contract.js';
import { AddressRules } from './registry/address-rules.js';
import { checkBaseUrl } from './registry/base-url.js';
import { Device, DeviceAccount } from './registry/device.entity.js';
import { auditView, RegistryService, type RegisteredDevice } from './registry.service.js';
import { NOTHING_OFFERED, trustColumns } from './trust-columns.js';

/** Former serial numbers of a device; the oldest go first. The table has the same limit. */
const FORMER_MAX = 20;

/** Puts new hardware in the place of devices. */
@Injectable()
export class Replacements {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AddressRules) private readonly addresses: AddressRules,
    @Inject(DeviceAccounts) private readonly accounts: DeviceAccounts,
    @Inject(RegistryService) private readonly registry: RegistryService,
  ) {}

  /**
   * Name, site, tags, fields and history stay. What belongs to the old hardware goes: credentials, trust, observations.
   * @throws AppError `device_not_found`, `device_in_use`, `device_exists`, `base_url_refused`, `version_changed`;
   *   `invalid_input` for the serial number of the old hardware
   */
  async replace(ref: string, input: ReplaceInput, ifMatch: number | null, actor: Principal): Promise<RegisteredDevice> {
    const { id } = await this.registry.find(ref, actor.rights, 'device.manage');
    return this.registry.change(id, async (tx) => {
      const device = await this.registry.lockDevice(tx, id, ifMatch, actor, 'device.manage');
      actor.rights.require({ action: 'device.trust', device });
      // A job of the old hardware must not go on with the new one. The lock of the row keeps new jobs away.
      const open = await tx.query<unknown[]>(`select from job where device_id = $1 and phase <> 'ended' limit 1`, [id]);
      if (open.length > 0) throw new AppError('device_in_use');
      const old = { ...device };
      Object.assign(device, this.replacement(old, input));
      for (const action of ['device.manage', 'device.trust'] as const) actor.rights.require({ action, device });
      const saved = await tx.save(Device, device);
      await this.registry.identifySoon(tx, id);
      await forgetHardware(tx, old, saved);
      const account = input.credentials ? await this.accounts.write(tx, id, 'main', input.credentials) : null;
      await this.registry.record(tx, actor, 'device.replace', id, {
        before: { ...auditView(old), model: old.model, firmware: old.firmware },
        after: auditView(saved),
        credentials: input.credentials ? this.accounts.facts(input.credentials) : 'forgotten',
      });
      return { device: saved, account, readAccount: null };
    });
  }

  /** What new hardware changes of a device. */
  private replacement(old: Device, { serial, mac, baseUrl, trust }: ReplaceInput): Partial<Device> {
    if (serial !== undefined && serial === old.serial) {
      const detail = 'this is the serial number of the old hardware';
      throw new AppError('invalid_input', { errors: [{ pointer: '/body/serial', detail }] });
    }
    const former = [
      ...old.formerSerials.filter((one) => one !== old.serial),
      ...(old.serial === null ? [] : [old.serial]),
    ];
    return {
      ...trustColumns(trust, this.clock.now()),
      baseUrl: checkBaseUrl(baseUrl ?? old.baseUrl, trust.mode, this.addresses.policy()),
      spareUrl: null,
      bySpare: false,
      serial: serial ?? null,
      mac: mac ?? null,
      model: null,
      firmware: null,
      networkOperator: null,
      claimedSerial: null,
      claimedMac: null,
      serialUnreadable: false,
      profile: 'unknown',
      apiVersion: null,
      formerSerials: former.slice(-FORMER_MAX),
      ...NOTHING_OFFERED,
      state: 'new',
      stateReason: null,
      failedChecks: 0,
      seenAt: null,
      movedAt: this.clock.now(),
      updatedAt: this.clock.now(),
    };
  }
}

/** Removes what the gateway knows of replaced hardware, and leaves lines in the history. */
async function forgetHardware(tx: EntityManager, old: Device, now: Device): Promise<void> {
  await tx.delete(DeviceAccount, { deviceId: old.id });
  await tx.query('delete from device_certificate where device_id = $1', [old.id]);
  await tx.query('delete from device_shown_certificate where device_id = $1', [old.id]);
  const fields = ['serial', 'mac', 'model', 'firmware'] as const;
  await tx.query(
    `insert into device_change (device_id, at, field, before, after)
     select $1, $2, field, before, after from unnest($3::text[], $4::text[], $5::text[]) as line (field, before, after)
      where before is distinct from after`,
    [old.id, now.updatedAt, fields, fields.map((field) => old[field]), fields.map((field) => now[field])],
  );
}
