import { countText, numberText, pluralText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';

type Schemas = components['schemas'];
type Counts = Schemas['TargetCounts'];

export const failedOf = ({ failed, unknown }: Counts): number => failed + unknown;
/** Of the devices that take part. */
export const endedOf = (counts: Counts): number => counts.succeeded + failedOf(counts) + counts.cancelled;

/** Devices that the plan took; others of the selector were left out, and are never done. */
export const takingPart = (counts: Counts): number =>
  Object.values(counts).reduce((all, one) => all + one, 0) - counts.skipped;

/** A rollout that has not begun has ended nowhere. */
export function progressText({ counts, startedAt }: Pick<Schemas['Rollout'], 'counts' | 'startedAt'>): string {
  const total = takingPart(counts);
  const ended = endedOf(counts);
  if (startedAt === null && ended === 0)
    return `${countText(total, 'device')} ${pluralText(total, 'takes', 'take')} part`;
  return `${numberText(ended)} of ${countText(total, 'device')} ${pluralText(total, 'has', 'have')} ended`;
}

/**
 * When a running rollout ends if it continues as until now; null where that cannot be said: too few devices have ended, or it
 * does not run. Waves that soak, windows and offline devices make it later.
 * @param now in milliseconds
 */
export function forecastEnd(
  { state, startedAt, counts, waves }: Schemas['RolloutWithWaves'],
  now: number,
): number | null {
  if (state !== 'running' || startedAt === null) return null;
  const done = endedOf(counts);
  const total = takingPart(counts);
  if (done < 2 || done >= total) return null;
  const msEach = (now - new Date(startedAt).getTime()) / done;
  const soak = waves.find(({ soakUntil, state: its }) => its === 'soaking' && soakUntil !== null)?.soakUntil;
  const from = Math.max(now, soak ? new Date(soak).getTime() : 0);
  return from + msEach * (total - done);
}
