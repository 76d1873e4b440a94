import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';

/* The dry run of an import says what it would change of known devices: old and new value of each field, and which get another name. */

interface Result {
  readonly changes?: readonly { line: number; device: string; fields: readonly unknown[] }[];
  readonly updated: number;
  readonly unchanged: number;
}

let world: CliWorld;

const KNOWN = {
  name: 'gate-1',
  baseUrl: 'https://192.0.2.1',
  serial: '1122334455',
  mac: '00:1e:42:00:00:01',
  model: 'RUTX50',
  site: 'vilnius/a',
  tags: ['old', 'pump'],
  note: 'at the door',
  sessions: 2,
  timeZone: 'Europe/Vilnius',
  fields: { rack: 'R1' },
  credentials: { username: 'admin', password: 'Planted-Secret-1' },
};

beforeAll(async () => {
  world = await openCliWorld(1, { ROLE: 'api' });
  await world.gateway.api.send('PUT', '/v1/fields/rack', { type: 'text' });
  await world.gateway.api.post('/v1/devices', KNOWN);
});
afterAll(() => world.close());

/** Imports lines of NDJSON that identify the device by its serial number. */
async function importLines(lines: readonly object[], query: string): Promise<Result> {
  const answer = await world.gateway.api.client.request('POST', `/v1/devices/import${query}`, {
    content: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  return (await answer.json()) as Result;
}

const { credentials: _known, ...UNCHANGED } = KNOWN;
const dryRun = async (line: object) => (await importLines([{ ...UNCHANGED, ...line }], '?dryRun=true')).changes;

describe('a dry run lists', () => {
  it.each<[string, object, readonly object[]]>([
    ['nothing for a line without a change', {}, []],
    ['another name', { name: 'gate-9' }, [{ field: 'name', before: 'gate-1', after: 'gate-9' }]],
    ['another case of the name', { name: 'Gate-1' }, [{ field: 'name', before: 'gate-1', after: 'Gate-1' }]],
    [
      'another MAC address',
      { mac: '001e.4200.0002' },
      [{ field: 'mac', before: KNOWN.mac, after: '00:1e:42:00:00:02' }],
    ],
    ['the same MAC address in another spelling', { mac: '00-1E-42-00-00-01' }, []],
    ['another model', { model: 'RUT956' }, [{ field: 'model', before: 'RUTX50', after: 'RUT956' }]],
    ['another site', { site: 'kaunas' }, [{ field: 'site', before: 'vilnius/a', after: 'kaunas' }]],
    ['no site any more', { site: '' }, [{ field: 'site', before: 'vilnius/a', after: '' }]],
    ['other tags', { tags: ['pump'] }, [{ field: 'tags', before: ['old', 'pump'], after: ['pump'] }]],
    ['another note', { note: 'gone' }, [{ field: 'note', before: 'at the door', after: 'gone' }]],
    ['another number of sessions', { sessions: 3 }, [{ field: 'sessions', before: 2, after: 3 }]],
    ['another time zone', { timeZone: 'UTC' }, [{ field: 'timeZone', before: 'Europe/Vilnius', after: 'UTC' }]],
    ['a custom field', { fields: { rack: 'R2' } }, [{ field: 'fields.rack', before: 'R1', after: 'R2' }]],
    [
      'a user name, and never a password',
      { credentials: { username: 'root', password: 'Planted-Secret-2' } },
      [{ field: 'credentials', before: 'admin', after: 'root' }],
    ],
    [
      'another address, with the credentials that it forgets',
      { baseUrl: 'https://192.0.2.2' },
      [
        { field: 'baseUrl', before: 'https://192.0.2.1', after: 'https://192.0.2.2' },
        { field: 'credentials', before: 'admin', after: null },
      ],
    ],
  ])('%s', async (_what, line, fields) => {
    expect(await dryRun(line)).toEqual(fields.length > 0 ? [{ line: 1, device: 'gate-1', fields }] : []);
  });

  it('nothing of a device that the import would register', async () => {
    expect(await importLines([{ name: 'new-1', baseUrl: 'https://192.0.2.77' }], '?dryRun=true')).toMatchObject({
      created: 1,
      changes: [],
    });
  });
});

it('an import that is no dry run has no list', async () => {
  expect(await importLines([UNCHANGED], '')).not.toHaveProperty('changes');
});

describe('the command line', () => {
  it('says old and new values, and warns of other names', async () => {
    const file = await world.file(
      'fleet.csv',
      `name,base_url,serial,site\ngate-9,${KNOWN.baseUrl},${KNOWN.serial},kaunas\n`,
    );
    const { err, code } = await world.run(['device', 'import', file, '--dry-run']);
    expect(code).toBe(0);
    expect(err).toContain('  line 2, gate-1: name gate-1 → gate-9; site vilnius/a → kaunas');
    expect(err).toContain('Look twice, by their serial number these get another name: 1 of 1 known devices');
  });
});
