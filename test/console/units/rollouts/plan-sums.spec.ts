import { expect, it } from 'vitest';
import { planSums } from '../../../../console/src/screens/rollouts/plan/plan-sums.js';

/* How many devices of a plan start now, and why not all. */

const plan = (
  total: number,
  ready: number,
  notReady: readonly [string, number][] = [],
  left: readonly string[] = [],
) => ({
  total,
  ready,
  notReady: notReady.map(([reason, devices]) => ({ reason, devices, first: [] })),
  skipped: left.map((reason, at) => ({ deviceId: String(at), name: `pump-${at}`, reason })),
  skippedTotal: left.length,
  heldBy: [],
});

const textsOf = (...given: Parameters<typeof planSums>) => {
  const { headline, lines } = planSums(...given);
  return [
    headline,
    ...lines.map(({ text, isLess, needsAct }) => `${isLess ? '-' : '='}${needsAct ? '!' : ''} ${text}`),
  ];
};

it('of a plan that takes all devices are said in one line', () => {
  expect(textsOf(plan(1, 1), 0)).toEqual(['1 device takes part']);
  expect(planSums(plan(1, 1), 0).isWork).toBe(true);
});

it('add up from what matches to what starts now', () => {
  const found = plan(24, 20, [['backup_missing', 4]], ['device_has_no_credentials']);
  expect(textsOf(found, 0)).toEqual([
    '20 of 24 devices can start now: 4 without a recent backup',
    '= 25 devices match',
    '-! 1 is left out, without stored credentials',
    '= 24 devices take part',
    '-! 4 without a recent backup',
    '= 20 can start now',
  ]);
});

it('leave out those that have the version already', () => {
  const found = plan(12, 8, [['backup_missing', 4]]);
  expect(planSums(found, 8)).toMatchObject({
    isWork: false,
    headline: '0 of 4 devices can start now: 4 without a recent backup',
  });
  expect(planSums(found, 8, true).isWork).toBe(true);
});

it('are at least so many where a device may have the version and wait', () => {
  const found = plan(12, 8, [['offline', 4]]);
  expect(textsOf(found, 8)).toEqual([
    'Perhaps none of 4 devices can start now: 4 offline',
    '= 12 devices take part',
    '- 8 have this version already',
    '- 4 offline',
    '= perhaps none can start now',
  ]);
});

it('say whether a start does something', () => {
  expect(planSums(plan(3, 0, [['backup_missing', 3]]), 0).isWork).toBe(false);
  expect(planSums(plan(3, 0, [['offline', 3]]), 0).isWork).toBe(true);
  expect(textsOf(plan(3, 3), 3)[0]).toBe('Nothing to do: 3 devices have it already');
  expect(planSums(plan(3, 3), 3).isWork).toBe(false);
});
