import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startFleet } from '../../src/simulator/fleet.js';
import { sizeOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

let world: TestGateway;
let db: pg.Client;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});
beforeEach(async () => {
  await db.query('delete from device');
});

const HEADER = 'name,base_url,username,password,serial,mac,model,site,tags,pin';
const PIN = `sha256/${Buffer.alloc(32, 9).toString('base64')}`;

interface Summary {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  lines: number;
  errors: { line: number; field: string | null; code: string; detail: string }[];
}

async function importFile(
  body: string,
  query = '',
  type = 'text/csv',
): Promise<{ status: number; body: Summary & { code?: string } }> {
  const answer = await fetch(`${world.url}/v1/devices/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.keys.operator}`, 'content-type': type },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as Summary };
}

const devices = async () =>
  (
    await db.query<{ name: string; base_url: string; tags: string[]; trust_pin: string | null; serial: string | null }>(
      'select * from device order by name',
    )
  ).rows;

const csv = (...rows: string[]) => [HEADER, ...rows].join('\n');

describe('importing a fleet', () => {
  it('registers what is new, from CSV, with credentials sealed and pins taken', async () => {
    const file = csv(
      `pump-1,https://10.1.0.1,admin,Planted-Import-1,S1,001E42AABB01,RUTX50,vilnius/p1,pump roof,${PIN}`,
      `"pump, 2",https://10.1.0.2,,,,,,,,`,
    );
    const { status, body } = await importFile(`\ufeff${file}\n\n`);
    expect({ status, ...body }).toMatchObject({ status: 200, lines: 2, created: 2, updated: 0, failed: 0 });
    const [second, first] = await devices();
    expect(first).toMatchObject({ name: 'pump-1', serial: 'S1', tags: ['pump', 'roof'], trust_pin: PIN });
    expect(second).toMatchObject({ name: 'pump, 2', tags: [] });
    const { rows } = await db.query<{ sealed_password: Buffer }>('select sealed_password from device_account');
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed_password.includes('Planted')).toBe(false);
  });

  it('does the same from NDJSON', async () => {
    const lines = [
      { name: 'a', baseUrl: 'https://10.1.0.1' },
      { name: 'b', baseUrl: 'https://10.1.0.2', tags: ['x'] },
    ];
    const { body } = await importFile(lines.map((line) => JSON.stringify(line)).join('\n'), '', 'application/x-ndjson');
    expect(body).toMatchObject({ created: 2 });
    expect((await devices()).map(({ tags }) => tags)).toEqual([[], ['x']]);
  });

  it('updates what is known by serial number or name, leaves what a line does not say, and counts what is the same', async () => {
    await importFile(
      csv('one,https://10.1.0.1,admin,pw,S1,,,site-a,old,', 'two,https://10.1.0.2,admin,pw,,,,site-b,old,'),
    );
    const again = csv(
      'renamed,https://10.1.0.9,,,S1,,,,,',
      'two,https://10.1.0.2,admin,pw,,,,,,',
      'three,https://10.1.0.3,,,,,,,,',
    );
    const { body } = await importFile(again);
    expect(body).toMatchObject({ created: 1, updated: 1, unchanged: 1, failed: 0 });
    expect(await devices()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'renamed', base_url: 'https://10.1.0.9', site: 'site-a', tags: ['old'] }),
      ]),
    );
    const { rows } = await db.query('select username from device_account');
    expect(rows).toHaveLength(1); // the one that moved was given none for its new address
  });

  it('forgets the credentials of a device that is somewhere else now, unless the line has them', async () => {
    await importFile(csv('one,https://10.1.0.1,admin,pw,,,,,,', 'two,https://10.1.0.2,admin,pw,,,,,,'));
    await importFile(csv('one,https://10.1.0.8,,,,,,,,', 'two,https://10.1.0.9,admin,pw,,,,,,'));
    const { rows } = await db.query('select name from device_account join device on device.id = device_id');
    expect(rows).toEqual([{ name: 'two' }]);
  });

  it.each(['text/csv', 'application/x-ndjson'])(
    'refuses addresses that would be read as others, in %s',
    async (type) => {
      const written = ['https://192.168.001.010', 'https://192.168.1', 'https://0xc0a8010a', 'https:\\\\10.1.0.2'];
      const rows = written.map((baseUrl, at) => ({ name: `n${at}`, baseUrl }));
      const file =
        type === 'text/csv'
          ? ['name,base_url', ...rows.map(({ name, baseUrl }) => `${name},${baseUrl}`)].join('\n')
          : rows.map((row) => JSON.stringify(row)).join('\n');
      const { body } = await importFile(file, '?onError=skip', type);
      expect(body).toMatchObject({ created: 0, failed: 4 });
      expect(body.errors.map(({ field, code }) => [field, code])).toEqual(
        written.map(() => [type === 'text/csv' ? 'base_url' : 'baseUrl', 'base_url_refused']),
      );
      expect(body.errors[0]!.detail).toContain('192.168.1.10?');
      expect(await devices()).toEqual([]);
    },
  );

  it('names every bad line and its field, and changes nothing', async () => {
    await importFile(csv('taken,https://10.1.0.1,,,,,,,,'));
    const { status, body } = await importFile(
      csv(
        'fine,https://10.1.0.50,,,,,,,,',
        ',https://10.1.0.2,,,,,,,,',
        'bad-url,ftp://10.1.0.3,,,,,,,,',
        'forbidden,https://169.254.169.254,,,,,,,,',
        'bad-mac,https://10.1.0.4,,,,nope,,,,',
        'half,https://10.1.0.5,,pw,,,,,,',
        'same-url,https://10.1.0.1,,,,,,,,',
        'fine,https://10.1.0.51,,,,,,,,',
      ),
    );
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'import_refused' });
    expect(body.errors.map(({ line, field, code }) => [line, field, code])).toEqual([
      [3, 'name', 'invalid_input'],
      [4, 'base_url', 'base_url_refused'],
      [5, 'base_url', 'base_url_refused'],
      [6, 'mac', 'invalid_input'],
      [7, 'username', 'invalid_input'],
      [8, 'base_url', 'device_exists'],
      [9, 'name', 'device_exists'],
    ]);
    expect((await devices()).map(({ name }) => name)).toEqual(['taken']);
  });

  it('takes the good lines when it is told to skip the bad ones', async () => {
    const { status, body } = await importFile(
      csv('good,https://10.1.0.1,,,,,,,,', 'bad,nowhere,,,,,,,,'),
      '?onError=skip',
    );
    expect({ status, ...body }).toMatchObject({ status: 200, created: 1, failed: 1 });
    expect((await devices()).map(({ name }) => name)).toEqual(['good']);
  });

  it('refuses a file without a device', async () => {
    for (const empty of ['', csv()]) {
      const { status, body } = await importFile(empty);
      expect({ status, ...body }).toMatchObject({ status: 400, code: 'invalid_input' });
    }
  });

  it('meets a device at its new address anew, whatever was seen at the old one', async () => {
    await importFile(csv('moved,https://10.1.0.1,,,,,,,,', 'stays,https://10.1.0.2,,,,,,,,'));
    await db.query(`update device set state = 'offline', state_reason = 'ECONNREFUSED', offered_pin = 'sha256/x'`);
    await importFile(csv('moved,https://10.1.0.9,,,,,,,,', 'stays,https://10.1.0.2,,,,,,,pump,'));
    const seen = (name: string) => world.api.get<Record<string, unknown>>(`/v1/devices/name:${name}`);
    expect(await seen('moved')).toMatchObject({ state: 'new', stateReason: null, trust: { offeredPin: null } });
    expect(await seen('stays')).toMatchObject({ state: 'offline', stateReason: 'ECONNREFUSED', tags: ['pump'] });
    await world.api.send('PATCH', '/v1/devices/name:stays', { baseUrl: 'https://10.1.0.8' });
    expect(await seen('stays')).toMatchObject({ state: 'new', stateReason: null });
  });

  it('changes nothing in a dry run, and says what it would do', async () => {
    const entries = async () => (await db.query('select from audit_entry')).rowCount;
    const before = await entries();
    const { body } = await importFile(csv('good,https://10.1.0.1,,,,,,,,', 'bad,nowhere,,,,,,,,'), '?dryRun=true');
    expect(body).toMatchObject({ dryRun: true, created: 1, failed: 1 });
    expect(await devices()).toEqual([]);
    expect(await entries()).toBe(before);
  });

  it.each([
    ['an unknown column', 'name,base_url,colour\nx,https://10.1.0.1,red', 'text/csv', 400, 'invalid_input'],
    ['a missing column', 'name\nx', 'text/csv', 400, 'invalid_input'],
    ['another type', '<xml/>', 'application/xml', 415, 'unsupported_media_type'],
    ['JSON', '{}', 'application/json', 415, 'unsupported_media_type'],
  ])('refuses %s', async (_what, body, type, status, code) => {
    const answer = await importFile(body, '', type);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(await devices()).toEqual([]);
  });

  it('takes the good lines of a spreadsheet, and names the bad ones', async () => {
    const good = ['one,https://10.1.0.1,,,,001e.42aa.bb01,,,,', 'two,https://10.1.0.2,,,,00-1E-42-AA-BB-02,,,,'];
    const bad = ['short,https://10.1.0.3', '# spare', 'x,https://10.1.0.4,,,,,,12" mast,,', '"open,https://10.1.0.5'];
    const file = ['sep=,', `${HEADER},,`, good[0], ...bad, good[1]].join('\r\n');
    const refused = await importFile(file);
    expect(refused).toMatchObject({ status: 422, body: { code: 'import_refused' } });
    expect(refused.body.errors.map(({ line }) => line)).toEqual([4, 5, 6, 7]);
    expect(await devices()).toEqual([]);
    expect((await importFile(file, '?onError=skip')).body).toMatchObject({ created: 2, failed: 4, lines: 6 });
    expect(await devices()).toMatchObject([{ mac: '00:1e:42:aa:bb:01' }, { mac: '00:1e:42:aa:bb:02' }]);
  });

  it('says of a line that is not JSON which one it is', async () => {
    const { body } = await importFile('{"name":"a","baseUrl":"https://10.1.0.1"}\n{oops', '', 'application/x-ndjson');
    expect(body.errors).toEqual([{ line: 2, field: null, code: 'invalid_input', detail: 'the line is not JSON' }]);
  });

  const size = sizeOf({ short: 500, long: 500, nightly: 5_000 });
  it(`imports ${size} devices at once and finds them all unchanged the second time`, async () => {
    const rows = Array.from(
      { length: size },
      (_, n) => `d-${n},https://10.${n >> 16}.${(n >> 8) & 255}.${n & 255},admin,pw-${n},S${n},,,a/b,x y,`,
    );
    expect((await importFile(csv(...rows))).body).toMatchObject({ created: size });
    expect((await importFile(csv(...rows))).body).toMatchObject({ created: 0, updated: 0, unchanged: size });
  });
});

