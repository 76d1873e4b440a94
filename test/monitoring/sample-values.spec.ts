import { afterAll, describe, expect, it } from 'vitest';
import { joinBulk, type ItemAnswer } from '../../src/device-api/bulk.js';
import {
  type ExtraMetric,
  METRICS,
  pathsOf,
  SAMPLE_PATHS,
  bulkReadRequest,
} from '../../src/monitoring/samples/sample-request.js';
import { sampleValues, type SampleValues } from '../../src/monitoring/samples/sample-values.js';
import { FAMILY_NAMES } from '../../src/simulator/device/families.js';
import { Fleets } from '../simulator/caller.js';

const answered = (data: unknown): ItemAnswer => ({ success: true, data });
const REFUSED: ItemAnswer = { success: false, errors: [{ code: 122 }] };

/** The values of the answer to one path. */
const valuesAt = (path: string, answer: ItemAnswer): SampleValues => sampleValues([path], [answer], []);

/** As a RUT241 answers, shortened. */
const RUT241 = {
  id: '1-1',
  primary: true,
  rssi: -61,
  rsrp: -92,
  rsrq: -11,
  sinr: 8,
  temperature: 39,
  operator: 'LT BITE GSM',
  conntype: '4G (LTE)',
  active_sim: 1,
  txbytes: 1_024,
  rxbytes: 2_048,
};

describe('the values of modems', () => {
  const modem = (...records: object[]) => valuesAt(SAMPLE_PATHS.modems, answered(records));

  it.each<[string, object, object]>([
    ['as recorded', RUT241, { rsrp: -92, sinr: 8, temperature: 39, operator: 'LT BITE GSM', activeSim: 1 }],
    ['`N/A` is no value', { ...RUT241, rsrp: 'N/A', operator: 'N/A' }, { rsrp: null, operator: null, sinr: 8 }],
    ['a missing field is no value', { id: '1-1', rsrp: -90 }, { rsrp: -90, sinr: null, temperature: null }],
    ['numbers as texts', { ...RUT241, temperature: '41', rsrp: '-101' }, { temperature: 41, rsrp: -101 }],
    ['another type is no value', { ...RUT241, rsrp: [1], sinr: true, temperature: {} }, { rsrp: null, sinr: null }],
    [
      'no number is too small for its column',
      { ...RUT241, rsrp: 1e-300, sinr: '0.00000000000000000001' },
      { rsrp: 0, sinr: 0 },
    ],
    ['no number is too large', { ...RUT241, rsrp: 1e300, active_sim: 1e9 }, { rsrp: null, activeSim: null }],
    ['the fields of a RUT950', { signal: -70, oper: 'Telia' }, { rssi: -70, operator: 'Telia' }],
    ['zero is a value', { ...RUT241, sinr: 0 }, { sinr: 0 }],
    ['a modem that does not respond', { id: '1-1', offline: '1', primary: true }, { rsrp: null, rssi: null }],
  ])('%s', (_name, record, expected) => {
    expect(modem(record)).toMatchObject(expected);
  });

  it('are those of the primary one, and all are listed', () => {
    const { rsrp, modems } = modem({ ...RUT241, id: '3-1', primary: false, rsrp: -70 }, RUT241);
    expect(rsrp).toBe(-92);
    expect(modems.map(({ id, rsrp: own }) => [id, own])).toEqual([
      ['3-1', -70],
      ['1-1', -92],
    ]);
  });

  it('has bytes that an old firmware writes with a fraction', () => {
    expect(modem({ rxbytes: '1641289903812.0', txbytes: -1 }).modems[0]).toMatchObject({
      rxBytes: 1_641_289_903_812,
      txBytes: null,
    });
  });

  it.each([[null], [REFUSED], [answered('N/A')], [answered({})], [answered([])], [answered(undefined)]])(
    'are none of %j',
    (answer) => {
      expect(valuesAt(SAMPLE_PATHS.modems, answer)).toMatchObject({ rsrp: null, operator: null, modems: [] });
    },
  );
});

