import { expect, it } from 'vitest';
import { clockText, openingsByDay } from '../../../../console/src/screens/rollouts/openings.js';

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Each day as `2026-11-24 22:00–24:00`. 2026-11-24 is a Tuesday. */
const shown = (windows: Parameters<typeof openingsByDay>[0]) =>
  openingsByDay(windows, '2026-11-24', 3).map(({ date, openings }) =>
    [date, ...openings.map(({ from, to }) => `${clockText(from)}–${clockText(to)}`)].join(' '),
  );

it('shows a window on its days, and not on an excepted date', () => {
  const window = {
    days: ['tue', 'wed', 'thu'] as ('tue' | 'wed' | 'thu')[],
    from: '02:00',
    to: '04:30',
    except: ['2026-11-25'],
  };
  expect(shown([window])).toEqual(['2026-11-24 02:00–04:30', '2026-11-25', '2026-11-26 02:00–04:30']);
});

it('cuts a window that crosses midnight in two, also one of the day before', () => {
  const window = { days: ['mon', 'tue'] as ('mon' | 'tue')[], from: '22:00', to: '02:00', except: [] };
  expect(shown([window])).toEqual(['2026-11-24 00:00–02:00 22:00–24:00', '2026-11-25 00:00–02:00', '2026-11-26']);
});

it('shows several windows of a day in their order, and a whole day', () => {
  const all = [...days];
  const late = { days: all, from: '20:00', to: '21:00', except: [] };
  const early = { days: all, from: '01:00', to: '02:00', except: [] };
  expect(shown([late, early])[0]).toBe('2026-11-24 01:00–02:00 20:00–21:00');
  const whole = { days: ['wed'] as 'wed'[], from: '00:00', to: '00:00', except: [] };
  expect(shown([whole])).toEqual(['2026-11-24', '2026-11-25 00:00–24:00', '2026-11-26']);
});
