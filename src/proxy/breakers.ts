import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { onAnswer, onFailure, passage, probeLeft, probing, type Breaker } from './breaker.js';

/** The breakers of the devices that are in trouble. Each process finds out for itself: it has a network of its own. */
@Injectable()
export class Breakers {
  private readonly breakers = new Map<string, Breaker>();
  /** Many calls can wait for one login; when it fails that is one failure. */
  private readonly counted = new WeakSet<object>();

  constructor(@Inject(Clock) private readonly clock: Clock) {}

  /** @throws AppError `device_circuit_open` when no call may go now */
  check(deviceId: string): void {
    const breaker = this.breakers.get(deviceId);
    if (breaker) this.pass(breaker);
  }

  /**
   * Lets a call through, as the probe when it is time for one. Each `enter` is followed by one of the three below.
   * @throws AppError `device_circuit_open`
   */
  enter(deviceId: string): void {
    const breaker = this.breakers.get(deviceId);
    if (breaker && this.pass(breaker).probe) this.breakers.set(deviceId, probing(breaker));
  }

  /** The device answered, whatever it said. */
  answered(deviceId: string): void {
    const breaker = this.breakers.get(deviceId);
    if (!breaker) return;
    const next = onAnswer(breaker, this.now());
    if (next) this.breakers.set(deviceId, next);
    else this.breakers.delete(deviceId);
  }

  /** The call came to nothing on the way. */
  troubled(deviceId: string, error: object): void {
    if (this.counted.has(error)) return;
    this.counted.add(error);
    this.breakers.set(deviceId, onFailure(this.breakers.get(deviceId), this.now()));
  }

  /** The call ended without saying anything about the device. */
  left(deviceId: string): void {
    const breaker = this.breakers.get(deviceId);
    if (breaker?.probing) this.breakers.set(deviceId, probeLeft(breaker));
  }

  /** Forgets the trouble of a device. */
  reset(deviceId: string): void {
    this.breakers.delete(deviceId);
  }

  /** For people. */
  describe(deviceId: string): { state: 'closed' | 'open'; failures: number; probeAt: Date | null } {
    const breaker = this.breakers.get(deviceId);
    const probeAt = breaker?.probeAt ?? null;
    return {
      state: probeAt === null ? 'closed' : 'open',
      failures: breaker?.streak ?? 0,
      probeAt: probeAt === null ? null : new Date(probeAt),
    };
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
