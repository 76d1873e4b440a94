import { expect, it } from 'vitest';
import { courseOf } from '../../../../console/src/screens/monitoring/alert/course.js';

type Alert = Parameters<typeof courseOf>[0];

const alert = (given: Partial<Alert>) =>
  ({
    state: 'pending',
    matchedAt: '2026-11-30T08:00:00.000Z',
    openedAt: null,
    acknowledgedAt: null,
    acknowledgedByName: null,
    acknowledgement: null,
    clearedAt: null,
    closedAt: null,
    ...given,
  }) as Alert;
const texts = (given: Partial<Alert>) => courseOf(alert(given), '15 min', '5 min').map(({ text }) => text);

it('says what an alert waits for', () => {
  expect(texts({})).toEqual(['The device met the rule', 'It opens after 15 min, if the device still meets the rule']);
  const open = { state: 'open', openedAt: '2026-11-30T08:15:00.000Z' } as const;
  expect(texts(open).at(-1)).toBe('It closes when that is over');
  expect(texts({ ...open, clearedAt: '2026-11-30T09:00:00.000Z' }).at(-1)).toBe(
    'It closes after 5 min, if it stays so',
  );
});

it('has the steps in the order in which they happened, with who takes care and the note', () => {
  const course = courseOf(
    alert({
      state: 'closed',
      openedAt: '2026-11-30T08:15:00.000Z',
      clearedAt: '2026-11-30T08:20:00.000Z',
      acknowledgedAt: '2026-11-30T08:22:00.000Z',
      acknowledgedByName: 'Ada',
      acknowledgement: 'On the way',
      closedAt: '2026-11-30T08:25:00.000Z',
    }),
    null,
    null,
  );
  expect(course.map(({ text, note }) => (note ? `${text}: ${note}` : text))).toEqual([
    'The device met the rule',
    'The alert opened',
    'The device met the rule no longer',
    'Ada takes care of it: On the way',
    'The alert closed',
  ]);
});
