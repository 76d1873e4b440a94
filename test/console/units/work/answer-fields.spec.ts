import { describe, expect, it } from 'vitest';
import {
  type AnsweredDevice,
  csvOf,
  differencesOf,
  fieldChoices,
  groupsBy,
  usualValues,
  valuesOf,
  withKnown,
} from '../../../../console/src/screens/fan-outs/answers/answer-fields.js';
import { alikeText } from '../../../../console/src/screens/fan-outs/answers/alike-text.js';
import { alikeText as outcomesText, listedGroups } from '../../../../console/src/screens/fan-outs/equal-answers.js';
import {
  alikeOf,
  askedFields,
  differingFields,
  firstColumns,
  groupingFields,
  rangeOf,
} from '../../../../console/src/screens/fan-outs/answers/field-order.js';
import {
  fieldTitle,
  shownValue,
  titlesOf,
  toneOfField,
} from '../../../../console/src/screens/fan-outs/answers/field-titles.js';
import { liveShows } from '../../../../console/src/screens/fan-outs/asking/live-questions.js';
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
    const found = alikeOf(devices, fieldChoices(devices));
    const { groups, others, fields } = found;
    expect(groups).toEqual([2, 1]);
    expect(alikeText(found)).toBe('2 alike');
    expect(
      others.map(({ name }) => name),
      'the table shows the same ones alone',
    ).toEqual(['c']);
    expect(fields).toContain('static.fw_version');
    expect(fields, 'which divides the devices as the firmware does').not.toContain('static.region');
    expect(fields).not.toContain('mnfinfo.serial');
  });

  it('of two devices differ in all but what names each, and agree where there is nothing else', () => {
    const unlike = [device('a', answer('7.16', '1')), device('b', answer('7.14', '2'))];
    expect(alikeOf(unlike, fieldChoices(unlike))).toMatchObject({ fields: ['static.fw_version'], others: [] });
    expect(alikeText(alikeOf(unlike, fieldChoices(unlike)))).toBe('2 different answers');
    const alike = [device('a', answer('7.16', '1')), device('b', answer('7.16', '2'))];
    expect(alikeOf(alike, fieldChoices(alike)).fields).toEqual([]);
  });

  it('are groups where no group has most of the devices, and none of them is the exception', () => {
    const models = ['RUT241', 'RUTX50', 'TRB140'];
    const fleet = [...models, ...models].map((model, at) =>
      device(`${at}`, { model, kernel: `5.${models.indexOf(model)}`, serial: `${at}` }),
    );
    const found = alikeOf(fleet, fieldChoices(fleet));
    expect(found).toMatchObject({ groups: [2, 2, 2], others: [], by: 'model' });
    expect(alikeText(found)).toBe('3 groups of 2, by model');
  });

  it('group the devices, and show what differs between two groups', () => {
    const [first, second] = groupsBy(devices, 'static.fw_version');
    expect([first, second].map((group) => [group?.value, group?.devices.map(({ name }) => name)])).toEqual([
      ['7.16', ['a', 'b']],
      ['7.14', ['c']],
    ]);
    expect(differencesOf(first!, second!)).toEqual([
      { field: 'static.fw_version', a: '7.16', b: '7.14', isMain: true },
      { field: 'static.region', a: 'eu', b: 'us', isMain: true },
      { field: 'mnfinfo.serial', a: '1, 2', b: '3', isMain: false },
    ]);
    expect(differencesOf(first!, second!, ['static.region'])[0]?.field).toBe('static.region');
    expect(groupsBy(devices, 'none').map(({ value }) => value)).toEqual(['–']);
  });

  it('are a file in which no text is a formula', () => {
    const odd = device('=cmd|x', { data: { a: '-80', b: '@sum', c: 'x,"y"' } });
    expect(csvOf([odd], ['a', 'b', 'c', 'd'])).toBe(
      `device,outcome,a,b,c,d\r\n'=cmd|x,succeeded,-80,'@sum,"x,""y""",\r\n`,
    );
  });
});

