import { describe, expect, it } from 'vitest';
import { type ItemDifference, planDesired } from '../../src/templates/desired/desired-plan.js';
import { ignoredNames, type IgnoredNames, type IgnoredOption, isNamed } from '../../src/templates/desired/ignored.js';
import { nameOf } from '../../src/templates/desired/normal-form.js';
import { appliedItems, type AppliedTemplate, openOf, syncOf } from '../../src/templates/desired/sync-state.js';
import { type TemplateItem } from '../../src/templates/desired/template-item.js';
import { sizeOf } from '../support/forms.js';
import { Random } from './random.js';
import { ALL_MODES, applied, item, LIST, NAMES, OPTIONS, randomTemplate, randomWorld, RECORD } from './random-world.js';

/* Options that are let be on a device for a time. */

const BY = { by: 'Grace', reason: 'works', until: '2026-12-01T00:00:00.000Z' };
const named = (option: string, key: Record<string, string> = { name: 'pump' }, path = LIST) =>
  nameOf({ path, key, option });
const ignoring = (...options: string[]): IgnoredNames => new Map(options.map((option) => [named(option), BY]));

describe('an option that is ignored', () => {
  const wanted = [item({ options: { ip: '1', note: 'x' } })];

  it('is shown with who and why, and not changed', () => {
    const bodies = new Map([[LIST, [{ id: '1', name: 'pump', ip: '2', note: 'y' }]]]);
    const plan = planDesired(wanted, bodies, undefined, ignoring('ip'));
    expect(plan.changes).toEqual([{ action: 'update', path: `${LIST}/1`, data: { note: 'x' }, sealed: [] }]);
    expect(plan.differences).toMatchObject([
      { option: 'ip', is: 'ignored', wanted: '1', seen: '2', ignored: BY },
      { option: 'note', is: 'different' },
    ]);
    expect(openOf(plan).map(({ option }) => option)).toEqual(['note']);
  });

  it('is not set in a section that is made, and neither is a secret', () => {
    const sealed = ['key', 'other'].map((option) => ({ option, valueId: option, print: 'x' }));
    const plan = planDesired([{ ...wanted[0]!, sealed }], new Map([[LIST, []]]), undefined, ignoring('ip', 'key'));
    expect(plan.changes).toEqual([
      {
        action: 'create',
        path: LIST,
        data: { name: 'pump', note: 'x' },
        sealed: [{ option: 'other', valueId: 'other' }],
      },
    ]);
    expect(plan.differences).toMatchObject([{ is: 'missing', wanted: { name: 'pump', note: 'x' } }]);
  });

  it('is not set where a device has another secret', () => {
    const secret = item({ sealed: [{ option: 'key', valueId: 'v', print: 'one' }] });
    const bodies = new Map([[LIST, [{ id: '1', name: 'pump', key: 'two' }]]]);
    expect(planDesired([secret], bodies, undefined, ignoring('key'))).toMatchObject({
      changes: [],
      differences: [{ is: 'ignored', wanted: 'one', seen: 'two' }],
    });
  });
});

