import { describe, expect, it } from 'vitest';
import { CallerPace } from '../../../src/proxy/connections/caller-pace.js';

/** One check: the time, the bytes until then, and whether the gateway waits for the caller. */
type Check = readonly [now: number, bytes: number, waits: boolean];

const RATE = 1_000;

describe('a caller', () => {
  it.each<[string, readonly Check[], boolean]>([
    ['that has just begun keeps up', [[500, 0, true]], false],
    ['that stops for three seconds keeps up', [[3_000, 0, true]], false],
    ['that stops for four seconds is behind', [[4_000, 0, true]], true],
    [
      'that stops in steps is behind',
      [
        [2_000, 0, true],
        [4_000, 0, true],
      ],
      true,
    ],
    ['that waits for the device keeps up for ever', [[600_000, 0, false]], false],
    [
      'is not charged for the time of the device',
      [
        [600_000, 0, false],
        [603_000, 0, true],
      ],
      false,
    ],
    [
      'that moves at the rate keeps up',
      [
        [3_000, 3_000, true],
        [6_000, 6_000, true],
        [9_000, 9_000, true],
      ],
      false,
    ],
    [
      'that moves at half the rate is behind in time',
      [
        [3_000, 1_500, true],
        [6_000, 3_000, true],
        [9_000, 4_500, true],
      ],
      true,
    ],
    [
      'has no more credit for the megabytes before it stopped',
      [
        [1_000, 50_000_000, true],
        [5_000, 50_000_000, true],
      ],
      true,
    ],
    [
      'that moves again is no longer behind',
      [
        [4_000, 0, true],
        [5_000, 3_000, true],
      ],
      false,
    ],
    [
      'that is behind is not when the device is waited for',
      [
        [4_000, 0, true],
        [4_500, 0, false],
      ],
      false,
    ],
    [
      'with a byte now and then is behind',
      [
        [2_000, 1, true],
        [4_000, 2, true],
        [6_000, 3, true],
      ],
      true,
    ],
  ])('%s', (_what, checks, isBehind) => {
    const pace = new CallerPace(0, RATE);
    const verdicts = checks.map((check) => pace.isBehind(...check));
    expect(verdicts.at(-1)).toBe(isBehind);
  });
});
