import { type components } from './openapi.js';

type Rollout = components['schemas']['RolloutWithWaves'];

/**
 * Whether a wave passed with fewer successes than its rule asks for, since a person resumed the rollout. A reader with
 * rights on some devices has the counts of those alone, and is told by them.
 */
export function isAcceptedWave(
  { ordinal, state, counts }: Rollout['waves'][number],
  { waves }: Rollout['policy'],
): boolean {
  const { successPercent } = waves[ordinal] ?? waves.at(-1)!;
  const counted = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.skipped; // they may not count
  return state === 'passed' && counted > 0 && counts.succeeded * 100 < Math.max(1, counted * successPercent);
}