describe('exporting a fleet', () => {
  it('gives a file that an import takes back, without passwords', async () => {
    await importFile(
      csv(
        `one,https://10.1.0.1,admin,Planted-Export-1,S1,001e42aabb01,RUTX50,a/b,x y,${PIN}`,
        'two,https://10.1.0.2,,,,,,,z,',
      ),
    );
    const file = await (
      await fetch(`${world.url}/v1/devices/export`, { headers: { authorization: `Bearer ${world.keys.viewer}` } })
    ).text();
    expect(file).not.toContain('Planted-Export-1');
    expect(file.split('\n')).toContain(
      `one,https://10.1.0.1,admin,S1,00:1e:42:aa:bb:01,RUTX50,a/b,x y,${PIN},1,,,new,,,,`,
    );
    expect((await importFile(file)).body).toMatchObject({ created: 0, unchanged: 2 });
  });

  it('carries the number of sessions, the clock and the note of a device out and in again', async () => {
    const header = 'name,base_url,sessions,time_zone,note';
    await importFile(
      `${header}\none,https://10.1.0.1,3,Europe/Vilnius,"Keys, gate\n2nd line"\ntwo,https://10.1.0.2,,,`,
    );
    const headers = { authorization: `Bearer ${world.keys.viewer}` };
    const file = await (await fetch(`${world.url}/v1/devices/export`, { headers })).text();
    expect((await importFile(file)).body).toMatchObject({ unchanged: 2 });

    const known = async () => (await db.query('select name, sessions, time_zone, note from device order by name')).rows;
    expect(await known()).toEqual([
      { name: 'one', sessions: 3, time_zone: 'Europe/Vilnius', note: 'Keys, gate\n2nd line' },
      { name: 'two', sessions: 1, time_zone: null, note: '' },
    ]);
    await db.query('delete from device');
    expect((await importFile(file)).body).toMatchObject({ created: 2 });
    expect((await known())[0]).toMatchObject({
      sessions: 3,
      time_zone: 'Europe/Vilnius',
      note: 'Keys, gate\n2nd line',
    });

    const { body } = await importFile(`${header}\none,https://10.1.0.1,5,,\ntwo,https://10.1.0.2,many,,`);
    expect(body.errors.map(({ line, field }) => [line, field])).toEqual([
      [2, 'sessions'],
      [3, 'sessions'],
    ]);
    expect((await importFile('name,base_url\none,https://10.1.0.1')).body).toMatchObject({ unchanged: 1 });
  });

  it('gives NDJSON, and only what the selector names', async () => {
    await importFile(csv('one,https://10.1.0.1,,,,,,,x,', 'two,https://10.1.0.2,,,,,,,y,'));
    const url = `${world.url}/v1/devices/export?format=ndjson&selector=tag:y`;
    const file = await (await fetch(url, { headers: { authorization: `Bearer ${world.keys.viewer}` } })).text();
    expect(
      file
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { name: string }).name),
    ).toEqual(['two']);
  });

  it('marks a cell that a spreadsheet would run', async () => {
    await importFile(csv('=cmd(),https://10.1.0.1,,,,,,,,'));
    const file = await (
      await fetch(`${world.url}/v1/devices/export`, { headers: { authorization: `Bearer ${world.keys.viewer}` } })
    ).text();
    expect(file).toContain("'=cmd()");
    expect((await importFile(file)).body).toMatchObject({ unchanged: 1, failed: 0 });
  });
});

