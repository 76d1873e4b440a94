import { Inject, Injectable } from '@nestjs/common';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { AppError } from '../../platform/errors.js';
import { exchangeError } from '../connections/device-errors.js';
import { DeviceIdentity } from './device-identity.js';
import { DeviceLogin } from './device-login.js';

/**
 * Checks a password of an account on a device by one login and a logout. It is no session of the gateway. Call it
 * rarely: the device counts refused logins of the gateway's address, which all share (observed-devices.md 2).
 */
@Injectable()
export class LoginProof {
  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get'>,
    @Inject(DeviceLogin) private readonly login: DeviceLogin,
    @Inject(DeviceIdentity) private readonly identity: DeviceIdentity,
  ) {}

  /** @throws AppError of the call; `identity_mismatch`; `device_login_failed` when the answer is neither yes nor no */
  async prove(deviceId: string, username: string, password: string): Promise<boolean> {
    const { device } = await this.devices.get(deviceId);
    if (device.state === 'trust_changed') throw new AppError('device_trust_changed', { pinned: device.trustPin });
    this.identity.refuseKnownMismatch(device);
    try {
      const result = await this.login.loginAs(device, username, () => password);
      if (result.outcome === 'refused') return false;
      const { token } = result.session;
      try {
        await this.identity.compare(device, token);
      } finally {
        await this.login.logout(device, token);
      }
      return true;
    } catch (error) {
      throw exchangeError(error, false);
    }
  }
}
