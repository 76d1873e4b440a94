import { Inject, Injectable } from '@nestjs/common';
import { type ConnectStage, ExchangeError } from '../device-api/http.js';
import { type Observations } from '../devices/registry/device-observations.js';
import { type Device } from '../devices/registry/device.entity.js';
import { Clock } from '../platform/clock.js';
import { observationOf } from '../proxy/connections/device-errors.js';
import { isTakenOver } from '../proxy/sessions/device-identity.js';
import { DeviceLogin, type StatusFacts } from '../proxy/sessions/device-login.js';

/** Asks one device whether it answers, without a login: any answer counts, even a refusal. */
@Injectable()
export class StatusProbe {
  constructor(
    @Inject(DeviceLogin) private readonly login: DeviceLogin,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * @param notePassed is told the stages of a connection that is opened for this; absent: an open one is used
   * @returns what it shows, and the error where there was no answer; nothing is stored
   * @throws AppError when nothing may be sent, as when its trust `insecure` has ended
   */
  async ask(
    device: Readonly<Device>,
    notePassed?: (stage: ConnectStage) => void,
  ): Promise<{ readonly observed: Observations | null; readonly error: ExchangeError | null }> {
    try {
      const facts = await this.login.readStatus(device, notePassed);
      return { observed: this.answered(device, facts), error: null };
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      return { observed: observationOf(error, device), error };
    }
  }

  private answered(device: Readonly<Device>, facts: StatusFacts): Observations {
    const seenAt = this.clock.now();
    // Another device answers at this address.
    if (isTakenOver(device)) return { seenAt, failedChecks: 0 };
    const found = { ...facts, seenAt, failedChecks: 0 };
    // Reachability says nothing about a refused password.
    return device.state === 'credentials_refused' ? found : { ...found, state: 'online', stateReason: null };
  }
}