describe('equal answers', () => {
  const skip = (devices: number) => ({ outcome: 'skipped' as const, devices, digest: null });
  const good = (digest: string, devices = 1) => ({ outcome: 'succeeded' as const, devices, digest });

  it('are told without the devices that have none', () => {
    const of = (groups: ReturnType<typeof skip | typeof good>[], succeeded: number, skipped: number) =>
      outcomesText({ groups, counts: { succeeded, skipped } });
    expect(of([skip(2), good('a'), good('b'), skip(1)], 2, 3)).toBe('2 different answers, 3 devices without an answer');
    expect(of([good('a', 4), good('b')], 5, 0)).toBe('4 the same, 1 other');
    expect(of([skip(2)], 0, 2)).toBe('No device has answered');
  });

  it('are listed without the causes that stand above them', () => {
    const causes = [1, 2, 3, 4].map(skip);
    const groups = [good('a'), ...causes, { outcome: 'failed' as const, devices: 1, digest: 'c' }];
    expect(listedGroups({ groups, state: 'finished' })).toEqual([groups[0], causes[3], groups[5]]);
    expect(listedGroups({ groups, state: 'running' })).toEqual(groups);
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
  ['0.rsrp', 'RSRP'],
  ['1.rsrp', '2, RSRP'],
  ['0.oper', 'Operator'],
  ['load.min1', 'Load, 1 minute'],
  ['memory.ram_percentage', 'Memory in use'],
  ['ipv4_status', 'IPv4 status'],
  ['mob1s2a1.status', 'Mobile, SIM 2 (mob1s2a1), status'],
  ['lan.macAddress', 'LAN, MAC address'],
])('the field %s is %s', (name, title) => {
  expect(fieldTitle(name)).toBe(title);
});

describe('an answer about the signal', () => {
  const modem = (rsrp: number, oper = 'Orange') => ({ data: [{ model: 'EC25', rsrp, sinr: 9, oper, band: 'LTE B4' }] });
  const fleet = [-83, -91, -101, -112, -83].map((rsrp, at) => ({
    ...device(`${at}`, modem(rsrp)),
    values: withKnown({ firmware: `7.${at % 2}`, model: null }, valuesOf(modem(rsrp))),
  }));
  const choices = fieldChoices(fleet);
  const asked = askedFields(choices, liveShows('/api/modems/status'));

  it('shows first what was asked, also where all devices agree, and not the firmware', () => {
    expect(asked).toEqual(['0.oper', '0.rsrp', '0.sinr', '0.band']);
    const columns = firstColumns(choices, fleet, asked);
    expect(columns.slice(0, 4)).toEqual(asked);
    expect(columns).not.toContain('firmware');
    const first = groupingFields(choices, fleet.length, asked).first.map(({ name }) => name);
    expect(first).toEqual(['0.rsrp', 'firmware']);
  });

  it('tells numbers by the lowest, the mean and the highest', () => {
    expect(differingFields(alikeOf(fleet, choices, asked), choices, asked)[0]).toBe('0.rsrp');
    expect(rangeOf(fleet, '0.rsrp')).toEqual({ least: -112, mean: -94, most: -83 });
    expect(rangeOf(fleet, '0.oper')).toBeNull();
  });

  it('has the units and the colours of the live status', () => {
    expect(shownValue('0.rsrp', '-83')).toBe('−83 dBm');
    expect(shownValue('0.ipaddrs', '[]')).toBe('–');
    expect(shownValue('uptime_seconds', '2520452')).toBe('29 days 4 hours');
    expect(shownValue('load.min1', '0.04835761124867977')).toBe('0.05');
    expect(shownValue('static.fw_version', 'RUTX_R_00.07.24.2')).toBe('07.24.2 (RUTX)');
    expect(shownValue('static.fw_version', '07.24.2')).toBe('07.24.2');
    expect(shownValue('mnfinfo.batch', '0020'), 'an identifier stays as it is').toBe('0020');
    expect(['-112', '-105', '-83', 'N/A'].map((value) => toneOfField('0.rsrp', value))).toEqual([
      'bad',
      'warn',
      null,
      null,
    ]);
  });

  it('names an entry of a list as all devices name it', () => {
    const routers = ['a', 'b'].map((name) =>
      device(name, {
        data: [
          { name: 'lan', ip: 1, mac: `${name}1` },
          { name: 'mob1s1a1', ip: 2, mac: `${name}2` },
        ],
      }),
    );
    const titleOf = titlesOf(fieldChoices(routers), routers);
    expect(['0.ip', '1.ip'].map(titleOf)).toEqual(['LAN, IP', 'Mobile, SIM 1 (mob1s1a1), IP']);
    const modems = titlesOf(choices, fleet);
    expect(modems('0.rsrp')).toBe('RSRP');
  });
});
