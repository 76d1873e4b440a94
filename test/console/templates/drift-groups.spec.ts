import { describe, expect, it } from 'vitest';
import { isChanged, itemLines, withSpelling } from '../../../console/src/screens/templates/draft-difference.js';
import { readItems } from '../../../console/src/screens/templates/draft/draft-items.js';
import { type DeviceState, driftGroups, planGroups } from '../../../console/src/screens/templates/drift-groups.js';
import { type Difference, differenceText, type Item } from '../../../console/src/screens/templates/item-words.js';
import { syncSentence } from '../../../console/src/screens/templates/sync-words.js';

/* Differences and drafts in words. */

const NTP = '/api/ntp/servers/config';

const difference = (seen: string, section = '1'): Difference => ({
  path: NTP,
  section,
  key: { name: 'main' },
  option: 'hostname',
  is: 'different',
  wanted: 'time.example',
  seen,
});

const device = (name: string, since: string, differences: readonly Difference[]): DeviceState => ({
  deviceId: name,
  device: name,
  template: 'base',
  state: 'drifted',
  since,
  reason: null,
  detail: null,
  desired: 1,
  applied: 1,
  observed: null,
  closedAt: null,
  differences: [...differences],
  moreDifferences: 0,
});

it('a plan says once what it does for several devices, and apart where a risk is', () => {
  const sample = (name: string, seen: string, risks: { path: string; reason: string }[] = []) => ({
    deviceId: name,
    name,
    differences: [difference(seen)],
    changes: 1,
    risks,
  });
  const risk = { path: NTP, reason: 'the network' };
  const groups = planGroups([sample('a', 'x'), sample('b', 'y'), sample('c', 'y'), sample('d', 'y', [risk])]);
  expect(groups.map(({ devices }) => devices.map(({ device: name }) => name))).toEqual([['b', 'c'], ['a'], ['d']]);
});

describe('the groups of equal differences', () => {
  it('are by setting and values, whatever id a section has; most devices first', () => {
    const rows = [
      device('a', '2026-01-03', [difference('odd', '7')]),
      device('b', '2026-01-02', [difference('a.example', '1'), { ...difference('x'), option: 'enabled' }]),
      device('c', '2026-01-01', [difference('a.example', '2'), { ...difference('y'), is: 'normalised' }]),
      device('d', '2026-01-01', [{ ...difference('a.example'), is: 'ignored' }]),
    ];
    const groups = driftGroups(rows);
    expect(groups.map(({ devices }) => devices.map((one) => one.device))).toEqual([['b', 'c'], ['a'], ['b']]);
    expect(groups[0]).toMatchObject({ since: '2026-01-01', others: 1 });
    expect(driftGroups(rows, ({ is }) => is === 'normalised')).toHaveLength(1);
  });

  it('are told in a sentence', () => {
    expect(differenceText(difference('a.example'))).toBe(
      'Time › Server main › Host name should be time.example, is a.example',
    );
    expect(differenceText({ ...difference('x'), option: null, is: 'missing', wanted: { hostname: 'x' } })).toBe(
      'Time › Server main should be Host name x, is not there',
    );
    expect(differenceText({ ...difference(''), seen: 'hmac:0123456789abcdef' })).toMatch(/, is a secret$/);
  });
});

it('counts states in a sentence', () => {
  expect(syncSentence({ in_sync: 4_812, drifted: 187, suspended: 1 })).toBe(
    '4,812 of 5,000 devices in sync, 187 drifted, 1 suspended',
  );
  expect(syncSentence({})).toBe('No device is compared so far');
});

describe('a draft beside what is published', () => {
  const item = (options: Item['options'], more: Partial<Item> = {}): Item => ({
    path: NTP,
    key: { id: '1' },
    mode: 'has',
    options,
    sealed: [],
    ...more,
  });

  it('has each item once, with what it changes', () => {
    const published = [item({ hostname: 'a', enabled: '1' }), item({}, { key: { id: '2' }, mode: 'absent' })];
    const draft = [
      item({ hostname: 'b' }, { sealed: [{ option: 'key', generate: 24 }] }),
      item({}, { key: { id: '3' } }),
    ];
    const lines = itemLines(draft, published);
    expect(lines.map(({ state }) => state)).toEqual(['changed', 'new', 'removed']);
    expect(lines[0]!.options).toEqual([
      { option: 'hostname', before: 'a', after: 'b' },
      { option: 'key', before: null, after: 'sealed, made for each device (24 characters)' },
      { option: 'enabled', before: 'On', after: null },
    ]);
  });

  it('is the same in another order, and another one with another selector', () => {
    const both = [item({ hostname: 'a', enabled: '1' }), item({}, { key: { id: '2' } })];
    const turned = [both[1]!, item({ enabled: '1', hostname: 'a' })];
    expect(isChanged({ selector: 'all', items: turned }, { selector: 'all', items: both })).toBe(false);
    expect(isChanged({ selector: 'tag:a', items: both }, { selector: 'all', items: both })).toBe(true);
    expect(isChanged({ selector: 'all', items: both }, null)).toBe(true);
  });
});

it('takes the spelling of devices into a draft, and leaves values of each device alone', () => {
  const address = { path: '/api/dns/config', section: '1', option: 'address', is: 'normalised' as const };
  const item = (value: string): Item => ({
    path: address.path,
    key: { name: 'a' },
    mode: 'has',
    options: { address: value, enabled: '1' },
    sealed: [],
  });
  const seen = { ...address, key: { name: 'a' }, wanted: '2001:DB8:0::1', seen: '2001:db8::1' };
  expect(withSpelling([item('2001:DB8:0::1')], seen)).toEqual([item('2001:db8::1')]);
  expect(withSpelling([item('{{field.address}}')], seen)).toBeNull();
  expect(withSpelling([item('x')], { ...seen, key: { name: 'b' } })).toBeNull();
  expect(withSpelling([item('x')], { ...seen, option: null })).toBeNull();
});

it.each([
  ['nothing', '', 'This is not valid JSON.'],
  ['no list', '{}', 'This is not a list of items, each with a path, in square brackets.'],
  ['an item without a path', '[{}]', 'This is not a list of items, each with a path, in square brackets.'],
])('says what is wrong with a draft as JSON: %s', (_what, text, problem) => {
  expect(readItems(text)).toEqual({ items: null, problem });
});
