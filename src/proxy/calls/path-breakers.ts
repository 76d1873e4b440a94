import { type CallRequest } from '../connections/call-request.js';
import { onAnswer, onFailure, verdictOf, trialAbandoned, trialStarted, type Breaker } from './breaker.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Breakers of single paths of one device, for calls that reached the device and got no answer. One hanging path must
 * not block the device: together with all paths of its service it counts for the device once.
 */

/** The part of a call that breakers use. */
export type BreakerCall = Pick<CallRequest, 'acts' | 'writes'>;

/** The most tracked paths of one device; the least recently used one is dropped first. */
const PATHS_MAX = 64;

/** After this time without a call a path no longer counts for its service. */
const STALE_MS = 600_000;

/** The longest key, for a bulk request with many paths. */
const KEY_MAX = 1_000;

interface PathTrouble {
  readonly service: string;
  readonly breaker: Breaker;
  readonly failedAt: number;
}

export class PathBreakers {
  private readonly troubles = boundedCache<string, PathTrouble>(PATHS_MAX);

  get isEmpty(): boolean {
    return this.troubles.size === 0;
  }

  /** @returns when a call may use its path again; null: now */
  retryAt(call: BreakerCall, now: number, isInteractive: boolean): number | null {
    const trouble = this.troubles.get(keyOf(call));
    const verdict = trouble && verdictOf(trouble.breaker, now, isInteractive);
    return verdict?.pass === false ? verdict.retryAt : null;
  }

  /** Registers a call, as the trial call of its path when one is due. */
  register(call: BreakerCall, now: number, isInteractive: boolean): void {
    this.change(call, (breaker) => {
      const verdict = verdictOf(breaker, now, isInteractive);
      return verdict.pass && verdict.isTrial ? trialStarted(breaker) : breaker;
    });
  }

  answered(call: BreakerCall, now: number): void {
    const key = keyOf(call);
    const trouble = this.troubles.get(key);
    if (trouble && (onAnswer(trouble.breaker, now)?.streak ?? 0) === 0) this.troubles.delete(key);
  }

  abandoned(call: BreakerCall): void {
    this.change(call, (breaker) => (breaker.isTrialRunning ? trialAbandoned(breaker) : breaker));
  }

  /** @returns whether it counts for the device: no other path of its service is failing */
  failed(call: BreakerCall, now: number): boolean {
    const key = keyOf(call);
    const service = serviceOf(call);
    let countsForDevice = true;
    for (const known of this.troubles.values()) {
      if (known.service === service && now - known.failedAt < STALE_MS) countsForDevice = false;
    }
    const breaker = onFailure(this.troubles.get(key)?.breaker, now);
    this.troubles.set(key, { service, breaker, failedAt: now });
    return countsForDevice;
  }

  private change(call: BreakerCall, next: (breaker: Breaker) => Breaker): void {
    const key = keyOf(call);
    const trouble = this.troubles.get(key);
    if (trouble) this.troubles.set(key, { ...trouble, breaker: next(trouble.breaker) });
  }
}

/** Reads and writes separately: a hanging read does not stop a write to the same path. */
function keyOf({ acts, writes }: BreakerCall): string {
  const paths = acts.length === 1 ? acts[0]!.path : acts.map(({ path }) => path).join(' ');
  return `${writes ? 'write' : 'read'} ${paths.slice(0, KEY_MAX)}`;
}

/**
 * Such as `wireless` of `/api/wireless/devices/config`. Bulk requests are one service: the caller chooses their first
 * item.
 */
function serviceOf({ acts }: BreakerCall): string {
  if (acts.length > 1) return 'bulk';
  return acts[0]?.path.split('/', 3)[2]?.toLowerCase() ?? '';
}
