import { OpeningsAhead } from '../state/maintenance-window.js';
import { type RolloutPolicy, waveRules } from '../state/rollout-policy.js';
import { neededMs } from './rollout-rows.js';
import type { PlanView } from '../state/rollouts.contract.js';

/**
 * Estimates the end: each wave in turn, as many devices at once as `concurrency` and `perMinute` allow,
 * each for its longest expected time, with all soaks and windows, in the time zone of most devices. `perSite` and
 * `bytesPerSecond` are ignored.
 */
export function estimate(
  { policy, startsAt }: { readonly policy: RolloutPolicy; readonly startsAt: Date | null },
  waves: readonly { readonly devices: readonly { readonly timeZone: string | null }[] }[],
  now: number,
): PlanView['estimate'] {
  const zones = waves.flatMap(({ devices }) => devices.map(({ timeZone }) => timeZone ?? policy.timeZone));
  const zone = mostCommon(zones) ?? policy.timeZone;
  const needed = neededMs(policy);
  const intervalMs = policy.perMinute === undefined ? 0 : 60_000 / policy.perMinute;
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
      const batchMs = Math.max(needed, batch * intervalMs);
      const count = Math.min(Math.floor(left / batch), startsWithin(opening.closesAt - needed - opening.at, batchMs));
      at = opening.at + count * batchMs;
      left -= count * batch;
    }
    if (devices.length > 0) at += waveRules(policy, ordinal).soakMinutes * 60_000;
  }
  return { beginsAt: new Date(begins ?? at), endsAt: new Date(at) };
}

/** Batches that start in one opening one after the other, computed and not simulated, since a plan can have 100,000. */
function startsWithin(ms: number, batchMs: number): number {
  return batchMs === 0 ? Number.POSITIVE_INFINITY : Math.floor(ms / batchMs) + 1;
}

function mostCommon(all: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
