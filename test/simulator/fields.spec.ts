/*
 * Each field that was observed on a device, by endpoint and where they differ by family: the answer has it, in its type, and
 * has no other ones. Beside the status, the options of each service that clients write.
 */
import https from 'node:https';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declarationTable } from '../../src/simulator/device/declarations/table.js';
import { RECORDED_FAMILIES } from '../../src/simulator/device/families.js';
import { SERVICE_ROUTES } from '../../src/simulator/services/route-table.js';
import { PROJECT } from '../support/source/project.js';
import { Caller, Fleets } from './caller.js';
import { differences, placesIn, placesOf, type ObservedFields } from './observed-fields.js';

const COVERAGE = JSON.parse(readFileSync(new URL('test/simulator/coverage.json', PROJECT), 'utf8')) as {
  readonly fields: Readonly<Record<string, ObservedFields>>;
  readonly options: Readonly<Record<string, string>>;
};

/** Status of a service that no client and no recording describes. */
const NOT_OBSERVED = ['/api/firewall/connections/status'];

const fleets = new Fleets();
const agent = new https.Agent({ keepAlive: true });
type RecordedFamily = (typeof RECORDED_FAMILIES)[number];
const callers = {} as Record<RecordedFamily, Caller>;
beforeAll(async () => {
  const fleet = await fleets.start({ devices: 5, profile: 'rutos', keepAlive: true });
  await Promise.all(
    RECORDED_FAMILIES.map(
      async (name, index) => (callers[name] = await new Caller(fleet.devices[index]!, agent).login()),
    ),
  );
  const { RUTX50 } = callers;
  // What a new device has none of.
  await RUTX50.post('/api/openvpn/config', { id: 'hub', type: 'server', enable: '1' });
  await RUTX50.post('/api/openvpn/hub/clients/config', { common_name: 'pump' });
});
afterAll(async () => {
  agent.destroy();
  await fleets.close();
});

const TITLE = /^(GET|POST) ([^ ]+)(?: \((\w+)\))?$/;

describe('the fields that devices answer', () => {
  it.each(Object.entries(COVERAGE.fields))('%s', async (title, fields) => {
    const [, method = '', path = '', family = 'RUTX50'] = TITLE.exec(title) ?? [];
    const { status, body } = await callers[family as RecordedFamily].send(method, path);
    expect([path, status, differences(body.data, fields)]).toEqual([path, 200, []]);
    // A list that is empty here would hide what its items lack.
    const seen = new Set(placesOf(body.data, fields));
    const unseen = placesIn(fields).filter((place) => !seen.has(place) && !/\?|\.\[\]/.test(place));
    expect(unseen).toEqual([]);
  });

  it('are listed for every status', () => {
    const listed = Object.keys(COVERAGE.fields).map((title) => TITLE.exec(title)![2]!.replace(/\?.*/, ''));
    const missing = SERVICE_ROUTES.filter(({ method, path }) => method === 'GET' && /\/status(\/|$)/.test(path))
      .map(({ path }) => path)
      .filter((path) => !NOT_OBSERVED.includes(path))
      .filter((path) => !listed.some((one) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(one)));
    expect(missing).toEqual([]);
  });
});

describe('the options that clients write', () => {
  const table = declarationTable();

  it.each(Object.entries(COVERAGE.options))('of %s', (path, names) => {
    const options = table.get(path)?.options ?? table.get(`${path}/global`)?.options ?? {};
    const wrong = names.split(' ').filter((name) => {
      const [, base = '', form = ''] = /^(\w+)(:f|\[\])?$/.exec(name)!;
      const rule = options[base];
      if (!rule) return true;
      return form === '[]' ? rule.list === false : rule.list === true || (form === ':f' && rule.type !== 'flag');
    });
    expect(wrong).toEqual([]);
  });
});

describe('the comparison with the observed fields', () => {
  const FIELDS: ObservedFields = {
    '[]': { text: 'id note?', whole: 'temperature', cells: {}, 'parts[]': { bool: 'up' } },
  };
  const GOOD = { id: '2-1', temperature: 40, cells: {}, parts: [{ up: true }] };

  it.each<[string, unknown, string[]]>([
    ['the same fields', [GOOD], []],
    ['a field that is missing', [{ ...GOOD, temperature: undefined, id: '1' }], ['[0].temperature is no whole']],
    ['a field less', [{ id: '1', cells: {}, parts: [] }], ['[0].temperature is missing']],
    ['another type', [{ ...GOOD, temperature: '40' }], ['[0].temperature is no whole']],
    ['a fraction', [{ ...GOOD, temperature: 40.5 }], ['[0].temperature is no whole']],
    ['a field more', [{ ...GOOD, extra: 1 }], ['[0].extra was not observed']],
    ['another type deep inside', [{ ...GOOD, parts: [{ up: '1' }] }], ['[0].parts[0].up is no bool']],
    ['no list', GOOD, [' is no list']],
  ])('finds %s', (_what, answer, expected) => {
    expect(differences(answer, FIELDS)).toEqual(expected);
  });
});
