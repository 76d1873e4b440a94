import { describe, expect, it } from 'vitest';
import { type DeviceItem, type ItemDifference } from '../../src/templates/desired/desired-plan.js';
import {
  appliedItems,
  type AppliedTemplate,
  formsOf,
  isSameApplied,
  putBackAgain,
  syncOf,
} from '../../src/templates/desired/sync-state.js';
import { sizeOf } from '../support/forms.js';
import { Random } from './random.js';

const LIST = '/api/dhcp/static_leases/config';
const ip = (value: string): DeviceItem[] => [
  { path: LIST, key: { name: 'pump' }, mode: 'has', options: { ip: value }, sealed: [] },
];
const hidden = (difference: ItemDifference) => difference;
const bodies = (value: string | null) =>
  new Map([[LIST, value === null ? [] : [{ id: '1', name: 'pump', ip: value, foreign: 'x' }]]]);
const had = (value: string, forms: readonly string[] = []) => ({ items: ip(value), forms });

describe('the state of a device', () => {
  it.each<[string, string, AppliedTemplate<DeviceItem> | null, string | null, string]>([
    ['has what it should, and nothing was ever applied', '1', null, '1', 'in_sync'],
    ['was never set to it', '2', null, '1', 'pending'],
    ['was set to an earlier version, and kept it', '2', had('1'), '1', 'pending'],
    ['moved since it was set to this version', '1', had('1'), '3', 'drifted'],
    ['lost its section since then', '1', had('1'), null, 'drifted'],
    ['moved since an earlier version', '2', had('1'), '3', 'both'],
    ['moved by itself to what the newest version says', '2', had('1'), '2', 'in_sync'],
  ])('that %s', (_name, wanted, applied, seen, state) => {
    expect(syncOf({ items: ip(wanted), applied, bodies: bodies(seen), hidden }).state).toBe(state);
  });

  it('is in sync in the form that the device gave after the apply, and drifted in any other', () => {
    const items = ip('1024M');
    const answered = syncOf({ items, applied: null, bodies: bodies('1G'), hidden });
    const applied = { items, forms: formsOf(answered.plan, hidden) };
    const now = (seen: string, wanted = items) => syncOf({ items: wanted, applied, bodies: bodies(seen), hidden });
    expect(now('1G')).toMatchObject({ state: 'in_sync', plan: { changes: [] } });
    expect(now('2G').state).toBe('drifted');
    expect(now('1G', ip('2048M'))).toMatchObject({ state: 'pending', plan: { changes: [{ data: { ip: '2048M' } }] } });
  });
});

describe('an option that is put back', () => {
  const day = (at: number) => new Date(Date.UTC(2026, 10, 1 + at));

  it('has two masters at the third time in seven days, counted by jobs', () => {
    const first = putBackAgain({}, ['ip'], day(0), 'one');
    const second = putBackAgain(first.putBack, ['ip'], day(1), 'two');
    expect([first.suspends, second.suspends]).toEqual([[], []]);
    expect(putBackAgain(second.putBack, ['ip'], day(1), 'two')).toEqual(second);
    expect(putBackAgain(second.putBack, ['ip'], day(6), 'three').suspends).toEqual(['ip']);
    expect(putBackAgain(second.putBack, ['ip'], day(7), 'three').suspends).toEqual([]);
    expect(putBackAgain(second.putBack, [], day(2), 'three').suspends).toEqual([]);
    expect(putBackAgain(second.putBack, [], day(9), 'three').putBack).toEqual({});
  });
});

const ROUNDS = sizeOf({ short: 500, long: 10_000 });

describe(`any device and versions (${ROUNDS} rounds)`, () => {
  const VALUES = ['1', '2', '2001:DB8::1', '2001:db8:0::1', '00:1e:42:aa:bb:cc', '00-1E-42-AA-BB-CC'];

  it('is in sync only without a change, drifts only where nothing newer is desired, and never after it was noted', () => {
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(7_000_000 + round);
      const items = ip(random.pick(VALUES));
      const applied = random.chance(0.7) ? had(random.pick(VALUES)) : null;
      const now = bodies(random.chance(0.1) ? null : random.pick(VALUES));
      const { state, plan, moved } = syncOf({ items, applied, bodies: now, hidden });
      seen.add(state);
      expect(state === 'in_sync').toBe(plan.changes.length === 0);
      if (state === 'drifted' || state === 'both') expect(moved).not.toEqual([]);
      if (state === 'drifted') expect(isSameApplied(items, applied!.items)).toBe(true);
      const noted = { items, forms: formsOf(plan, hidden) };
      const after = syncOf({ items, applied: noted, bodies: now, hidden });
      if (plan.differences.every(({ option }) => option !== null)) expect(after.state).toBe('in_sync');
      expect(
        isSameApplied(
          items,
          appliedItems(items).map((item) => ({ ...item, sealed: [] })),
        ),
      ).toBe(true);
    }
    expect([...seen].sort()).toEqual(['both', 'drifted', 'in_sync', 'pending']);
  });
});
