import { describe, expect, it } from 'vitest';
import { alikeText, optionsOf, selectorOf } from '../../../../console/src/screens/observed/alike.js';
import { deviationsOf } from '../../../../console/src/screens/observed/deviations.js';
import {
  missingText,
  menuGroup,
  pathTitle,
  settingTitle,
  shortTitle,
  shownValue,
} from '../../../../console/src/screens/observed/path-words.js';
import { changeLines } from '../../../../console/src/screens/observed/value-words.js';

/* How alike routers are, in words. */

const PATH = '/api/users/config';

const group = (digest: string | null, devices: number) => ({
  digest,
  error: digest === null ? 'not_there' : null,
  devices,
  bytes: 10,
  oldestReadAt: '2026-06-01T12:00:00.000Z',
  sample: { id: '0192', name: 'pump-1' },
});

const view = (counts: readonly number[], unread = 0, moreGroups = 0) => ({
  path: PATH,
  devices: counts.reduce((sum, count) => sum + count, 0),
  unread,
  groups: counts.map((count, at) => group(String(at), count)),
  moreGroups,
});

it.each([
  [view([]), '0 devices not read so far'],
  [view([], 3), '3 devices not read so far'],
  [view([1]), 'All 1 device the same'],
  [view([4_812]), 'All 4,812 devices the same'],
  [view([4_812, 188]), '4,812 the same, 188 different'],
  [view([4_812, 100, 88], 12), '4,812 the same, 188 in 2 other groups, 12 not read'],
])('counts who is set alike: %#', (given, text) => expect(alikeText(given)).toBe(text));

it('counts groups that are not shown', () => {
  const { groups, ...rest } = view([10, 5, 3], 0, 2);
  expect(alikeText({ ...rest, groups: groups.slice(0, 2) })).toBe('10 the same, 8 in 3 other groups');
});

it('names the devices of a group by a selector, where it has a body', () => {
  expect(selectorOf(PATH, group('ab12', 3))).toBe('observed:/api/users/config/ab12');
  expect(selectorOf(PATH, group(null, 3))).toBeNull();
});

describe('what differs', () => {
  const before = { section: '1', option: 'hostname', one: 'a', other: ['b', 'c'] };
  const service = { group: 'root', id: 'cfg1', ssh_enable: '0', username: 'service' };
  it.each([
    [before, { what: 'User 1 › Host name', before: 'a', after: 'b, c' }],
    [
      { ...before, section: '' },
      { what: 'Host name', before: 'a', after: 'b, c' },
    ],
    [
      { section: 'cfg1', option: null, other: service },
      { what: 'User service', before: 'not there', after: 'Group root, SSH enable Off' },
    ],
    [
      { section: 'cfg1', option: null, one: {} },
      { what: 'User cfg1', before: 'there', after: 'not there' },
    ],
    [
      { section: 'lan', option: 'ssh_enable', one: '1', other: '0' },
      { what: 'User lan › SSH enable', before: 'On', after: 'Off' },
    ],
    [
      { section: 'lan', option: 'metric', one: '1' },
      { what: 'User lan › Metric', before: '1', after: '–' },
    ],
  ])('is said with both values: %#', (difference, line) =>
    expect(changeLines('users', [difference as never])).toEqual([line]),
  );

  it.each([
    ['hmac:0123456789abcdef', 'hmac:1123456789abcdef', 'a secret', 'another secret'],
    [undefined, 'hmac:1123456789abcdef', 'not set', 'a secret'],
    ['hmac:0123456789abcdef', undefined, 'a secret', 'not set'],
  ])('never shows the fingerprint of a secret: %#', (one, other, before, after) =>
    expect(changeLines('users', [{ section: '', option: 'key', one, other }])[0]).toMatchObject({
      before,
      after,
    }),
  );
});

describe('the sections of devices against those of most', () => {
  const row = (deviceId: string, section: string, options: Record<string, unknown>) => ({
    deviceId,
    device: deviceId,
    site: '',
    section,
    options,
    readAt: '2026-06-01T12:00:00.000Z',
    changedAt: null,
  });
  const most = [row('a', 'root', { group: 'root' }), row('a', 'admin', { group: 'root' })];

  it('have what exists on one alone first, then what it lacks, then other values', () => {
    const rows = [
      row('b', 'root', { group: 'user' }),
      row('b', 'admin', { group: 'root' }),
      row('b', 'service', { group: 'root' }),
      row('c', 'root', { group: 'root' }),
    ];
    expect(deviationsOf(rows, most).map(({ deviceId, section, kind, odd }) => [deviceId, section, kind, odd])).toEqual([
      ['b', 'service', 'only here', []],
      ['c', 'admin', 'missing', []],
      ['b', 'root', 'different', ['group']],
    ]);
  });
});

it('offers the options that most rows have', () => {
  const rows = [
    { '.type': 'user', id: '1', group: 'root' },
    { id: '2', group: 'user', shell: 'no' },
  ];
  expect(optionsOf(rows.map((options) => ({ options })))).toEqual(['group', 'shell']);
});

it.each([
  ['/api/ntp/servers/config', '1', 'hostname', 'Time › Server 1 › Host name'],
  ['/api/ntp/servers/config', '', null, 'Time servers'],
  ['/api/ntp/global', '', 'interval', 'Time › Clock › Set the clock every'],
  ['/api/firewall/zones/config', 'lan', null, 'Firewall › Zone lan'],
  ['/api/users/config', 'root', 'group', 'Users › User root › Group'],
  ['/api/made_up/things/config', '2', 'x_y', 'Made up things › Entry 2 › X y'],
])('says a setting by titles: %s %s %s', (path, name, option, title) =>
  expect(settingTitle(path, name, option)).toBe(title),
);

it('calls paths, values and what is missing by words', () => {
  expect([pathTitle('/api/users/groups/config'), shortTitle('/api/users/groups/config')]).toEqual([
    'System › Groups',
    'Groups',
  ]);
  expect(shortTitle('/api/made_up/things/config')).toBe('Made up things');
  expect(['/api/firewall/zones/config', '/api/made_up/things/config'].map(menuGroup)).toEqual(['Firewall', 'Others']);
  expect([undefined, null, '', [], 'a', ['a', 'b'], 3, false, { a: 1 }].map(shownValue)).toEqual([
    '–', '–', '–', '–', 'a', 'a, b', '3', 'false', '{"a":1}',
  ]); // prettier-ignore
  expect([missingText('not_there'), missingText('device_refused')]).toEqual([
    'The device has no such path',
    'Not read: The device refused it',
  ]);
});
