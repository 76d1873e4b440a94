/*
 * Restarts that a device plans for itself: at night, where its scenario says so, and now and then at any hour. They need no
 * timer: a device that is asked after such an instant counts its uptime from it, and takes no connection in the minute after it.
 */
import { chanceAt, STREAMS, wholeAt } from './noise.js';
import type { LiveMoment } from './scenarios.js';

const DAY_S = 86_400;

/** How long a device is away at such a restart, in seconds. */
export const BOOT_S = 75;

/** The latest planned restart at or before a moment, in seconds since 1970; null when there was none in a week. */
export function lastBoot({ seed, scenario, at }: LiveMoment): number | null {
  if (scenario.nightlyBoot === 0 && scenario.strayBoot === 0) return null;
  const isNightly = chanceAt(seed, STREAMS.boot, -1) < scenario.nightlyBoot;
  // From 2 to 4 o'clock, each device at its own minute: a fleet does not restart at once.
  const nightly = wholeAt(seed, STREAMS.boot, -2, 120, 240) * 60;
  for (let day = Math.floor(at / DAY_S), oldest = day - 7; day >= oldest; day--) {
    const boots = [
      ...(isNightly ? [nightly] : []),
      ...(chanceAt(seed, STREAMS.boot, day * 2) < scenario.strayBoot
        ? [wholeAt(seed, STREAMS.boot, day * 2 + 1, 0, DAY_S - 1)]
        : []),
    ].map((second) => day * DAY_S + second);
    const past = boots.filter((boot) => boot <= at);
    if (past.length > 0) return Math.max(...past);
  }
  return null;
}