describe('changing the tags of many', () => {
  it('adds and removes, says how many changed, and leaves an entry for each', async () => {
    await importFile(
      csv('one,https://10.1.0.1,,,,,,s,x,', 'two,https://10.1.0.2,,,,,,s,y,', 'three,https://10.1.0.3,,,,,,t,x,'),
    );
    const change = { selector: 'site:s', add: ['y'], remove: ['x'] };
    expect(await world.api.post('/v1/devices/tags', { ...change, dryRun: true })).toEqual({
      dryRun: true,
      matched: 2,
      changed: 1,
      forbidden: 0,
      locked: 0,
    });
    expect((await devices()).map(({ tags }) => tags)).toEqual([['x'], ['x'], ['y']]);
    expect(await world.api.post('/v1/devices/tags', change)).toMatchObject({ dryRun: false, matched: 2, changed: 1 });
    expect((await devices()).map(({ name, tags }) => [name, ...tags])).toEqual([
      ['one', 'y'],
      ['three', 'x'],
      ['two', 'y'],
    ]);
    const { rowCount } = await db.query(
      `select from audit_entry where action = 'device.change' and facts->'after'->>'tags' = '["y"]'`,
    );
    expect(rowCount).toBe(1);
  });

  it.each([
    ['a selector', { kind: 'selector', target: 'tag:frozen' }],
    ['a device', { kind: 'device', target: 'name:one' }],
  ])('leaves devices out that a lock of %s stops, so that it cannot lift the lock', async (_name, lock) => {
    await importFile(csv('one,https://10.1.0.1,,,,,,s,frozen,', 'two,https://10.1.0.2,,,,,,s,x,'));
    const { id } = await world.api.post<{ id: string }>('/v1/locks', { ...lock, reason: 'test' });
    const change = { selector: 'all', add: ['y'], remove: ['frozen'] };
    const counts = { matched: 2, changed: 1, forbidden: 0, locked: 1 };
    expect(await world.api.post('/v1/devices/tags', { ...change, dryRun: true })).toEqual({ dryRun: true, ...counts });
    expect(await world.api.post('/v1/devices/tags', change)).toEqual({ dryRun: false, ...counts });
    expect((await devices()).map(({ tags }) => tags)).toEqual([['frozen'], ['x', 'y']]);
    await world.api.send('DELETE', `/v1/locks/${id}`);
    expect(await world.api.post('/v1/devices/tags', change)).toMatchObject({ changed: 1, locked: 0 });
  });
});

