import { Inject, Injectable } from '@nestjs/common';
import { type Device } from '../../devices/registry/device.entity.js';
import { Clock } from '../../platform/clock.js';
import { AppError, type Facts } from '../../platform/errors.js';
import { onAnswer, onFailure, verdictOf, trialAbandoned, trialStarted, type Breaker } from './breaker.js';
import { PathBreakers, type BreakerCall } from './path-breakers.js';

/** The address and trust of a device: after a change its breakers start closed. */
type DeviceEndpoint = Readonly<Pick<Device, 'id' | 'baseUrl' | 'trust' | 'trustPin' | 'trustCa'>>;

/** The breakers of a device in trouble. */
interface DeviceBreakers {
  readonly endpoint: DeviceEndpoint;
  breaker: Breaker | null;
  readonly paths: PathBreakers;
}

/**
 * The breakers of devices in trouble. Each process has its own, since it has its own network. A device with a new
 * address or trust starts without one.
 *
 * A failed connection counts for the device. A call that reached the device and got no answer counts for its path, and
 * for the device only as the first of its service. Otherwise a caller with one hanging path could block the device
 * for all others.
 */
@Injectable()
export class Breakers {
  private readonly known = new Map<string, DeviceBreakers>();
  /** Many calls can wait for one login; its failure counts once. */
  private readonly counted = new WeakSet<object>();

  constructor(@Inject(Clock) private readonly clock: Clock) {}

  /**
   * @param isInteractive whether an operator, person or program, waits for the answer
   * @throws AppError `device_circuit_open` when the call may not go now
   */
  check(device: DeviceEndpoint, call: BreakerCall, isInteractive = false): void {
    const known = this.currentOf(device);
    if (known) this.refuseWhileOpen(known, call, isInteractive);
  }

  /**
   * Checks a call and registers it, as the trial call when one is due. One of the three methods below must follow.
   * @throws AppError `device_circuit_open`
   */
  checkAndEnter(device: DeviceEndpoint, call: BreakerCall, isInteractive = false): void {
    const known = this.currentOf(device);
    if (!known) return;
    if (this.refuseWhileOpen(known, call, isInteractive)) known.breaker = known.breaker && trialStarted(known.breaker);
    known.paths.register(call, this.now(), isInteractive);
  }

  /** The device answered, with any status. */
  answered(device: DeviceEndpoint, call: BreakerCall): void {
    const known = this.find(device);
    if (!known) return;
    known.breaker = known.breaker && onAnswer(known.breaker, this.now());
    known.paths.answered(call, this.now());
    if (!known.breaker && known.paths.isEmpty) this.known.delete(device.id);
  }

  /** The call failed on its way, or got no answer. */
  failed(device: DeviceEndpoint, error: { readonly sent?: boolean }, call: BreakerCall): void {
    if (this.counted.has(error)) return this.abandoned(device, call);
    this.counted.add(error);
    const found = this.find(device);
    if (!found && this.known.has(device.id)) return; // of a call that began before the address or trust changed
    const known = found ?? this.add(device);
    const isReached = error.sent === true;
    if (!isReached) known.paths.abandoned(call);
    const countsForDevice = !isReached || known.paths.failed(call, this.now());
    if (countsForDevice) known.breaker = onFailure(known.breaker ?? undefined, this.now());
    else if (known.breaker?.isTrialRunning) known.breaker = trialAbandoned(known.breaker);
  }

  /** The call ended without saying anything about the device, as when its caller disconnected. */
  abandoned(device: DeviceEndpoint, call: BreakerCall): void {
    const known = this.find(device);
    if (!known) return;
    if (known.breaker?.isTrialRunning) known.breaker = trialAbandoned(known.breaker);
    known.paths.abandoned(call);
  }

  /** Closes the breakers of a device. */
  reset(deviceId: string): void {
    this.known.delete(deviceId);
  }

  /** For operators; `probeAt` is the time of the next trial call. */
  describe(device: DeviceEndpoint): { state: 'closed' | 'open'; failures: number; probeAt: Date | null } {
    const breaker = this.find(device)?.breaker;
    const trialAt = breaker?.trialAt ?? null;
    return {
      state: trialAt === null ? 'closed' : 'open',
      failures: breaker?.streak ?? 0,
      probeAt: trialAt === null ? null : new Date(trialAt),
    };
  }

  /** The breakers for a new call; those of an earlier address or trust are dropped. */
  private currentOf(device: DeviceEndpoint): DeviceBreakers | undefined {
    const known = this.find(device);
    if (!known) this.known.delete(device.id);
    return known;
  }

  private find(device: DeviceEndpoint): DeviceBreakers | undefined {
    const known = this.known.get(device.id);
    return known && isSameEndpoint(known.endpoint, device) ? known : undefined;
  }

  private add({ id, baseUrl, trust, trustPin, trustCa }: DeviceEndpoint): DeviceBreakers {
    const known = { endpoint: { id, baseUrl, trust, trustPin, trustCa }, breaker: null, paths: new PathBreakers() };
    this.known.set(id, known);
    return known;
  }

  /** @returns whether the call is the trial call of the device */
  private refuseWhileOpen({ breaker, paths }: DeviceBreakers, call: BreakerCall, isInteractive: boolean): boolean {
    const now = this.now();
    const verdict = breaker && verdictOf(breaker, now, isInteractive);
    if (verdict?.pass === false) throw circuitOpen(verdict.retryAt - now);
    const retryAt = paths.retryAt(call, now, isInteractive);
    if (retryAt !== null) throw circuitOpen(retryAt - now, { path: call.acts[0]?.path });
    return verdict?.isTrial ?? false;
  }

  private now(): number {
    return this.clock.nowMs();
  }
}

const circuitOpen = (leftMs: number, facts: Facts = {}): AppError =>
  new AppError('device_circuit_open', { ...facts, retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) });

/** The first contact stores the pin, which is no change. */
const isSameEndpoint = (known: DeviceEndpoint, device: DeviceEndpoint): boolean =>
  known.baseUrl === device.baseUrl &&
  known.trust === device.trust &&
  (known.trustPin === device.trustPin || known.trustPin === null) &&
  known.trustCa === device.trustCa;
