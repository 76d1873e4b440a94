import { describe, expect, it } from 'vitest';
import { actionText, KNOWN_ACTIONS, plannedText, triedText } from '../../../console/src/ui/words/action-text.js';
import { countText, pluralText } from '../../../console/src/api/amount-text.js';
import { AUDIT_ACTIONS } from '../../../src/audit/entries/audit-actions.js';
import { relativeText } from '../../../src/api-client/relative-time.js';
import { approvalAttention } from '../../../console/src/screens/overview/attention.js';
import { shownRollout } from '../../../console/src/ui/words/rollout-state.js';
import { progressText, takingPart } from '../../../console/src/screens/rollouts/forecast.js';

/* What is done, what will be done, and how many: texts that screens make without a browser. */

const HOUR_MS = 3_600_000;

it.each([
  [43 * HOUR_MS, 'in 43 h'],
  [47.4 * HOUR_MS, 'in 47 h'],
  [47.9 * HOUR_MS, 'in 2 days'],
  [71.99 * HOUR_MS, 'in 3 days'],
  [8 * HOUR_MS - 40_000, 'in 8 h'],
  [8 * 60_000 - 5_000, 'in 8 min'],
  [48 * HOUR_MS, 'in 2 days'],
  [-30 * HOUR_MS, '30 h ago'],
  [1.99 * HOUR_MS, 'in 1 h 59 min'],
  [2 * HOUR_MS, 'in 2 h'],
  [6.4 * HOUR_MS, 'in 6 h'],
  [-7.9 * HOUR_MS, '7 h ago'],
  [-1.99 * HOUR_MS, '1 h ago'],
  [-90_000, '1 min ago'],
  [300, 'now'],
])('a time %d ms away is “%s”: days begin at two, and a near hour has its minutes', (ms, text) =>
  expect(relativeText(ms)).toBe(text),
);

describe('an action', () => {
  it.each([
    ['device.call_write', 'succeeded', 'Wrote to a device'],
    ['device.call_write', 'refused', 'Tried to write to a device'],
    ['device.call_write', null, 'Begins to write to a device'],
    ['rollout.pause', 'failed', 'Tried to pause a rollout'],
    ['job.end', 'failed', 'Ended a job'],
    ['login.fail', 'refused', 'Failed to sign in'],
    ['new.thing', 'failed', 'New: thing'],
  ])('%s that %s is “%s”', (action, outcome, text) => expect(triedText(action, outcome)).toBe(text));

  it('has words, whichever it is', () =>
    expect(AUDIT_ACTIONS.filter((one) => !KNOWN_ACTIONS.includes(one))).toEqual([]));

  it('is in the future before it is done', () => {
    expect(plannedText('device.remove')).toBe('Will remove a device');
    const planned = KNOWN_ACTIONS.map(plannedText);
    expect(planned.filter((text) => !/^Will [a-z]+ (?!.*undefined)/.test(text) && text !== 'Will be refused')).toEqual(
      [],
    );
    expect(planned.map((text) => text.split(' ')[1]!).filter((verb) => /[^e]ed$|wrote|gave/.test(verb))).toEqual([]);
    expect(actionText('device.remove')).toBe('Removed a device');
  });
});

it('a request that waits is what a person says of it', () => {
  const requests = [{ method: 'POST', path: '/api/system/actions/reboot' }];
  const asked = { id: 'a', summary: { requests }, requestedByName: 'Ada' };
  expect(approvalAttention({ ...asked, devices: 25 }).what).toBe('Ada asks to restart 25 devices');
  expect(approvalAttention({ ...asked, devices: 1 }, { reached: 22, matched: 25 })).toMatchObject({
    what: 'Ada asks to restart 1 device',
    why: 'It needs a second person · reaches 22 of 25 devices now',
  });
  expect(approvalAttention({ ...asked, summary: {}, devices: 1 }).what).toBe('Ada asks to write to 1 device');
});

describe('a rollout', () => {
  it.each([
    ['aborting', null, null, 'discarded'],
    ['aborted', null, null, 'discarded'],
    ['aborted', '2026-11-26T16:04:00Z', null, 'aborted'],
    ['scheduled', null, null, 'starting'],
    ['scheduled', null, '2026-12-26T16:04:00Z', 'scheduled'],
  ] as const)('that is %s, began at %s and starts at %s is shown as %s', (state, startedAt, startsAt, shown) =>
    expect(shownRollout({ state, startedAt, startsAt })).toBe(shown),
  );

  const NONE = {
    waiting: 0,
    offline: 0,
    queued: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    unknown: 0,
    skipped: 0,
    cancelled: 0,
  };

  it('that is a draft counts what its plan takes, and says that nothing has ended', () => {
    const counts = { ...NONE, waiting: 3, skipped: 4 };
    expect(takingPart(counts)).toBe(3);
    expect(progressText({ counts, startedAt: null })).toBe('3 devices take part');
    expect(progressText({ counts: { ...NONE, waiting: 1 }, startedAt: null })).toBe('1 device takes part');
  });

  it('that runs counts what has ended of them', () => {
    const counts = { ...NONE, running: 1, succeeded: 1, failed: 1, skipped: 4 };
    expect(progressText({ counts, startedAt: '2026-11-26T16:04:00Z' })).toBe('2 of 3 devices have ended');
  });
});

it.each([
  [0, '0 devices'],
  [1, '1 device'],
  [5_000, '5,000 devices'],
])('%d is %s', (count, text) => expect(countText(count, 'device')).toBe(text));

it('has other words in the plural', () => {
  expect([countText(1, 'entry', 'entries'), countText(2, 'entry', 'entries'), pluralText(2, 'is', 'are')]).toEqual([
    '1 entry',
    '2 entries',
    'are',
  ]);
});
