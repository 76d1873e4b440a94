import { describe, expect, it } from 'vitest';
import { withItems } from '../../../console/src/screens/templates/draft/draft-items.js';
import {
  itemOf,
  presentText,
  searched,
  settingsAt,
} from '../../../console/src/screens/templates/draft/found-settings.js';
import { isFieldOf, riskOfDifference } from '../../../console/src/screens/templates/item-words.js';

const NTP = '/api/ntp/servers/config';

const row = (device: string, options: Record<string, string>) => ({
  deviceId: device,
  device,
  site: '',
  section: options['id'] ?? '',
  options,
  readAt: '2026-06-01T12:00:00.000Z',
  changedAt: null,
});

describe('the settings that devices have', () => {
  const settings = settingsAt(NTP, [
    row('a', { id: '1', hostname: 'x.example' }),
    row('b', { id: '1', hostname: 'x.example' }),
    row('c', { id: '1', hostname: 'y.example', '.type': 'timeserver', key: 'hmac:0123456789abcdef' }),
    row('c', { id: '2', hostname: 'z.example' }),
  ]);

  it('are each once, by their titles, with their values, and without secrets', () => {
    expect(settings.map((one) => [one.title, presentText(one)])).toEqual([
      ['Time › Server 1 › Host name', '2 × x.example, 1 × y.example'],
      ['Time › Server 2 › Host name', '1 × z.example'],
    ]);
  });

  it('are found by their titles, their names on the device and their values', () => {
    const titles = (text: string) => searched(settings, text).map(({ title }) => title);
    expect(titles('SERVER host')).toHaveLength(2);
    expect(titles('hostname z.ex')).toEqual(['Time › Server 2 › Host name']);
    expect(titles('apn')).toEqual([]);
  });

  it('are those of the dictionary where no device was read, and the path has one section', () => {
    const found = settingsAt('/api/ntp/global', []);
    expect(found.map((one) => [one.title, presentText(one)])).toContainEqual([
      'Time › Clock › Set the clock every',
      'set on no device',
    ]);
    expect(settingsAt(NTP, [])).toEqual([]);
  });

  it('become items of the draft, those of one section together', () => {
    const [first, second] = settings.map((one) => itemOf(one, 'w.example'));
    const draft = [{ ...first!, options: { enabled: '1' } }];
    expect(withItems(draft, [first!, second!])).toEqual([
      { ...first!, options: { enabled: '1', hostname: 'w.example' } },
      second,
    ]);
    const gone = { ...first!, mode: 'absent' as const, options: {} };
    expect(withItems([gone], [first!])).toEqual([gone, first]);
  });
});

const difference = { path: NTP, section: '1', key: { id: '1' }, option: 'hostname', is: 'different' as const };

it.each([
  [{ path: '/api/ntp/servers/config' }, false],
  [{ path: '/api/interfaces/config' }, true],
  [{ path: '/api/wireguard/config' }, true],
  [{ path: '/api/wireguard/config', option: null, is: 'missing' as const }, false],
  [{ path: '/api/wireguard/config', option: null, is: 'surplus' as const }, true],
])('knows what can cut the connection: %#', (part, isRisky) =>
  expect(riskOfDifference({ ...difference, wanted: 'a', seen: 'b', ...part }) !== null).toBe(isRisky),
);

it.each([
  ['{{field.time}}', true],
  ['{{ field.time }}', true],
  ['{{field.time}}.example', false],
  ['{{device.name}}', false],
])('knows which value is a custom field: %s', (hostname, isField) => {
  const items = [{ path: NTP, key: { id: '1' }, mode: 'has' as const, options: { hostname }, sealed: [] }];
  expect(isFieldOf(items, { ...difference, wanted: 'a', seen: 'b' })).toBe(isField);
});
