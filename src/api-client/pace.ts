/*
 * When the next request may be sent, by the `RateLimit` and `RateLimit-Policy` headers of the answers before
 * (draft-ietf-httpapi-ratelimit-headers-10). While a limit has nothing left, requests wait for one unit of it each, one after
 * the other; so a long loop runs at the rate that the gateway allows, without refusals.
 */

/** One item of a header, such as `"key";q=600;w=60`; names of the gateway have no quotes or commas inside. */
const ITEM = /^\s*"([^"]{1,64})"((?:;[a-z]=\d{1,10})*)\s*$/;

/** Headers of other servers can be of any length. */
const HEADER_MAX = 1_000;

export class Pace {
  /** Between two requests, in milliseconds; 0 while every limit has something left. */
  private spacingMs = 0;
  private nextAtMs = 0;

  /** @returns how long the next request must wait, in milliseconds; it has its turn then */
  reserve(nowMs: number): number {
    if (this.spacingMs === 0) return 0;
    this.nextAtMs = Math.max(this.nextAtMs, nowMs) + this.spacingMs;
    return this.nextAtMs - nowMs;
  }

  /** Reads the headers of an answer. Those of other servers, which have none, change nothing. */
  take(headers: Headers): void {
    const left = itemsOf(headers.get('ratelimit'));
    if (left.size === 0) return;
    const policies = itemsOf(headers.get('ratelimit-policy'));
    let spacingMs = 0;
    for (const [name, { r }] of left) {
      const { q = 0, w = 0 } = policies.get(name) ?? {};
      if (r === 0 && q > 0) spacingMs = Math.max(spacingMs, (w / q) * 1_000);
    }
    this.spacingMs = spacingMs;
    if (spacingMs === 0) this.nextAtMs = 0;
  }
}

/** @returns the parameters of each item by its name; items in another form are left out */
function itemsOf(header: string | null): ReadonlyMap<string, Readonly<Partial<Record<string, number>>>> {
  const items = new Map<string, Partial<Record<string, number>>>();
  for (const item of (header ?? '').slice(0, HEADER_MAX).split(',')) {
    const [, name, parameters = ''] = ITEM.exec(item) ?? [];
    if (name === undefined) continue;
    const pairs = parameters.split(';').filter((pair) => pair !== '');
    items.set(name, Object.fromEntries(pairs.map((pair) => [pair.slice(0, 1), Number(pair.slice(2))])));
  }
  return items;
}

/** @returns `Retry-After` in milliseconds; null without one, and for dates, which the gateway does not send */
export function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : null;
}

/** Between two attempts to open a broken stream; the pause doubles until something comes. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;

/** @returns the pause before the next attempt, in milliseconds; a part of it is chance, so that clients do not come together */
export function pauseAfter(failures: number): number {
  return Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
}

/** Waits. @throws the reason of the signal, at once when it aborts */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
