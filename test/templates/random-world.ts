import { type ConfigureChange } from '../../src/jobs/kinds/configure/configure-spec.js';
import { type DeviceItem } from '../../src/templates/desired/desired-plan.js';
import { type Random } from './random.js';

/* A small world with few names, so that templates meet each other and what the device has. */

export const LIST = '/api/dhcp/static_leases/config';
const OTHER = '/api/wireless/interfaces/config';
export const RECORD = '/api/system/global';

export const item = (more: Partial<DeviceItem>): DeviceItem => ({
  path: LIST,
  key: { name: 'pump' },
  mode: 'has',
  options: {},
  sealed: [],
  ...more,
});

export type Section = Record<string, unknown>;
export type World = Map<string, Section[] | Section>;

export const NAMES = ['a', 'b', 'c', 'd'];
export const OPTIONS = ['ip', 'mac', 'dns', 'note'];
const VALUES: Record<string, readonly (string | string[])[]> = {
  ip: ['10.0.0.1', '2001:DB8::1', '2001:db8:0::1', ''],
  mac: ['00:1e:42:aa:bb:cc', '00-1E-42-AA-BB-CC', '00:1e:42:00:00:01'],
  dns: [['9.9.9.9', '1.1.1.1'], ['1.1.1.1', '9.9.9.9'], []],
  note: ['x', 'y', ''],
};

function randomOptions(random: Random): Record<string, string | string[]> {
  const names = OPTIONS.filter(() => random.chance(0.4));
  return Object.fromEntries(names.map((name) => [name, random.pick(VALUES[name]!)]));
}

export function randomWorld(random: Random): World {
  const list = () =>
    NAMES.filter(() => random.chance(0.5)).map((name, at) => ({
      id: String(at + 1),
      name,
      foreign: String(random.next()),
      ...stored(randomOptions(random)),
    }));
  return new Map<string, Section[] | Section>([
    [LIST, list()],
    [OTHER, list()],
    [RECORD, { foreign: 'x', ...stored(randomOptions(random)) }],
  ]);
}

export function randomTemplate(random: Random, modes: readonly DeviceItem['mode'][]): DeviceItem[] {
  const items = [LIST, OTHER].flatMap((path) =>
    NAMES.filter(() => random.chance(0.3)).map((name) => {
      const mode = random.pick(modes);
      return item({ path, key: { name }, mode, options: mode === 'absent' ? {} : randomOptions(random) });
    }),
  );
  return random.chance(0.3) ? [...items, item({ path: RECORD, key: {}, options: randomOptions(random) })] : items;
}

/** As this device stores it: MAC addresses in capitals, addresses short, lists sorted, empty options left out. */
function stored(options: Section): Section {
  const form = (value: unknown): unknown =>
    Array.isArray(value)
      ? (value as string[]).toSorted((one, other) => (one < other ? -1 : 1))
      : String(value).replace('DB8:', 'db8:').replace('db8:0::', 'db8::');
  const kept = Object.entries(options).filter(([, value]) => (value as string | unknown[]).length > 0);
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'mac' ? String(value).toUpperCase().replaceAll('-', ':') : form(value),
    ]),
  );
}

export function applied(world: World, changes: readonly ConfigureChange[]): World {
  const after = structuredClone(world);
  let next = 100;
  for (const change of changes) {
    const id = change.path.slice(change.path.lastIndexOf('/') + 1);
    const path =
      change.action === 'create' || change.path === RECORD ? change.path : change.path.slice(0, -id.length - 1);
    const before = after.get(path)!;
    if (!Array.isArray(before)) {
      after.set(path, withOptions(before, (change as { data: Section }).data));
      continue;
    }
    if (change.action === 'delete')
      after.set(
        path,
        before.filter((section) => section['id'] !== id),
      );
    else if (change.action === 'create') after.set(path, [...before, { id: String(next++), ...stored(change.data) }]);
    else
      after.set(
        path,
        before.map((section) => (section['id'] === id ? withOptions(section, change.data) : section)),
      );
  }
  return after;
}

function withOptions(section: Section, data: Section): Section {
  const rest = Object.entries(section).filter(([name]) => !Object.hasOwn(data, name));
  return { ...Object.fromEntries(rest), ...stored(data) };
}

export const ALL_MODES = ['has', 'only', 'absent'] as const;