describe('the values of the system', () => {
  const usage = (data: unknown) => valuesAt(SAMPLE_PATHS.usage, answered(data));

  it.each<[string, unknown, object]>([
    [
      'sizes give the free part',
      { memory: { ram_total: 200, ram_free: 50, flash_total: 80, flash_free: 8, ram_percentage: 74 } },
      { memoryFree: 25, flashFree: 10 },
    ],
    ['the percentage alone', { memory: { ram_percentage: 60 } }, { memoryFree: 40, flashFree: null }],
    ['next to nothing is free', { memory: { ram_total: 1e300, ram_free: 1 } }, { memoryFree: 0 }],
    ['a total of zero', { memory: { ram_total: 0, ram_free: 0 } }, { memoryFree: null }],
    ['more free than there is', { memory: { ram_total: 10, ram_free: 20 } }, { memoryFree: null }],
    [
      'load and uptime',
      { load: { min1: 0.5, min5: '0.25' }, uptime_seconds: 61 },
      { load1: 0.5, load5: 0.25, uptimeSeconds: 61 },
    ],
    ['`N/A`', { uptime_seconds: 'N/A', load: 'N/A' }, { uptimeSeconds: null, load1: null }],
    ['a list', [], { uptimeSeconds: null, memoryFree: null }],
  ])('%s', (_name, data, expected) => {
    expect(usage(data)).toMatchObject(expected);
  });
});

describe('the position', () => {
  const place = (data: unknown) => {
    const { latitude, longitude } = valuesAt(SAMPLE_PATHS.position, answered(data));
    return [latitude, longitude];
  };

  it.each<[string, unknown, unknown]>([
    ['texts', { latitude: '54.687157', longitude: '25.279652', fix_status: '1' }, [54.687157, 25.279652]],
    ['no fix', { latitude: '54.6', longitude: '25.2', fix_status: '0' }, [null, null]],
    ['zero coordinates', { latitude: '0.000000', longitude: '0.000000' }, [null, null]],
    ['half of it', { latitude: '54.6', fix_status: '1' }, [null, null]],
    ['not on earth', { latitude: '91', longitude: '25', fix_status: '1' }, [null, null]],
  ])('%s', (_name, data, expected) => {
    expect(place(data)).toEqual(expected);
  });
});

describe('data use', () => {
  it.each<[string, ItemAnswer, number | null]>([
    [
      'rows are added',
      answered([
        [1, 100, 10],
        [2, '200', '20'],
      ]),
      330,
    ],
    [
      'a short row is left out',
      answered([
        [1, 100],
        [2, 5, 5],
      ]),
      10,
    ],
    ['no rows are no use', answered([]), 0],
    ['rows of another form', answered([{ modem: '1-1', rx: 5, tx: 5 }]), null],
    ['refused', REFUSED, null],
    ['no answer', null, null],
    ['beyond what a number holds', answered([[1, 9e15, 9e15]]), null],
  ])('%s', (_name, answer, expected) => {
    expect(valuesAt(SAMPLE_PATHS.dataOfMonth, answer).dataMonth).toBe(expected);
  });
});

describe('interfaces', () => {
  it('have their state and bytes, and none without a name', () => {
    const data = [
      { id: 'wan', up: true, rx_bytes: 5, tx_bytes: 'N/A' },
      { name: 'mob1s1a1', is_up: false },
      { id: 7, up: true },
    ];
    expect(valuesAt(SAMPLE_PATHS.interfaces, answered(data)).interfaces).toEqual([
      { name: 'wan', up: true, rxBytes: 5, txBytes: null },
      { name: 'mob1s1a1', up: false, rxBytes: null, txBytes: null },
    ]);
  });
});

describe('further paths', () => {
  const path = '/api/wireguard/status';
  const extra: ExtraMetric[] = [
    { path, pointer: '/0/peers/a~1b', name: 'peers', type: 'gauge' },
    { path, pointer: '/1/peers', name: 'none', type: 'gauge' },
    { path: '/api/x/status', pointer: '', name: 'refused', type: 'counter' },
  ];

  it('have the number at the pointer, or no value', () => {
    const answers = [answered([{ peers: { 'a/b': '4' } }]), REFUSED];
    expect(sampleValues([path, '/api/x/status'], answers, extra).extra).toEqual({ peers: { path, value: 4 } });
  });
});

describe('simulated devices of each family', () => {
  const fleets = new Fleets();
  afterAll(() => fleets.close());

  it.each(FAMILY_NAMES)('%s answers the whole sample in one bulk request', async (family) => {
    const caller = await fleets.caller({ family, profile: 'rutos', seed: 3 });
    const paths = pathsOf({ metrics: METRICS, extra: [] });
    const { body } = await caller.post('/api/bulk', bulkReadRequest(paths).data);
    const values = sampleValues(paths, joinBulk(body, paths.length), []);
    const { has } = caller.device.family;
    expect(values.uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect(values.memoryFree).toBeGreaterThan(0);
    expect(values.interfaces.length).toBeGreaterThan(0);
    expect(values.load1).not.toBeNull();
    expect(values.modems.length > 0).toBe(has.modem);
    expect(values.dataMonth === null).toBe(!has.modem);
    expect(values.latitude === null || has.gps).toBe(true);
  });
});
