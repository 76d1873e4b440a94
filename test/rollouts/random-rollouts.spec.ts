import { describe, expect, it } from 'vitest';
import { sizeOf } from '../support/forms.js';
import { VirtualRollout } from './virtual-rollout.js';

const RUNS = Number(process.env['TEST_ROLLOUT_RUNS'] ?? sizeOf({ short: 500, long: 1_000, nightly: 10_000 }));
const SEED = Number(process.env['TEST_SEED'] ?? 20_261_121);

/** What `VirtualRollout.seen` must hold in one run of a hundred. */
const OFTEN = [
  'finished',
  'aborted',
  'error_threshold',
  'wave_failed',
  'operator',
  'begun in a window',
  'unhealthy',
  'lost',
  'a wave after a wave',
];

/** Adds what one run has seen to what all have seen. */
function add(all: Record<string, number>, seen: Readonly<Record<string, number>>): void {
  for (const [what, count] of Object.entries(seen)) all[what] = (all[what] ?? 0) + count;
}

describe(`${RUNS} random rollouts on a virtual clock`, () => {
  it(`break no rule (seed ${SEED})`, () => {
    const seen: Record<string, number> = {};
    for (let run = 0; run < RUNS; run++) {
      const rollout = new VirtualRollout(SEED + run);
      try {
        rollout.live();
      } catch (error) {
        throw new Error(`Run ${run} of seed ${SEED} (TEST_SEED=${SEED + run} TEST_ROLLOUT_RUNS=1 repeats it)`, {
          cause: error,
        });
      }
      add(seen, rollout.seen);
    }
    // Every way to stop and to end was taken, and often, so that the rules were really tried.
    expect(OFTEN.filter((what) => (seen[what] ?? 0) < Math.floor(RUNS / 100))).toEqual([]);
  });
});
