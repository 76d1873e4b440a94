import { describe, expect, it } from 'vitest';
import { configureSpec, type ConfigureChange } from '../../src/jobs/kinds/configure/configure-spec.js';
import { type DeviceItem, planDesired } from '../../src/templates/desired/desired-plan.js';
import { likenessOf } from '../../src/templates/desired/normal-form.js';
import { overlapsOf } from '../../src/templates/desired/overlap.js';
import { templateItem } from '../../src/templates/desired/template-item.js';
import { sizeOf } from '../support/forms.js';
import { Random } from './random.js';
import { ALL_MODES, applied, item, LIST, randomTemplate, randomWorld, RECORD, type Section } from './random-world.js';

const plan = (items: readonly DeviceItem[], list: unknown) => planDesired(items, new Map([[LIST, list]]));

describe('a value of a device is like the wanted one', () => {
  it.each<[unknown, unknown, string]>([
    ['1', '1', 'same'],
    ['', undefined, 'same'],
    ['00:1e:42:aa:bb:cc', '00:1E:42:AA:BB:CC', 'normalised'],
    ['2001:DB8:0:0::1/64', '2001:db8::1/64', 'normalised'],
    [['b', 'a', '10', '9'], ['10', '9', 'a', 'b'], 'normalised'],
    [['9.9.9.9', '1.1.1.1'], ['9.9.9.9', '1.1.1.1'], 'same'],
    [['1.1.1.1', '9.9.9.9'], ['9.9.9.9', '1.1.1.1'], 'different'], // no device sorts in this way: a person did
    ['10.0.0.1', '10.0.0.2', 'different'],
    ['Pump', 'pump', 'different'],
    ['1.2', '1.20', 'different'],
  ])('%j and %j: %s', (wanted, seen, likeness) => {
    expect(likenessOf(wanted, seen)).toBe(likeness);
  });
});

describe('the plan of a device', () => {
  it('finds a section by natural fields, whatever its id is, and changes what differs', () => {
    const items = [item({ options: { ip: '10.0.0.2', mac: '00:1e:42:aa:bb:cc' } })];
    const seen = [{ id: '7', name: 'pump', ip: '10.0.0.1', mac: '00:1E:42:AA:BB:CC', note: 'x' }];
    const { changes, differences } = plan(items, seen);
    expect(changes).toEqual([{ action: 'update', path: `${LIST}/7`, data: { ip: '10.0.0.2' }, sealed: [] }]);
    expect(differences.map(({ option, is }) => [option, is])).toEqual([
      ['ip', 'different'],
      ['mac', 'normalised'],
    ]);
  });

  it('makes a section that is missing, and removes one that is to be absent', () => {
    const items = [item({ options: { ip: '10.0.0.2', note: '' } }), item({ key: { name: 'old' }, mode: 'absent' })];
    expect(plan(items, [{ id: '3', name: 'old' }]).changes).toEqual([
      { action: 'delete', path: `${LIST}/3` },
      { action: 'create', path: LIST, data: { name: 'pump', ip: '10.0.0.2' }, sealed: [] },
    ]);
  });

  it('sees no option that the section does not have, whatever it is called', () => {
    const { differences } = plan([item({ options: { constructor: '', toString: '1' } })], [{ id: '1', name: 'pump' }]);
    expect(differences).toMatchObject([{ option: 'toString', is: 'different', seen: undefined }]);
  });

  it('removes the other sections of a path under `only`', () => {
    const seen = [
      { id: '1', name: 'pump' },
      { id: '2', name: 'roof' },
    ];
    expect(plan([item({ mode: 'only' })], seen).changes).toEqual([{ action: 'delete', path: `${LIST}/2` }]);
  });

  it.each<[string, readonly DeviceItem[], unknown, string]>([
    [
      'two sections have the key',
      [item({})],
      [
        { id: '1', name: 'pump' },
        { id: '2', name: 'pump' },
      ],
      'key_ambiguous',
    ],
    ['the section has no id', [item({ options: { ip: '1' } })], [{ name: 'pump' }], 'section_without_id'],
    ['no path can have its id', [item({ mode: 'absent' })], [{ id: '\ud800', name: 'pump' }], 'section_without_id'],
    ['another section has the id', [item({ key: { id: 'a', name: 'b' } })], [{ id: 'a', name: 'c' }], 'id_taken'],
  ])('is an error of the device where %s', (_name, items, seen, code) => {
    const { problems, changes } = plan(items, seen);
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(changes).toEqual([]);
  });

  it('needs what was read', () => {
    expect(planDesired([item({})], new Map()).problems).toEqual([{ code: 'unread', path: LIST, key: {} }]);
  });

  it('sends a secret where its fingerprint differs, and takes one that the device hides as set', () => {
    const sealed = [{ option: 'key', valueId: '00000000-0000-4000-8000-000000000001', print: 'one' }];
    const of = (seen: object) => plan([item({ sealed })], [{ id: '1', name: 'pump', ...seen }]).changes;
    expect(of({ key: 'one' })).toEqual([]);
    expect(of({})).toEqual([]);
    const secret = [{ option: 'key', valueId: sealed[0]!.valueId }];
    expect(of({ key: 'two' })).toEqual([{ action: 'update', path: `${LIST}/1`, data: {}, sealed: secret }]);
  });
});

