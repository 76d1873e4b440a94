import { Inject, Injectable } from '@nestjs/common';
import { addressOf } from '../../devices/registry/device-addresses.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { isDeviceFault } from '../connections/device-errors.js';
import { DeviceLogin } from '../sessions/device-login.js';
import { onAnswer, onFailure, verdictOf, trialAbandoned, trialStarted, type Breaker } from './breaker.js';

/** The address and trust of a device: after a change its breaker starts closed. */
type Endpoint = Readonly<Pick<Device, 'id' | 'baseUrl' | 'spareUrl' | 'bySpare' | 'trust' | 'trustPin' | 'trustCa'>>;

interface DeviceBreaker {
  readonly endpoint: Endpoint;
  readonly breaker: Breaker;
}

/**
 * The breakers of devices in trouble. Each process has its own, since it has its own network.
 *
 * A connection that fails counts. A call that was sent and got no answer counts only if the status probe gets none either:
 * one hanging path must not close a device to all others. Slots limit what such a path takes (`slots.ts`).
 */
@Injectable()
export class DeviceBreakers {
  private readonly known = new Map<string, DeviceBreaker>();
  /** Many calls can wait for one login; its failure counts once. */
  private readonly counted = new WeakSet<object>();
  /** Running status probes by device and address. They settle with the error; null: the device answered. */
  private readonly probes = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DeviceLogin) private readonly login: Pick<DeviceLogin, 'readStatus'>,
  ) {}

  /**
   * @param isInteractive whether an operator, person or program, waits for the answer
   * @returns whether the call is the trial call
   * @throws AppError `device_circuit_open` when the call may not go now
   */
  check(device: Endpoint, isInteractive = false): boolean {
    const breaker = this.find(device);
    if (!breaker) {
      this.known.delete(device.id); // of an earlier address or trust
      return false;
    }
    const now = this.clock.nowMs();
    const verdict = verdictOf(breaker, now, isInteractive);
    if (verdict.pass) return verdict.isTrial;
    const retryAfterSeconds = Math.max(1, Math.ceil((verdict.retryAt - now) / 1000));
    throw new AppError('device_circuit_open', { retryAfterSeconds });
  }

  /**
   * Checks a call and registers it, as the trial call when one is due. One of the four methods below must follow.
   * @throws AppError `device_circuit_open`
   */
  enter(device: Endpoint, isInteractive = false): void {
    if (this.check(device, isInteractive)) this.set(device, trialStarted(this.find(device)!));
  }

  /** The device answered, with any status. */
  answered(device: Endpoint): void {
    const breaker = this.find(device);
    if (breaker) this.set(device, onAnswer(breaker, this.clock.nowMs()));
  }

  /** The call did not reach the device. @param error the same one for all calls that waited for one login */
  failed(device: Endpoint, error: object): void {
    if (this.counted.has(error)) return this.abandoned(device);
    this.counted.add(error);
    return this.count(device);
  }

  /**
   * The call was sent, and there is no answer: asks the device for its status, beside other calls. When that gets no answer
   * either, the call counts for two, so that a device that hangs is left alone after three calls.
   * @param isKnown an earlier attempt of the same call counts already
   */
  unanswered(device: Readonly<Device>, isKnown = false): void {
    const probe = this.probes.get(placeOf(device)) ?? this.probe(device);
    void probe.then((error) => {
      if (error === null) return this.answered(device);
      if (isKnown || !isDeviceFault(error)) return this.abandoned(device);
      this.count(device); // the call, and the probe
      return this.count(device);
    });
  }

  private probe(device: Readonly<Device>): Promise<unknown> {
    const place = placeOf(device);
    const probe = this.login
      .readStatus(device)
      .then(
        () => null,
        (error: unknown) => error,
      )
      .finally(() => this.probes.delete(place));
    this.probes.set(place, probe);
    return probe;
  }

  /** The call ended without saying anything about the device, as when its caller disconnected. */
  abandoned(device: Endpoint): void {
    const breaker = this.find(device);
    if (breaker?.isTrialRunning) this.set(device, trialAbandoned(breaker));
  }

  /** Closes the breaker of a device. */
  reset(deviceId: string): void {
    this.known.delete(deviceId);
  }

  /** For operators; `trialAt` is the time of the next trial call. */
  describe(device: Endpoint): { state: 'closed' | 'open'; failures: number; trialAt: Date | null } {
    const breaker = this.find(device);
    const trialAt = breaker?.trialAt ?? null;
    return {
      state: trialAt === null ? 'closed' : 'open',
      failures: breaker?.streak ?? 0,
      trialAt: trialAt === null ? null : new Date(trialAt),
    };
  }

  private count(device: Endpoint): void {
    if (!this.find(device) && this.known.has(device.id)) return; // it began before the address or trust changed
    this.set(device, onFailure(this.find(device), this.clock.nowMs()));
  }

  private find(device: Endpoint): Breaker | undefined {
    const known = this.known.get(device.id);
    return known && isSameEndpoint(known.endpoint, device) ? known.breaker : undefined;
  }

  private set(device: Endpoint, breaker: Breaker | null): void {
    const { id, baseUrl, spareUrl, bySpare, trust, trustPin, trustCa } = device;
    const seen = { id, baseUrl, spareUrl, bySpare, trust, trustPin, trustCa };
    const endpoint = this.known.get(id)?.endpoint ?? seen;
    if (breaker) this.known.set(id, { endpoint, breaker });
    else this.known.delete(id);
  }
}

const placeOf = (device: Endpoint): string => `${device.id} ${addressOf(device)}`;

/** The first contact stores the pin, which is no change. */
const isSameEndpoint = (known: Endpoint, device: Endpoint): boolean =>
  addressOf(known) === addressOf(device) &&
  known.trust === device.trust &&
  (known.trustPin === device.trustPin || known.trustPin === null) &&
  known.trustCa === device.trustCa;
