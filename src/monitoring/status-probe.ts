import { Inject, Injectable } from '@nestjs/common';
import { type ConnectStage, ExchangeError } from '../device-api/http.js';
import { type Observations } from '../devices/registry/device-observations.js';
import { addressOf, atAddress, isProvedElsewhere } from '../devices/registry/device-addresses.js';
import { type Device } from '../devices/registry/device.entity.js';
import { Clock } from '../platform/clock.js';
import { observationOf } from '../proxy/connections/device-errors.js';
import { isTakenOver } from '../proxy/sessions/device-identity.js';
import { DeviceLogin, type StatusFacts } from '../proxy/sessions/device-login.js';

/** What a check has shown. */
interface Checked {
  readonly observed: Observations | null;
  /** Null: there was an answer. */
  readonly error: ExchangeError | null;
}

/** Asks one device whether it answers, without a login: any answer counts, even a refusal. */
@Injectable()
export class StatusProbe {
  constructor(
    @Inject(DeviceLogin) private readonly login: DeviceLogin,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * @param notePassed is told the stages of a connection that is opened for this; absent: an open one is used
   * @param there the device at the address that is asked
   * @returns what it shows, and the error where there was no answer; nothing is stored
   * @throws AppError when nothing may be sent, as when its trust `insecure` has ended
   */
  async ask(
    device: Readonly<Device>,
    notePassed?: (stage: ConnectStage) => void,
    there: Readonly<Device> = device,
  ): Promise<Checked> {
    try {
      const facts = await this.login.readStatus(there, notePassed);
      return { observed: this.answered(device, there, facts), error: null };
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      return { observed: observationOf(error, there), error };
    }
  }

  /**
   * As `ask`, at the base URL first, and at the spare address where the device would be away without it. The key at the spare
   * address is compared as always; the next login there compares the serial number.
   */
  async find(device: Readonly<Device>): Promise<Observations | null> {
    if (device.spareUrl === null) return (await this.ask(device)).observed;
    const base = await this.ask(device, undefined, atAddress(device, 'base'));
    if (!base.error) return base.observed && { ...base.observed, bySpare: false };
    const isAway = device.bySpare || device.state === 'offline' || base.observed?.state === 'offline';
    if (!isAway || !isProvedElsewhere(device)) return base.observed;
    const spare = await this.ask(device, undefined, atAddress(device, 'spare'));
    if (!spare.error) return spare.observed && { ...spare.observed, bySpare: true };
    if (base.observed?.state !== 'offline') return base.observed;
    const stateReason = `${base.observed.stateReason}; at its spare address: ${spare.error.fault}`;
    return { ...base.observed, stateReason };
  }

  private answered(device: Readonly<Device>, there: Readonly<Device>, facts: StatusFacts): Observations {
    const seenAt = this.clock.now();
    // Another device answers at this address.
    if (isTakenOver(device) && addressOf(device) === addressOf(there)) return { seenAt, failedChecks: 0 };
    const found = { ...facts, seenAt, failedChecks: 0 };
    // Reachability says nothing about a refused password.
    return device.state === 'credentials_refused' ? found : { ...found, state: 'online', stateReason: null };
  }
}
