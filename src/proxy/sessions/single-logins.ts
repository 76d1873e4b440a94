import { Inject, Injectable } from '@nestjs/common';
import { AddressRules } from '../../devices/registry/address-rules.js';
import { checkBaseUrl } from '../../devices/registry/base-url.js';
import { isProvedElsewhere } from '../../devices/registry/device-addresses.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Actor } from '../../platform/actor.js';
import { AppError } from '../../platform/errors.js';
import { exchangeError } from '../connections/device-errors.js';
import { DeviceIdentity } from './device-identity.js';
import { DeviceLogin } from './device-login.js';

/** Where a device is expected, by its serial number. */
export interface Relocation {
  readonly to: string;
  readonly serial: string;
  /** Whether the old address becomes the spare one. */
  readonly keepOld: boolean;
}

/**
 * One login and a logout beside the sessions of the gateway: to check a password, and to follow a device to another
 * address. Use them rarely: the device counts refused logins of the gateway's address, which all share
 * (observed-devices.md 2).
 */
@Injectable()
export class SingleLogins {
  constructor(
    @Inject(DevicesService)
    private readonly devices: Pick<DevicesService, 'get' | 'move' | 'openPassword' | 'requireFree'>,
    @Inject(DeviceLogin) private readonly login: DeviceLogin,
    @Inject(DeviceIdentity) private readonly identity: DeviceIdentity,
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'policy'>,
  ) {}

  /**
   * Whether a device accepts a password of an account.
   * @throws AppError of the call; `identity_mismatch`; `device_login_failed` when the answer is neither yes nor no
   */
  async prove(deviceId: string, username: string, password: string): Promise<boolean> {
    const { device } = await this.devices.get(deviceId);
    if (device.state === 'trust_changed')
      throw new AppError('device_trust_changed', { pinned: device.trustPin, offered: device.offeredPin });
    this.identity.refuseKnownMismatch(device);
    try {
      await this.login.once(
        device,
        username,
        () => password,
        (token) => this.identity.compare(device, token),
      );
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'device_credentials_refused') return false;
      throw exchangeError(error, false);
    }
  }

  /** The present addresses of a device, and whether another one may be tried. */
  async addressOf(deviceId: string) {
    const { device } = await this.devices.get(deviceId);
    const { baseUrl, spareUrl } = device;
    return { baseUrl, spareUrl, mayFollow: isProvedElsewhere(device) };
  }

  /**
   * Logs in once at another address. A stored password is sent there only when the pinned key, or the authority of the
   * device's trust, proves the device first; before the first contact, and with trust `insecure`, nothing does. An authority
   * proves other devices, too, so none is asked that the registry has at this address. When the device with this serial number
   * answers, the registry gets the address.
   * @returns the serial number of the answering device
   * @throws AppError of the call; `base_url_refused`; `device_credentials_refused`; `device_exists`
   */
  async relocate(deviceId: string, { to, serial, keepOld }: Relocation, actor: Actor, jobId: string): Promise<string> {
    const { device, account } = await this.devices.get(deviceId);
    if (!isProvedElsewhere(device))
      throw new AppError('device_trust_changed', { reason: 'nothing proves the identity of the device' });
    if (!account) throw new AppError('device_has_no_credentials');
    const there = { ...device, bySpare: false, baseUrl: checkBaseUrl(to, device.trust, this.addresses.policy()) };
    await this.devices.requireFree(there.baseUrl, deviceId);
    const password = () => this.devices.openPassword(account);
    const found = await this.login
      .once(there, account.username, password, (token) => this.login.serial(there, token))
      .catch((error: unknown) => {
        throw exchangeError(error, false);
      });
    const moved = { from: device.baseUrl, to: there.baseUrl, serial, keepOld };
    if (found === serial && moved.from !== moved.to) await this.devices.move(deviceId, moved, actor, jobId);
    return found;
  }
}
