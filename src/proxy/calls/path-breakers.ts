import { type CallRequest } from '../connections/call-request.js';
import { onAnswer, onFailure, passage, probeLeft, probing, type Breaker } from './breaker.js';

/*
 * The breakers of single paths of one device, for calls that reached the device and got no answer. One path that hangs must
 * not close the device: it counts for the device once, together with all paths of its service.
 */

/** What the breakers look at in a call. */
export type Call = Pick<CallRequest, 'acts' | 'writes'>;

/** Paths of one device that can be in trouble at the same time; the one that failed longest ago is forgotten first. */
const PATHS_MAX = 64;

/** A path of which nothing was heard for so long says nothing about its service any more. */
const STALE_MS = 600_000;

/** Of a bulk request with many paths. */
const KEY_MAX = 1_000;

interface PathTrouble {
  readonly service: string;
  readonly breaker: Breaker;
  readonly failedAt: number;
}

export class PathBreakers {
  private readonly troubles = new Map<string, PathTrouble>();

  get isEmpty(): boolean {
    return this.troubles.size === 0;
  }

  /** @returns when a call may go to its path again; null: now. */
  retryAt(call: Call, now: number): number | null {
    const trouble = this.troubles.get(keyOf(call));
    const verdict = trouble && passage(trouble.breaker, now);
    return verdict?.pass === false ? verdict.retryAt : null;
  }

  /** A call goes out: as the probe of its path, when it is time for one. */
  enter(call: Call, now: number): void {
    this.change(call, (breaker) => {
      const verdict = passage(breaker, now);
      return verdict.pass && verdict.probe ? probing(breaker) : breaker;
    });
  }

  answered(call: Call, now: number): void {
    const key = keyOf(call);
    const trouble = this.troubles.get(key);
    if (trouble && (onAnswer(trouble.breaker, now)?.streak ?? 0) === 0) this.troubles.delete(key);
  }

  left(call: Call): void {
    this.change(call, (breaker) => (breaker.probing ? probeLeft(breaker) : breaker));
  }

  /** @returns whether it is news for the device: no other path of its service is known to fail */
  failed(call: Call, now: number): boolean {
    const key = keyOf(call);
    const service = serviceOf(call);
    let isNews = true;
    for (const known of this.troubles.values()) {
      if (known.service === service && now - known.failedAt < STALE_MS) isNews = false;
    }
    const breaker = onFailure(this.troubles.get(key)?.breaker, now);
    this.troubles.delete(key);
    this.troubles.set(key, { service, breaker, failedAt: now });
    if (this.troubles.size > PATHS_MAX) this.troubles.delete(this.troubles.keys().next().value!);
    return isNews;
  }

  private change(call: Call, next: (breaker: Breaker) => Breaker): void {
    const key = keyOf(call);
    const trouble = this.troubles.get(key);
    if (trouble) this.troubles.set(key, { ...trouble, breaker: next(trouble.breaker) });
  }
}

/** Reads and writes apart: a read that hangs does not keep a write from the same path. */
function keyOf({ acts, writes }: Call): string {
  const paths = acts.length === 1 ? acts[0]!.path : acts.map(({ path }) => path).join(' ');
  return `${writes ? 'write' : 'read'} ${paths.slice(0, KEY_MAX)}`;
}

/** `wireless` of `/api/wireless/devices/config`. Bulk requests are one service: who asks chooses what begins them. */
function serviceOf({ acts }: Call): string {
  if (acts.length > 1) return 'bulk';
  return acts[0]?.path.split('/', 3)[2]?.toLowerCase() ?? '';
}