describe('an item of a template', () => {
  const given = { path: LIST, key: { name: 'pump' }, options: { ip: '{{field.address}}' } };

  it('is what `configure` would take', () => {
    expect(templateItem.safeParse(given).success).toBe(true);
    expect(templateItem.safeParse({ path: RECORD, options: { hostname: '{{device.name}}' } }).success).toBe(true);
  });

  it.each<[string, object]>([
    ['accounts', { path: '/api/users/config' }],
    ['certificates', { path: '/api/certificates/config' }],
    ['a status', { path: '/api/system/device/status' }],
    ['a secret in clear', { options: { password: 'canary-1' } }],
    ['no key', { key: {} }],
    ['a key of the one section', { path: RECORD }],
    ['an option of the key', { options: { name: 'x' } }],
    ['an id as an option', { options: { id: 'x' } }],
    ['options of an absent section', { mode: 'absent' }],
    ['an unknown value', { options: { ip: '{{device.password}}' } }],
  ])('is refused with %s', (_name, change) => {
    expect(templateItem.safeParse({ ...given, ...change }).success).toBe(false);
  });
});

const ROUNDS = sizeOf({ short: 400, long: 5_000 });

function each(seed: number, of: (random: Random) => void): void {
  for (let round = 0; round < ROUNDS; round++) of(new Random(seed * 100_000 + round));
}

describe(`any templates on any device (${ROUNDS} rounds)`, () => {
  it('change nothing any more once they were applied', () => {
    each(1, (random) => {
      const world = randomWorld(random);
      const items = randomTemplate(random, ALL_MODES);
      const first = planDesired(items, world);
      expect(first.problems).toEqual([]);
      const again = planDesired(items, applied(world, first.changes));
      expect(again.changes).toEqual([]);
      expect(again.differences.filter(({ is }) => is !== 'normalised')).toEqual([]);
    });
  });

  it('leave foreign options and sections as they are under `has`', () => {
    each(2, (random) => {
      const world = randomWorld(random);
      const items = randomTemplate(random, ['has']);
      const after = applied(world, planDesired(items, world).changes);
      for (const [path, before] of world) {
        const sections = Array.isArray(before) ? before : [before];
        const now = [after.get(path)!].flat();
        for (const [at, section] of sections.entries()) {
          const own = items.find((one) => one.path === path && (one.key['name'] ?? '') === (section['name'] ?? ''));
          const rest = (of: Section) =>
            Object.fromEntries(Object.entries(of).filter(([name]) => !Object.hasOwn(own?.options ?? {}, name)));
          expect(rest(now[at]!)).toEqual(rest(section));
        }
      }
    });
  });

  it('make the same changes in any order, where they do not overlap', () => {
    let compared = 0;
    each(3, (random) => {
      const world = randomWorld(random);
      const templates = [1, 2, 3].map(() => randomTemplate(random, random.chance(0.7) ? ['has'] : ALL_MODES));
      const pairs = [
        [0, 1],
        [0, 2],
        [1, 2],
      ] as const;
      if (pairs.some(([one, other]) => overlapsOf(templates[one]!, templates[other]!).length > 0)) return;
      compared++;
      const one = planDesired(templates.flat(), world);
      const other = planDesired(random.shuffled(random.shuffled(templates).flat()), world);
      const byName = (changes: readonly ConfigureChange[]) => JSON.parse(JSON.stringify(changes)) as unknown;
      expect(byName(other.changes)).toEqual(byName(one.changes));
    });
    expect(compared).toBeGreaterThan(ROUNDS / 20);
  });

  it('overlap where one takes back what the other made, and only then does it matter who was last', () => {
    let found = 0;
    each(4, (random) => {
      const world = randomWorld(random);
      const [one, other] = [randomTemplate(random, ALL_MODES), randomTemplate(random, ALL_MODES)];
      const overlaps = overlapsOf(one, other);
      expect(overlapsOf(other, one)).toEqual(overlaps);
      const both = [one, other].reduce((now, items) => applied(now, planDesired(items, now).changes), world);
      const isTakenBack = planDesired(one, both).changes.length > 0;
      if (isTakenBack) found++;
      if (isTakenBack) expect(overlaps).not.toEqual([]);
    });
    expect(found).toBeGreaterThan(0);
  });

  it('are changes that `configure` accepts', () => {
    let refused = 0;
    each(5, (random) => {
      const world = randomWorld(random);
      const { changes } = planDesired(randomTemplate(random, ALL_MODES), world);
      refused += Number(changes.length > 0 && !configureSpec.safeParse({ changes }).success);
    });
    expect(refused).toBe(0);
  });
});
