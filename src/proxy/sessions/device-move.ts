import { Inject, Injectable } from '@nestjs/common';
import { AddressRules } from '../../devices/registry/address-rules.js';
import { checkBaseUrl } from '../../devices/registry/base-url.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Actor } from '../../platform/actor.js';
import { AppError } from '../../platform/errors.js';
import { exchangeError } from '../connections/device-errors.js';
import { DeviceLogin } from './device-login.js';

/*
 * Follows a device to another address. A stored password is sent there only when the pinned key, or the authority of
 * the device's trust, proves the device first. Trust `insecure` proves nothing, so such a device is not followed.
 */

@Injectable()
export class DeviceMove {
  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get' | 'move'>,
    @Inject(DeviceLogin) private readonly login: DeviceLogin,
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'policy'>,
  ) {}

  /** The present address of a device, and whether another one may be tried. */
  async addressOf(deviceId: string): Promise<{ readonly baseUrl: string; readonly mayFollow: boolean }> {
    const { device } = await this.devices.get(deviceId);
    return { baseUrl: device.baseUrl, mayFollow: device.trust !== 'insecure' };
  }

  /**
   * Logs in once at another address. When the device with this serial number answers, the registry gets the address.
   * @returns the serial number of the answering device
   * @throws AppError of the call; `base_url_refused`; `device_credentials_refused`; `device_exists`
   */
  async relocate(deviceId: string, to: string, serial: string, actor: Actor, jobId: string): Promise<string> {
    const { device, account } = await this.devices.get(deviceId);
    if (device.trust === 'insecure')
      throw new AppError('device_trust_changed', { reason: 'nothing proves the identity of the device' });
    if (!account) throw new AppError('device_has_no_credentials');
    const baseUrl = checkBaseUrl(to, device.trust, this.addresses.policy());
    const found = await this.serialAt({ ...device, baseUrl }, account);
    if (found === serial)
      await this.devices.move(deviceId, { from: device.baseUrl, to: baseUrl, serial }, actor, jobId);
    return found;
  }

  private async serialAt(device: Readonly<Device>, account: Parameters<DeviceLogin['login']>[1]): Promise<string> {
    try {
      const result = await this.login.login(device, account);
      if (result.outcome === 'refused') throw result.error;
      try {
        return await this.login.serial(device, result.session.token);
      } finally {
        await this.login.logout(device, result.session.token);
      }
    } catch (error) {
      throw exchangeError(error, false);
    }
  }
}