describe('a saved selector', () => {
  const save = (name: string, selector: string) => world.api.send('PUT', `/v1/selectors/${name}`, { selector });
  const names = async (selector: string) => {
    const { items } = await world.api.get<{ items: { name: string }[] }>(
      `/v1/devices?selector=${encodeURIComponent(selector)}`,
    );
    return items.map(({ name }) => name).sort();
  };

  it('stands for what was saved, inside others too, and follows a change', async () => {
    await importFile(
      csv('one,https://10.1.0.1,,,,,,s,x,', 'two,https://10.1.0.2,,,,,,s,y,', 'three,https://10.1.0.3,,,,,,t,x,'),
    );
    await save('xs', 'tag:x');
    await save('s-xs', '@xs & site:s');
    expect(await names('@s-xs')).toEqual(['one']);
    expect(await names('!@s-xs')).toEqual(['three', 'two']);
    await save('xs', 'tag:y');
    expect(await names('@s-xs')).toEqual(['two']);
    expect(await world.api.get('/v1/selectors')).toMatchObject({
      items: [{ name: 's-xs' }, { name: 'xs', selector: 'tag:y' }],
    });
  });

  it('cannot lead back to itself', async () => {
    await save('a', 'tag:x');
    await save('b', '@a');
    await expect(save('a', 'tag:y | @b')).rejects.toMatchObject({ code: 'invalid_selector' });
    await expect(save('c', '@c')).rejects.toMatchObject({ code: 'invalid_selector', problem: { position: 0 } });
    expect(await world.api.get('/v1/selectors/a')).toMatchObject({ selector: 'tag:x' });
  });

  it('that is not there, or not any more, is named with its position', async () => {
    const list = world.api.get(`/v1/devices?selector=${encodeURIComponent('tag:x & @gone')}`);
    await expect(list).rejects.toMatchObject({ code: 'invalid_selector', problem: { position: 8, near: '@gone' } });
    await save('gone', 'all');
    await world.api.send('DELETE', '/v1/selectors/gone');
    await expect(world.api.get('/v1/selectors/gone')).rejects.toMatchObject({ code: 'selector_not_found' });
    await expect(world.api.send('DELETE', '/v1/selectors/gone')).rejects.toMatchObject({ code: 'selector_not_found' });
  });
});

describe('the list that the simulator writes', () => {
  it('is imported with credentials and pins, and every device is met under the pin that stood in it', async () => {
    const fleet = await startFleet({ devices: 5, profile: 'rutos', seed: 17, timeScale: 1 });
    try {
      expect((await importFile(fleet.csv())).body).toMatchObject({ created: 5, failed: 0 });
      expect((await devices()).map((device) => device.trust_pin)).toEqual(
        expect.arrayContaining(fleet.devices.map(({ fingerprint }) => fingerprint)),
      );
      for (const { serial } of fleet.devices) {
        const path = `/v1/devices/serial:${serial}/api/system/device/status`;
        expect(await world.api.get(path)).toMatchObject({ success: true, data: { mnfinfo: { serial } } });
      }
    } finally {
      await fleet.close();
    }
  });
});
