import { describe, expect, it } from 'vitest';
import { rolloutPolicy } from '../../src/rollouts/state/rollout-policy.js';

describe('the stop of a policy', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [{ stop: { failures: 1 } }, true],
    [{ stop: { percent: 0.5 } }, true],
    [{ stop: { percent: 100, minimum: 1 } }, true],
    [{ stop: { failures: 3, percent: 10 } }, true],
    [{ stop: 'never' }, true],
    [{ stop: {} }, false],
    [{ stop: { minimum: 5 } }, false],
    [{ stop: { failures: 0 } }, false],
    [{ stop: { percent: 0 } }, false],
    [{ stop: { failures: '10%' } }, false],
    [{ stop: { percent: null } }, false],
    [{ stop: null }, false],
    [{ stop: 'Never' }, false],
    [{ stop: false }, false],
    [{ stop: { never: true } }, false],
  ])('%j is accepted: %s', (policy, isValid) => {
    expect(rolloutPolicy.safeParse(policy).success).toBe(isValid);
  });
});
