import { Inject, Injectable } from '@nestjs/common';
import { type Device } from '../../devices/registry/device.entity.js';
import { Clock } from '../../platform/clock.js';
import { AppError, type Facts } from '../../platform/errors.js';
import { onAnswer, onFailure, passage, probeLeft, probing, type Breaker } from './breaker.js';
import { PathBreakers, type Call } from './path-breakers.js';

/** A device with its address and trust. */
type Met = Readonly<Pick<Device, 'id' | 'baseUrl' | 'trust' | 'trustPin' | 'trustCa'>>;

/** The breakers of a device in trouble. */
interface Known {
  readonly met: Met;
  breaker: Breaker | null;
  readonly paths: PathBreakers;
}

/**
 * The breakers of devices in trouble. Each process has its own, since it has its own network. A device with a new
 * address or trust starts without one.
 *
 * A failed connection counts for the device. A call that reached the device and got no answer counts for its path, and
 * for the device only as the first of its service. Otherwise a caller with one hanging path could close the device to
 * all others.
 */
@Injectable()
export class Breakers {
  private readonly known = new Map<string, Known>();
  /** Many calls can wait for one login; its failure counts once. */
  private readonly counted = new WeakSet<object>();

  constructor(@Inject(Clock) private readonly clock: Clock) {}

  /** @throws AppError `device_circuit_open` when the call may not go now */
  check(device: Met, call: Call): void {
    const known = this.onTheWayTo(device);
    if (known) this.pass(known, call);
  }

  /**
   * Admits a call, as the probe when one is due. Each `enter` is followed by one of the three methods below.
   * @throws AppError `device_circuit_open`
   */
  enter(device: Met, call: Call): void {
    const known = this.onTheWayTo(device);
    if (!known) return;
    if (this.pass(known, call)) known.breaker = known.breaker && probing(known.breaker);
    known.paths.enter(call, this.now());
  }

  /** The device answered, with any status. */
  answered(device: Met, call: Call): void {
    const known = this.find(device);
    if (!known) return;
    known.breaker = known.breaker && onAnswer(known.breaker, this.now());
    known.paths.answered(call, this.now());
    if (!known.breaker && known.paths.isEmpty) this.known.delete(device.id);
  }

  /** The call failed on its way, or got no answer. */
  troubled(device: Met, error: { readonly sent?: boolean }, call: Call): void {
    if (this.counted.has(error)) return this.left(device, call);
    this.counted.add(error);
    const found = this.find(device);
    if (!found && this.known.has(device.id)) return; // of a call that began before the address or trust changed
    const known = found ?? this.meet(device);
    const isReached = error.sent === true;
    if (!isReached) known.paths.left(call);
    const isNews = !isReached || known.paths.failed(call, this.now());
    if (isNews) known.breaker = onFailure(known.breaker ?? undefined, this.now());
    else if (known.breaker?.probing) known.breaker = probeLeft(known.breaker);
  }

  /** The call ended without a result for the breaker. */
  left(device: Met, call: Call): void {
    const known = this.find(device);
    if (!known) return;
    if (known.breaker?.probing) known.breaker = probeLeft(known.breaker);
    known.paths.left(call);
  }

  /** Closes the breakers of a device. */
  reset(deviceId: string): void {
    this.known.delete(deviceId);
  }

  /** For operators. */
  describe(device: Met): { state: 'closed' | 'open'; failures: number; probeAt: Date | null } {
    const breaker = this.find(device)?.breaker;
    const probeAt = breaker?.probeAt ?? null;
    return {
      state: probeAt === null ? 'closed' : 'open',
      failures: breaker?.streak ?? 0,
      probeAt: probeAt === null ? null : new Date(probeAt),
    };
  }

  /** The breakers for a new call: those of another address or trust are dropped. */
  private onTheWayTo(device: Met): Known | undefined {
    const known = this.find(device);
    if (!known) this.known.delete(device.id);
    return known;
  }

  private find(device: Met): Known | undefined {
    const known = this.known.get(device.id);
    return known && isSameWay(known.met, device) ? known : undefined;
  }

  private meet({ id, baseUrl, trust, trustPin, trustCa }: Met): Known {
    const known = { met: { id, baseUrl, trust, trustPin, trustCa }, breaker: null, paths: new PathBreakers() };
    this.known.set(id, known);
    return known;
  }

  /** @returns whether the call is the probe of the device */
  private pass({ breaker, paths }: Known, call: Call): boolean {
    const now = this.now();
    const verdict = breaker && passage(breaker, now);
    if (verdict?.pass === false) throw closed(verdict.retryAt - now);
    const retryAt = paths.retryAt(call, now);
    if (retryAt !== null) throw closed(retryAt - now, { path: call.acts[0]?.path });
    return verdict?.probe ?? false;
  }

  private now(): number {
    return this.clock.nowMs();
  }
}

const closed = (leftMs: number, facts: Facts = {}): AppError =>
  new AppError('device_circuit_open', { ...facts, retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) });

/** The first contact stores the pin, which is no change. */
const isSameWay = (known: Met, device: Met): boolean =>
  known.baseUrl === device.baseUrl &&
  known.trust === device.trust &&
  (known.trustPin === device.trustPin || known.trustPin === null) &&
  known.trustCa === device.trustCa;
