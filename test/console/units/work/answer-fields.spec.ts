import { describe, expect, it } from 'vitest';
import {
  alikeOf,
  type AnsweredDevice,
  csvOf,
  differencesOf,
  fieldChoices,
  firstColumns,
  groupsBy,
  usualValues,
  valuesOf,
  withKnown,
} from '../../../../console/src/screens/fan-outs/answers/answer-fields.js';
import { fieldTitle } from '../../../../console/src/screens/fan-outs/answers/field-titles.js';
import { readCalls, withMarked, withSent } from '../../../../console/src/screens/fan-outs/remembered-calls.js';

/* Answers of many devices as a table, and the calls that a browser remembers. */

const device = (name: string, body: unknown): AnsweredDevice => ({
  deviceId: name,
  name,
  outcome: 'succeeded',
  values: valuesOf(body),
});

const answer = (firmware: string, serial: string, extra: object = {}) => ({
  success: true,
  data: { static: { fw_version: firmware, ...extra }, mnfinfo: { serial } },
});

const devices = [
  device('a', answer('7.16', '1', { region: 'eu' })),
  device('b', answer('7.16', '2', { region: 'eu' })),
  device('c', answer('7.14', '3', { region: 'us' })),
];

describe('the fields of an answer', () => {
  it('are named by their way, without what wraps every answer; lists of values stand together', () => {
    const body = { success: true, data: [{ rsrp: -80, bands: ['B3', 'B20'], sim: {}, on: false, note: null }] };
    expect([...valuesOf(body)]).toEqual([
      ['0.rsrp', '-80'], ['0.bands', 'B3, B20'], ['0.sim', '{}'], ['0.on', 'false'], ['0.note', 'null'],
    ]); // prettier-ignore
    expect([...valuesOf('plain')]).toEqual([['answer', 'plain']]);
    expect([...valuesOf(undefined)]).toEqual([['answer', '']]);
  });

  it('have an end, however deep and long the answer is', () => {
    let deep: unknown = 'x';
    for (let at = 0; at < 5_000; at++) deep = { a: deep };
    expect(valuesOf(deep).size).toBe(1);
    expect(valuesOf(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at]))).size).toBe(400);
  });

  it('are columns first where devices differ, but not each from each other', () => {
    const choices = fieldChoices(devices);
    expect(choices.find(({ name }) => name === 'mnfinfo.serial')?.different).toBe(3);
    expect(firstColumns(choices, devices).slice(0, 2)).toEqual(['static.fw_version', 'mnfinfo.serial']);
  });

  it('say how many devices are alike, and in which fields the others differ', () => {
    const { alike, others, fields } = alikeOf(devices, fieldChoices(devices));
    expect(alike).toBe(2);
    expect(
      others.map(({ name }) => name),
      'the table shows the same ones alone',
    ).toEqual(['c']);
    expect(fields).toContain('static.fw_version');
    expect(fields, 'which divides the devices as the firmware does').not.toContain('static.region');
    expect(fields).not.toContain('mnfinfo.serial');
  });

  it('group the devices, and show what differs between two groups', () => {
    const [first, second] = groupsBy(devices, 'static.fw_version');
    expect([first, second].map((group) => [group?.value, group?.devices.map(({ name }) => name)])).toEqual([
      ['7.16', ['a', 'b']],
      ['7.14', ['c']],
    ]);
    expect(differencesOf(first!, second!)).toEqual([
      { field: 'static.fw_version', a: '7.16', b: '7.14' },
      { field: 'static.region', a: 'eu', b: 'us' },
      { field: 'mnfinfo.serial', a: '1, 2', b: '3' },
    ]);
    expect(groupsBy(devices, 'none').map(({ value }) => value)).toEqual(['–']);
  });

  it('are a file in which no text is a formula', () => {
    const odd = device('=cmd|x', { data: { a: '-80', b: '@sum', c: 'x,"y"' } });
    expect(csvOf([odd], ['a', 'b', 'c', 'd'])).toBe(
      `device,outcome,a,b,c,d\r\n'=cmd|x,succeeded,-80,'@sum,"x,""y""",\r\n`,
    );
  });
});

describe('remembered calls', () => {
  const call = (at: number) => ({ method: 'GET', path: `/api/${at}`, selector: 'all' });
  const none = readCalls(null);

  it('are the last ten, each once, the newest first', () => {
    let calls = none;
    for (let at = 0; at < 12; at++) calls = withSent(calls, call(at));
    calls = withSent(calls, call(5));
    expect(calls.last.map(({ path }) => path)).toEqual([5, 11, 10, 9, 8, 7, 6, 4, 3, 2].map((at) => `/api/${at}`));
  });

  it('are marked and unmarked, and read again as they were stored', () => {
    const marked = withMarked(withMarked(none, call(1)), call(2));
    expect(readCalls(JSON.stringify(marked))).toEqual(marked);
    expect(withMarked(marked, call(1)).favourites).toEqual([call(2)]);
  });

  it.each(['', 'x', '[]', 'null', '{"last":[{"method":"TRACE","path":"/a","selector":""},{"method":"GET","path":"javascript:1","selector":""}]}'])(
    'are none in %j', (text) => expect(readCalls(text)).toEqual({ favourites: [], last: [] }),
  ); // prettier-ignore
});

describe('what stands out', () => {
  it('is a value that most devices do not have; where none is usual nothing does', () => {
    const usual = usualValues(devices, ['static.fw_version', 'mnfinfo.serial']);
    expect([...usual]).toEqual([['static.fw_version', '7.16']]);
  });

  it('is read beside the firmware and the model that the gateway knows', () => {
    const known = { firmware: 'RUTX_R_00.07.16', model: null };
    expect([...withKnown(known, new Map([['zone', 'UTC']]))]).toEqual([
      ['firmware', 'RUTX_R_00.07.16'],
      ['zone', 'UTC'],
    ]);
    expect(withKnown(known, new Map([['firmware', 'own']])).get('firmware')).toBe('own');
    const told = new Map([['static.fw_version', 'RUTX_R_00.07.14']]);
    expect([...withKnown(known, told)], 'the firmware of then stands alone').toEqual([...told]);
  });
});

it.each([
  ['static.fw_version', 'Firmware version'],
  ['static.release.version', 'Release, version'],
  ['0.rsrp', '1, RSRP'],
  ['lan.macAddress', 'LAN, MAC address'],
])('the field %s is %s', (name, title) => {
  expect(fieldTitle(name)).toBe(title);
});