describe('the state of a device that ignores an option', () => {
  const hidden = (difference: ItemDifference) => difference;
  const items = [item({ options: { ip: '1', note: 'x' } })];
  const bodies = (ip: string, note: string) => new Map([[LIST, [{ id: '1', name: 'pump', ip, note }]]]);
  const state = (seen: [string, string], was: AppliedTemplate | null, ignored?: IgnoredNames) =>
    syncOf({
      items,
      applied: was && { ...was, items: was.items.map((one) => ({ ...one, sealed: [] })) },
      bodies: bodies(...seen),
      ...(ignored ? { ignored } : {}),
      hidden,
    }).state;
  const none = null as AppliedTemplate | null;
  const after = (was: AppliedTemplate | null) => ({
    items: appliedItems(items, ignoring('ip'), was?.items),
    forms: [],
  });

  it('is in sync where nothing else differs, and pending afterwards where it never had the option', () => {
    expect(state(['2', 'x'], none, ignoring('ip'))).toBe('in_sync');
    expect(after(none).items).toMatchObject([{ options: { note: 'x' } }]);
    expect(state(['2', 'x'], after(none))).toBe('pending');
    expect(state(['1', 'x'], after(none))).toBe('in_sync');
  });

  it('has drifted afterwards where it had the option before', () => {
    const was = { items: appliedItems(items), forms: [] };
    expect(state(['2', 'x'], was)).toBe('drifted');
    expect(state(['2', 'x'], was, ignoring('ip'))).toBe('in_sync');
    expect(state(['2', 'x'], after(was))).toBe('drifted');
  });

  it('drifts by its other options alone', () => {
    expect(state(['2', 'y'], after(none), ignoring('ip'))).toBe('drifted');
    expect(state(['2', 'y'], none, ignoring('ip'))).toBe('pending');
    const earlier = { items: appliedItems([item({ options: { ip: '1', note: 'z' } })]), forms: [] };
    expect(state(['2', 'z'], earlier, ignoring('ip'))).toBe('pending');
    expect(state(['2', 'y'], earlier, ignoring('ip'))).toBe('both');
  });
});

describe('what is ignored', () => {
  const template: TemplateItem[] = [
    { path: LIST, key: { name: '{{device.name}}' }, mode: 'has', options: { ip: '1' }, sealed: [] },
    { path: RECORD, key: {}, mode: 'has', options: {}, sealed: [{ option: 'password', generate: 20 }] },
  ];
  const own = template.map((one) => (one.path === LIST ? { ...one, key: { name: 'r-1' } } : one));
  const ip: IgnoredOption = { path: LIST, key: { name: 'r-1' }, option: 'ip' };

  it('names a section as the template does, or by the values of the device', () => {
    for (const key of [{ name: '{{device.name}}' }, { name: 'r-1' }])
      expect([...ignoredNames([{ ...ip, key, ...BY }], template, own)]).toEqual([[named('ip', { name: 'r-1' }), BY]]);
    expect(ignoredNames([{ ...ip, key: { name: 'r-2' }, ...BY }], template, own).size).toBe(0);
    expect(ignoredNames([{ ...ip, path: RECORD, ...BY }], template, own).size).toBe(0);
  });

  it('is what an item says', () => {
    const is = (option: Partial<IgnoredOption>) => template.some((one) => isNamed({ ...ip, ...option }, one));
    expect([
      is({}),
      is({ key: { name: '{{device.name}}' } }),
      is({ path: RECORD, key: {}, option: 'password' }),
    ]).toEqual([true, true, true]);
    expect([is({ option: 'mac' }), is({ key: {} }), is({ key: { id: '1' } }), is({ path: RECORD })]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

const ROUNDS = sizeOf({ short: 400, long: 5_000 });

it(`is never written, and all else as before (${ROUNDS} rounds)`, () => {
  let left = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Random(900_000 + round);
    const world = randomWorld(random);
    const items = randomTemplate(random, ALL_MODES);
    const places = [...NAMES.map((name) => ({ path: LIST, key: { name } })), { path: RECORD, key: {} }];
    const ignored: IgnoredNames = new Map(
      places.flatMap(({ path, key }) =>
        OPTIONS.filter(() => random.chance(0.4)).map((option) => [nameOf({ path, key, option }), BY] as const),
      ),
    );
    const plan = planDesired(items, world, undefined, ignored);
    // The same as a template that does not name these options.
    const without = items.map((one) => ({ ...one, options: appliedItems([one], ignored)[0]!.options }));
    expect(plan.changes).toEqual(planDesired(without, world).changes);
    const after = planDesired(items, applied(world, plan.changes), undefined, ignored);
    expect(openOf(after)).toEqual([]);
    expect(after.changes).toEqual([]);
    const names = plan.differences.filter(({ is }) => is === 'ignored').map(nameOf);
    expect(names.filter((name) => !ignored.has(name))).toEqual([]);
    left += names.length;
  }
  expect(left).toBeGreaterThan(0);
});
