import { Inject, Injectable } from '@nestjs/common';
import { type Device } from '../devices/device.entity.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { onAnswer, onFailure, passage, probeLeft, probing, type Breaker } from './breaker.js';

/** A device, and the way to it. */
type Met = Readonly<Pick<Device, 'id' | 'baseUrl' | 'trust' | 'trustPin' | 'trustCa'>>;

/**
 * The breakers of the devices that are in trouble. Each process finds out for itself: it has a network of its own. A device
 * that has got another address or another trust since is met anew.
 */
@Injectable()
export class Breakers {
  private readonly breakers = new Map<string, { readonly met: Met; readonly breaker: Breaker }>();
  /** Many calls can wait for one login; when it fails that is one failure. */
  private readonly counted = new WeakSet<object>();

  constructor(@Inject(Clock) private readonly clock: Clock) {}

  /** @throws AppError `device_circuit_open` when no call may go now */
  check(device: Met): void {
    const breaker = this.onTheWayTo(device);
    if (breaker) this.pass(breaker);
  }

  /**
   * Lets a call through, as the probe when it is time for one. Each `enter` is followed by one of the three below.
   * @throws AppError `device_circuit_open`
   */
  enter(device: Met): void {
    const breaker = this.onTheWayTo(device);
    if (breaker && this.pass(breaker).probe) this.keep(device, probing(breaker));
  }

  /** The device answered, whatever it said. */
  answered(device: Met): void {
    const breaker = this.find(device);
    if (breaker) this.keep(device, onAnswer(breaker, this.now()));
  }

  /** The call came to nothing on the way. */
  troubled(device: Met, error: object): void {
    if (this.counted.has(error)) return;
    this.counted.add(error);
    const breaker = this.find(device);
    if (!breaker && this.breakers.has(device.id)) return; // of a call that began before the device was met anew
    this.keep(device, onFailure(breaker, this.now()));
  }

  /** The call ended without saying anything about the device. */
  left(device: Met): void {
    const breaker = this.find(device);
    if (breaker?.probing) this.keep(device, probeLeft(breaker));
  }

  /** Forgets the trouble of a device. */
  reset(deviceId: string): void {
    this.breakers.delete(deviceId);
  }

  /** For people. */
  describe(device: Met): { state: 'closed' | 'open'; failures: number; probeAt: Date | null } {
    const breaker = this.find(device);
    const probeAt = breaker?.probeAt ?? null;
    return {
      state: probeAt === null ? 'closed' : 'open',
      failures: breaker?.streak ?? 0,
      probeAt: probeAt === null ? null : new Date(probeAt),
    };
  }

  /** For a call that begins: what was found out on another way is forgotten. */
  private onTheWayTo(device: Met): Breaker | undefined {
    const breaker = this.find(device);
    if (!breaker) this.breakers.delete(device.id);
    return breaker;
  }

  private find(device: Met): Breaker | undefined {
    const known = this.breakers.get(device.id);
    return known && isSameWay(known.met, device) ? known.breaker : undefined;
  }

  private keep({ id, baseUrl, trust, trustPin, trustCa }: Met, breaker: Breaker | null): void {
    if (breaker) this.breakers.set(id, { met: { id, baseUrl, trust, trustPin, trustCa }, breaker });
    else this.breakers.delete(id);
  }

  private pass(breaker: Breaker): { probe: boolean } {
    const now = this.now();
    const verdict = passage(breaker, now);
    if (verdict.pass) return verdict;
    throw new AppError('device_circuit_open', {
      retryAfterSeconds: Math.max(1, Math.ceil((verdict.retryAt - now) / 1000)),
    });
  }

  private now(): number {
    return this.clock.nowMs();
  }
}

/** First contact writes the pin down: that is no other way. */
const isSameWay = (known: Met, device: Met): boolean =>
  known.baseUrl === device.baseUrl &&
  known.trust === device.trust &&
  (known.trustPin === device.trustPin || known.trustPin === null) &&
  known.trustCa === device.trustCa;
