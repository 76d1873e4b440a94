import { OpeningsAhead } from '../state/maintenance-window.js';
import { type RolloutPolicy, waveRules } from '../state/rollout-policy.js';
import { neededMs } from './rollout-rows.js';

/** When the first device can begin and when the last one ends, at the earliest. */
export interface Estimate {
  readonly beginsAt: Date;
  readonly endsAt: Date;
}

interface EstimatedWave {
  readonly devices: readonly { readonly timeZone: string | null }[];
}

/**
 * When it ends at the earliest: each wave in turn, so many at once as may be, each device as long as is expected, all
 * soaks, and the windows in between, on the clock of most devices.
 */
export function estimate(
  { policy, startsAt }: { readonly policy: RolloutPolicy; readonly startsAt: Date | null },
  waves: readonly EstimatedWave[],
  now: number,
): Estimate | null {
  const zones = waves.flatMap(({ devices }) => devices.map(({ timeZone }) => timeZone ?? policy.timeZone));
  const zone = mostCommon(zones) ?? policy.timeZone;
  const needed = neededMs(policy);
  const paceMs = policy.perMinute === undefined ? 0 : 60_000 / policy.perMinute;
  const startAt = Math.max(now, startsAt?.getTime() ?? now);
  const openings = new OpeningsAhead(policy.windows, zone, startAt);
  let at = startAt;
  let begins: number | null = null;
  for (const [ordinal, { devices }] of waves.entries()) {
    for (let left = devices.length; left > 0;) {
      const opening = openings.next(at, needed);
      if (!opening) return null;
      begins ??= opening.at;
      const batch = Math.min(left, policy.concurrency);
      const batchMs = Math.max(needed, batch * paceMs);
      const count = Math.min(Math.floor(left / batch), startsWithin(opening.closesAt - needed - opening.at, batchMs));
      at = opening.at + count * batchMs;
      left -= count * batch;
    }
    if (devices.length > 0) at += waveRules(policy, ordinal).soakMinutes * 60_000;
  }
  return { beginsAt: new Date(begins ?? at), endsAt: new Date(at) };
}

/** Batches that begin in an opening one after the other: reckoned, since a plan can have 100,000. */
function startsWithin(ms: number, batchMs: number): number {
  return batchMs === 0 ? Number.POSITIVE_INFINITY : Math.floor(ms / batchMs) + 1;
}

function mostCommon(all: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
