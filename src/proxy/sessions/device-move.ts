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
 * Follows a device to another address. A stored password goes there only when something proves who answers before it is
 * sent: the pinned key or the authority of the device's trust. With trust `insecure` nothing does, so nobody is followed.
 */

@Injectable()
export class DeviceMove {
  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'target' | 'move'>,
    @Inject(DeviceLogin) private readonly login: DeviceLogin,
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'policy'>,
  ) {}

  /** Where the gateway looks for a device, and whether it may look elsewhere. */
  async placeOf(deviceId: string): Promise<{ readonly baseUrl: string; readonly mayFollow: boolean }> {
    const { device } = await this.devices.target(deviceId);
    return { baseUrl: device.baseUrl, mayFollow: device.trust !== 'insecure' };
  }

  /**
   * Looks who answers at another address, by one login. When it is the device with this serial number, the registry has it
   * there from then on.
   * @returns the serial number of what answers
   * @throws AppError of the road to the device; `base_url_refused`; `device_credentials_refused`; `device_exists`
   */
  async follow(deviceId: string, to: string, serial: string, actor: Actor, jobId: string): Promise<string> {
    const { device, account } = await this.devices.target(deviceId);
    if (device.trust === 'insecure')
      throw new AppError('device_trust_changed', { reason: 'nothing proves who answers' });
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
