import { describe, expect, it } from 'vitest';
import { awaySeconds, awayText } from '../../../../console/src/screens/jobs/acting/away.js';
import { median } from '../../../../console/src/screens/rollouts/pictures/wave-times.js';
import { typedTimeText } from '../../../../console/src/ui/words/typed-time.js';

/* What stands below a time that is typed, and how long a restart takes a device away. */

describe('a typed time', () => {
  it.each([
    ['04:05', 'Europe/Vilnius', '04:05 (24-hour), Europe/Vilnius'],
    ['16:05', undefined, '16:05 (24-hour)'],
    ['2026-01-02T15:04', 'UTC', '2 Jan 2026, 15:04 (24-hour), UTC'],
    ['', 'UTC', 'UTC'],
    ['15:', 'UTC', 'UTC'],
  ])('%j in %s is said with 24 hours and its zone', (value, zone, text) => {
    expect(typedTimeText(value, zone)).toBe(text);
  });
});

describe('how long a device was away', () => {
  it('is what its last job of the kind saw, and nothing where that did not restart it', () => {
    expect(awaySeconds({ result: { downSeconds: 47.6 } })).toBe(47.6);
    expect([null, {}, { downSeconds: 0 }, { downSeconds: 'x' }].map((result) => awaySeconds({ result }))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(awayText('reboot', 47.6)).toBe('Away for 48 s at its last restart');
  });

  it('is the median of the jobs of a plan', () => {
    expect(median([90, 30, 48])).toBe(48);
    expect(median([])).toBeNull();
  });
});
