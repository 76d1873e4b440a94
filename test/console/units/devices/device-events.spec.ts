import { describe, expect, it } from 'vitest';
import { dataDays } from '../../../../console/src/screens/device-values/data-days.js';
import { eventsOf } from '../../../../console/src/screens/device-values/events.js';

const FIRST = '2026-11-22T08:00:00.000Z';

describe('what happened to a device', () => {
  it('is one list of jobs, states and changes, with what was first learned as one event', () => {
    const first = (field: string, after: string, before: string | null = null) => ({ at: FIRST, field, before, after });
    const events = eventsOf(
      [
        { at: '2026-11-28T08:00:00.000Z', field: 'state', before: 'online', after: 'offline' },
        { at: '2026-11-27T08:00:00.000Z', field: 'firmware', before: 'A', after: 'B' },
        first('profile', 'rutos', 'unknown'),
        first('mac', '02:00'),
        first('model', 'RUTX50'),
      ],
      [
        { id: '1', kind: 'backup', phase: 'ended', outcome: 'succeeded', createdAt: '2026-11-27T20:00:00.000Z' },
        { id: '2', kind: 'reboot', phase: 'running', outcome: null, createdAt: '2026-11-29T20:00:00.000Z' },
      ],
      (state) => state.charAt(0).toUpperCase() + state.slice(1),
    );
    expect(events.map(({ what, how }) => [what, how])).toEqual([
      ['Job: Restart', 'Running'],
      ['State', 'Online → Offline'],
      ['Job: Backup', 'Succeeded'],
      ['Firmware', 'A → B'],
      ['Identified', 'Model RUTX50 · MAC 02:00 · Form of its API rutos'],
    ]);
    expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  });
});

const MB = 1_000_000;

/** An hour of the counter of a router that sets it back at midnight UTC, with a megabyte each hour. */
const hour = (at: number) => {
  const time = new Date(Date.UTC(2026, 10, 24) + at * 3_600_000);
  const used = time.getUTCHours() * MB;
  return { at: time.toISOString(), min: used, max: used + MB };
};

describe('the data of each day', () => {
  it('ends where the counter falls, though the midnight of the router is not that of its zone', () => {
    const points = Array.from({ length: 60 }, (_, at) => hour(at));
    expect(dataDays(points, 'Europe/Vilnius')).toEqual([
      { date: '2026-11-24', bytes: 24 * MB },
      { date: '2026-11-25', bytes: 24 * MB },
      { date: '2026-11-26', bytes: 12 * MB },
    ]);
  });

  it('keeps a long time without samples apart, and counts a part with two days to both', () => {
    const points = [
      { at: '2026-11-24T10:00:00.000Z', min: 1 * MB, max: 3 * MB },
      { at: '2026-11-25T23:00:00.000Z', min: 5 * MB, max: 5 * MB },
      { at: '2026-11-25T23:55:00.000Z', min: 0, max: 6 * MB },
      { at: '2026-11-26T08:00:00.000Z', min: 1 * MB, max: 2 * MB },
    ];
    expect(dataDays(points, 'UTC')).toEqual([
      { date: '2026-11-24', bytes: 3 * MB },
      { date: '2026-11-25', bytes: 6 * MB },
      { date: '2026-11-26', bytes: 2 * MB },
    ]);
    expect(dataDays([], null)).toEqual([]);
  });
});
