import { Inject, Injectable } from '@nestjs/common';
import { DevicesService } from '../devices/devices.service.js';
import { AppError } from '../platform/errors.js';
import { exchangeError } from './device-errors.js';
import { DeviceLogin } from './device-login.js';

/**
 * Whether a password is that of an account on a device: one login with it, and a logout. It is no session of the gateway,
 * and who asks must ask seldom: the device counts a refused login against the address that all of us share
 * (observed behaviour, section 2).
 */
@Injectable()
export class LoginProof {
  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'target'>,
    @Inject(DeviceLogin) private readonly login: DeviceLogin,
  ) {}

  /** @throws AppError of the road to the device; `device_login_failed` when the answer is neither yes nor no */
  async prove(deviceId: string, username: string, password: string): Promise<boolean> {
    const { device } = await this.devices.target(deviceId);
    if (device.state === 'trust_changed') throw new AppError('device_trust_changed', { pinned: device.trustPin });
    try {
      const result = await this.login.loginAs(device, username, () => password);
      if (result.outcome === 'granted') await this.login.logout(device, result.session.token);
      return result.outcome === 'granted';
    } catch (error) {
      throw exchangeError(error, false);
    }
  }
}
