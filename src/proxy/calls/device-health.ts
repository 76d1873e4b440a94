import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { ExchangeError } from '../../device-api/http.js';
import { isPasswordDemand } from '../../device-api/password-demand.js';
import { type Observations } from '../../devices/registry/device-observations.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { isDeviceFault, observationOf } from '../connections/device-errors.js';
import { ReachabilityWatch } from '../connections/reachability-watch.js';
import { DeviceBreakers } from './device-breakers.js';

/* What the end of each attempt shows about its device: for the breaker, and for the state in the registry. */

/** What the earlier attempts of a call have shown already. */
export interface FailedAttempts {
  count: number;
  /** Whether one was counted as a check of the device: the attempts of a call are one check. */
  isCounted: boolean;
  /** Whether one got no answer: the call counts once for the breaker. */
  wasUnanswered: boolean;
}

@Injectable()
export class DeviceHealth {
  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'storeObservations' | 'noteSeen'>,
    @Inject(DeviceBreakers) private readonly breakers: DeviceBreakers,
    @Inject(ReachabilityWatch) private readonly reachability: Pick<ReachabilityWatch, 'mayBelieve'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Records what a failed attempt shows. @param openedAt when its call began */
  async failed(device: Readonly<Device>, error: unknown, earlier: FailedAttempts, openedAt: number): Promise<void> {
    if (isUnanswered(error)) {
      this.breakers.unanswered(device, earlier.wasUnanswered);
      earlier.wasUnanswered = true;
    } else if (isDeviceFault(error)) this.breakers.failed(device, error as ExchangeError);
    else this.breakers.abandoned(device);
    const observation = error instanceof ExchangeError ? observationOf(error, device) : null;
    if (!observation) return;
    // One that waited for its own process is no check of the device.
    const isKey = observation.state === 'trust_changed';
    if (!isKey && (earlier.isCounted || !this.reachability.mayBelieve(openedAt))) return;
    earlier.isCounted = true;
    await this.storeObservations(device.id, observation);
  }

  /**
   * Records that the device is online, or that it demands a new password before anything else. The call neither waits for
   * this nor fails with it.
   */
  seen({ device, account, readAccount }: DeviceWithAccounts, demand: string | null = null): void {
    const now = this.clock.now();
    const isDemand = device.state === 'credentials_refused' && device.stateReason === demand;
    // One account may be refused while another one works.
    const failedLogins = (account?.failedLogins ?? 0) + (readAccount?.failedLogins ?? 0);
    const isHalfUsable = failedLogins > 0 || (readAccount !== null && isPasswordDemand(device.stateReason));
    const isRefused = device.state === 'credentials_refused' && isHalfUsable;
    const isKnown = (device.state === 'online' && device.failedChecks === 0) || isRefused;
    if (demand === null ? isKnown : isDemand) return this.devices.noteSeen(device, now);
    const state = demand === null ? 'online' : 'credentials_refused';
    void this.storeObservations(device.id, { seenAt: now, state, stateReason: demand, failedChecks: 0 });
    return undefined;
  }

  private async storeObservations(deviceId: string, observations: Observations): Promise<void> {
    try {
      await this.devices.storeObservations(deviceId, observations);
    } catch (error) {
      if (error instanceof AppError && error.code === 'device_not_found') return; // the device was removed since
      this.log.warn({ deviceId, ...errorFields(error) }, 'The observations of a call could not be stored');
    }
  }
}

/** Whether a call, or the login that it waited for, was sent and got no answer. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof ExchangeError
    ? error.sent && isDeviceFault(error)
    : error instanceof AppError && error.code === 'device_timeout';
