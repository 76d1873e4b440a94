import { type Schema } from '../../api/client.js';
import { endedOf } from './count-bar.js';

/**
 * When a running rollout ends if it continues as until now; null where that cannot be said: too few devices have ended, or it
 * does not run. Waves that soak, windows and offline devices make it later.
 * @param now in milliseconds
 */
export function forecastEnd(
  { state, startedAt, counts, total, waves }: Schema<'RolloutWithWaves'>,
  now: number,
): number | null {
  if (state !== 'running' || startedAt === null) return null;
  const ended = endedOf(counts);
  const done = ended - counts.skipped;
  if (done < 2 || ended >= total) return null;
  const msEach = (now - new Date(startedAt).getTime()) / done;
  const soak = waves.find(({ soakUntil, state: its }) => its === 'soaking' && soakUntil !== null)?.soakUntil;
  const from = Math.max(now, soak ? new Date(soak).getTime() : 0);
  return from + msEach * (total - ended);
}
