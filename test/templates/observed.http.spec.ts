import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ObservedBodies } from '../../src/templates/observed/observed-bodies.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { startWatchedWorld, type WatchedWorld } from '../support/watched-world.js';

/* The views of what watches have read, and what each reader sees of it. */

const USERS = '/api/users/config';
const NTP = '/api/ntp/servers/config';
const WIREGUARD = '/api/wireguard/config';
const GONE = '/api/nothing/config';
const KEY = `${'k'.repeat(42)}A=`;

interface Groups {
  readonly devices: number;
  readonly unread: number;
  readonly groups: readonly {
    readonly digest: string | null;
    readonly error: string | null;
    readonly devices: number;
  }[];
}

interface Matrix {
  readonly items: readonly { readonly device: string; readonly section: string; readonly options: object }[];
  readonly next: string | null;
}

interface Changes {
  readonly items: readonly { readonly deviceName: string; readonly path: string; readonly at: string }[];
  readonly next: string | null;
}

let world: WatchedWorld;
let ofSiteA: TestApi;
let noUsers: TestApi;

const groups = (path: string, api = world.api, selector = 'all') =>
  api.get<Groups>(`/v1/observed?path=${path}&selector=${encodeURIComponent(selector)}`);
const changes = (query = '', api = world.api) => api.get<Changes>(`/v1/observed/changes?${query}`);
const matrix = (path: string, more = '', api = world.api) => api.get<Matrix>(`/v1/observed/matrix?path=${path}${more}`);

beforeAll(async () => {
  world = await startWatchedWorld(['a/x', 'a/y', 'b']);
  await world.write(0, 'POST', WIREGUARD, { data: { id: 'tunnel', private_key: KEY } });
  await world.write(2, 'POST', USERS, { data: { username: 'guest', password: 'Passw0rd-Guest!', group: 'user' } });
  await world.api.post('/v1/watches', { name: 'mine', selector: 'all', paths: [USERS, NTP, WIREGUARD, GONE] });
  await world.run('mine');
  ofSiteA = (await addPerson(world, 'Ana', [{ role: 'operator', selector: 'site:a/*' }])).api;
  const rules = [
    { effect: 'allow', permissions: ['*'] },
    { effect: 'deny', permissions: ['device.call_read'], devices: { api: { '/users/*': ['read'] } } },
  ];
  await world.api.send('PUT', '/v1/roles/no-users', { rules });
  noUsers = (await addPerson(world, 'Noa', [{ role: 'no-users' }])).api;
});
afterAll(() => world.close());

describe('the groups of a path', () => {
  it('count equal bodies, and devices without one by the reason', async () => {
    const { groups: ntp, ...counts } = await groups(NTP);
    expect(counts).toMatchObject({ devices: 3, unread: 0, moreGroups: 0 });
    expect(ntp).toMatchObject([{ devices: 3, error: null, oldestReadAt: expect.any(String) }]);
    expect((await groups(USERS)).groups.map(({ devices }) => devices)).toEqual([2, 1]);
    expect(await groups(GONE)).toMatchObject({ groups: [{ devices: 3, digest: null, error: 'not_there' }] });
    expect(await groups('/api/never/config')).toMatchObject({ devices: 0, unread: 3, groups: [] });
    expect(await groups(USERS, world.api, 'site:b')).toMatchObject({ devices: 1, groups: [{ devices: 1 }] });
  });

  it('are compared option by option, with fingerprints for secrets', async () => {
    const [many, one] = (await groups(USERS)).groups;
    const compare = `/v1/observed/comparison?path=${USERS}&one=${many!.digest}&other=${one!.digest}`;
    const { differences } = await world.api.get<{ differences: readonly { other: { username: string } }[] }>(compare);
    expect(differences).toHaveLength(1);
    expect(differences[0]).toMatchObject({ option: null, other: { username: 'guest', group: 'user' } });
    const body = await world.api.get<object>(`/v1/devices/name:r-0/observed?path=${WIREGUARD}`);
    expect(JSON.stringify(body)).toContain('hmac:');
    expect(JSON.stringify(body)).not.toContain('kkkk');
  });
});

describe('the matrix of a path', () => {
  it('has a row for each section of each device, by pages of devices', async () => {
    const first = await matrix(USERS, '&options=username,group&limit=2');
    expect(new Set(first.items.map(({ device }) => device))).toEqual(new Set(['r-0', 'r-1']));
    const { items } = await matrix(USERS, `&options=username,group&limit=2&cursor=${first.next}`);
    expect(items.map(({ device }) => device)).toEqual(['r-2', 'r-2', 'r-2']);
    expect(items.map(({ options }) => options)).toContainEqual({ username: 'guest', group: 'user' });
    await expect(matrix(NTP, `&cursor=${first.next}`)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('is a table and lines, too', async () => {
    const read = async (query: string) => {
      const answer = await fetch(`${world.url}/v1/observed/matrix?path=${USERS}&${query}`, {
        headers: { authorization: `Bearer ${world.keys.operator}` },
      });
      expect(answer.status).toBe(200);
      return (await answer.text()).split(/\r?\n/).filter((line) => line !== '');
    };
    const wide = await read('format=csv&options=username,group');
    expect(wide[0]).toBe('device,device_id,site,section,username,group');
    expect(wide.filter((line) => line.endsWith('guest,user'))).toHaveLength(1);
    expect(wide).toHaveLength(1 + 7);
    const long = await read('format=csv');
    expect(long[0]).toBe('device,device_id,site,section,option,value');
    expect(long.some((line) => line.endsWith('username,guest'))).toBe(true);
    // Names of columns, and of what objects have, are options as others are.
    const odd = await read('format=csv&options=device,constructor,username,-1');
    expect(odd[0]).toBe("device,device_id,site,section,device,constructor,username,'-1");
    expect(odd.find((line) => line.includes('guest'))).toMatch(/^r-2,[0-9a-f-]{36},b,[^,]+,,,guest,$/);
    const lines = await read('format=ndjson');
    expect(lines.map((line) => (JSON.parse(line) as { device: string }).device)).toEqual([
      'r-0',
      'r-0',
      'r-1',
      'r-1',
      'r-2',
      'r-2',
      'r-2',
    ]);
  });
});

describe('what watches read', () => {
  const WIDE = '/api/wide/config';

  it('is shown in pages of a bounded number of rows, and no device in two', async () => {
    const json = JSON.stringify(Array.from({ length: 12_000 }, () => 0));
    const digest = ObservedBodies.digestOf(json);
    await world.gateway.app.get(ObservedBodies).store(world.db.manager, new Map([[digest, json]]));
    await world.db.query(
      'insert into observed (device_id, path, digest, read_at) select id, $1, $2, now() from device',
      [WIDE, digest],
    );
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Matrix = await matrix(WIDE, `&limit=2&selector=site:a/*${cursor && `&cursor=${cursor}`}`);
      expect(new Set(page.items.map(({ device }) => device)).size).toBe(1);
      sizes.push(page.items.length);
      cursor = page.next;
    }
    expect(sizes).toEqual([12_000, 12_000]);
  });

  it('keeps the latest thousand changes of a path', async () => {
    await world.db.query(
      `insert into observed_change (device_id, path, from_digest, to_digest, since, at, options)
       select $1, $2, digest, digest, now(), now() - place * interval '1 second', '{}'
         from generate_series(1, 1003) as place, (select digest from observed_body limit 1) one`,
      [world.ids[0], WIDE],
    );
    await world.gateway.app.get(ObservedBodies).sweep();
    const left = `select count(*)::int as count, max(now() - at) < interval '1002 seconds' as are_latest from observed_change where path = $1`;
    expect(await world.db.query(left, [WIDE])).toEqual([{ count: 1000, are_latest: true }]);
    for (const table of ['observed_change', 'observed'])
      await world.db.query(`delete from ${table} where path = $1`, [WIDE]);
  });
});

describe('a device', () => {
  it('has what was read of it, and is read at once when asked', async () => {
    const { items } = await world.api.get<{ items: readonly { path: string; error: string | null }[] }>(
      '/v1/devices/name:r-0/observed',
    );
    expect(items.map(({ path, error }) => [path, error])).toEqual([
      [GONE, 'not_there'],
      [NTP, null],
      [USERS, null],
      [WIREGUARD, null],
    ]);
    await world.writeBehind(0, 'PUT', `${NTP}/1`, { data: { hostname: 'behind.example' } });
    world.clock.pass(1_000);
    const fresh = await world.api.get<object>(`/v1/devices/name:r-0/observed?path=${NTP}&fresh=true`);
    expect(fresh).toMatchObject({ items: [{ readAt: world.clock.now().toISOString() }] });
    expect(JSON.stringify(fresh)).toContain('behind.example');
    const changes = await world.api.get<object>('/v1/devices/name:r-0/observed/changes');
    expect(changes).toMatchObject({ items: [{ path: NTP, options: ['1.hostname'], auditEntryId: null }], next: null });
  });
});

describe('the changes of the fleet', () => {
  const behind = async (device: number, body: object) => {
    await world.writeBehind(device, 'PUT', `${NTP}/1`, { data: body });
    world.clock.pass(1_000);
    await world.api.get(`/v1/devices/name:r-${device}/observed?fresh=true`);
  };

  it('are those of all devices, newest first, by pages', async () => {
    await behind(2, { hostname: 'north.example' });
    await behind(1, { hostname: 'south.example' });
    const { items, next } = await changes('limit=2');
    expect(items.map(({ deviceName }) => deviceName)).toEqual(['r-1', 'r-2']);
    expect(items[0]).toMatchObject({ path: NTP, options: ['1.hostname'], auditEntryId: null });
    const rest = await changes(`limit=2&cursor=${next}`);
    expect(rest.items.map(({ deviceName }) => deviceName)).toEqual(['r-0']);
    expect(rest.next).toBeNull();
  });

  it('are narrowed by devices, path and time', async () => {
    const names = async (query: string) => (await changes(query)).items.map(({ deviceName }) => deviceName);
    const { at } = (await changes('limit=1')).items[0]!;
    expect(await names('selector=name:r-2')).toEqual(['r-2']);
    expect(await names(`path=${USERS}`)).toEqual([]);
    expect(await names(`since=${at}`)).toEqual(['r-1']);
    await expect(changes('selector=%26')).rejects.toMatchObject({ code: 'invalid_selector' });
  });
});

describe('a reader', () => {
  it('of some devices sees no row, group size or digest of others', async () => {
    expect(await groups(USERS, ofSiteA)).toMatchObject({ devices: 2, unread: 0, groups: [{ devices: 2 }] });
    const other = (await groups(USERS)).groups[1]!;
    const compare = `/v1/observed/comparison?path=${USERS}&one=${other.digest}&other=${other.digest}`;
    await expect(ofSiteA.get(compare)).rejects.toMatchObject({ code: 'observed_body_not_found' });
    expect(JSON.stringify(await matrix(USERS, '', ofSiteA))).not.toContain('r-2');
    await expect(ofSiteA.get('/v1/devices/name:r-2/observed')).rejects.toMatchObject({ code: 'device_not_found' });
  });

  it('sees nothing of a path that they may not read', async () => {
    expect(await groups(USERS, noUsers)).toMatchObject({ devices: 0, groups: [] });
    expect((await matrix(USERS, '', noUsers)).items).toEqual([]);
    expect(await groups(NTP, noUsers)).toMatchObject({ devices: 3 });
    const { items } = await noUsers.get<{ items: readonly { path: string }[] }>('/v1/devices/name:r-0/observed');
    expect(items.map(({ path }) => path)).not.toContain(USERS);
    // Nor how long it is.
    const measured = async (api: TestApi) => {
      const wish = { selector: 'all', paths: [USERS] };
      const { models } = await api.post<{ models: readonly { isMeasured: boolean }[] }>('/v1/watches/price', wish);
      return models.map(({ isMeasured }) => isMeasured);
    };
    expect([await measured(world.api), await measured(noUsers)]).toEqual([[true], [false]]);
    // Nor of a digest that they know from elsewhere.
    const [{ digest }] = (await groups(USERS)).groups as [Groups['groups'][number]];
    const compare = `/v1/observed/comparison?path=${USERS}&one=${digest}&other=${digest}`;
    await expect(noUsers.get(compare)).rejects.toMatchObject({ code: 'observed_body_not_found' });
  });
});

describe('a selector about what watches read', () => {
  const names = async (selector: string, api = world.api) => {
    const list = `/v1/devices?fields=name&selector=${encodeURIComponent(selector)}`;
    return (await api.get<{ items: readonly { name: string }[] }>(list)).items.map(({ name }) => name).toSorted();
  };

  it('names devices that changed, or could not be read at a path that they have', async () => {
    await world.db.query(`update observed set changed_at = null where path <> $1`, [NTP]);
    await world.writeBehind(1, 'PUT', `${NTP}/1`, { data: { hostname: 'other.example' } });
    await world.run('mine', 'name:r-1');
    expect(await names('observed.changed<1d & name:r-1')).toEqual(['r-1']);
    expect(await names('observed.changed>1d')).toEqual([]);
    const mine = async (api: TestApi) =>
      (await api.get<{ items: readonly { name: string }[] }>('/v1/watches')).items.find(({ name }) => name === 'mine');
    const changedDevices = (await names('observed.changed<1d')).length;
    expect(await mine(world.api)).toMatchObject({
      changedDevices,
      lastReadAt: expect.any(String),
      nextReadAt: expect.any(String),
    });
    await world.db.query(`update observed set path = '/api/users/other' where path = $1`, [NTP]);
    await world.db.query(`update watch set paths = array_append(paths, '/api/users/other') where name = 'mine'`);
    expect([await mine(world.api), await mine(noUsers)]).toMatchObject([{ changedDevices }, { changedDevices: 0 }]);
    await world.db.query(`update observed set path = $1 where path = '/api/users/other'`, [NTP]);
    await world.db.query(`update watch set paths = array_remove(paths, '/api/users/other') where name = 'mine'`);
    expect(await names('observed:failed')).toEqual([]);
    await world.db.query(`update observed set error = 'device_refused' where device_id = $1 and path = $2`, [
      world.ids[2],
      NTP,
    ]);
    expect(await names('observed:failed')).toEqual(['r-2']);
    expect(await names('!observed:failed')).toEqual(['r-0', 'r-1']);
  });

  it('names the devices of a group, for those who may read its path', async () => {
    const [largest, other] = (await groups(USERS)).groups as [Groups['groups'][number], Groups['groups'][number]];
    const term = (digest: string | null) => `observed:${USERS}/${digest}`;
    const [all, few] = [await names(term(largest.digest)), await names(term(other.digest))];
    expect([all.length, few.length]).toEqual([largest.devices, other.devices]);
    expect(all.filter((name) => few.includes(name))).toEqual([]);
    expect(await names(`!${term(largest.digest)} & name:${all[0]}`)).toEqual([]);
    expect(await names(`observed:${NTP}/${largest.digest}`)).toEqual([]);
    expect(await names(term(largest.digest), noUsers)).toEqual([]);
    for (const wrong of [`observed:${USERS}`, `observed:${USERS}/${largest.digest!.slice(1)}`])
      await expect(names(wrong)).rejects.toMatchObject({ code: 'invalid_selector' });
  });

  it('names none for a reader who may not see it, and is not for rights and watches', async () => {
    const { api } = await addPerson(world, 'Aud', [{ role: 'auditor' }]);
    expect(await names('observed:failed | observed.changed<1d', api)).toEqual([]);
    expect(await names('observed:failed', ofSiteA)).toEqual([]);
    for (const selector of ['observed:failed', 'observed.changed<1d']) {
      const wish = { name: 'self', selector, paths: [NTP] };
      await expect(world.api.post('/v1/watches', wish)).rejects.toMatchObject({ code: 'invalid_selector' });
    }
  });
});

it('shows in the changes of the fleet only those that a reader may see on the device', async () => {
  const user = { username: 'night', password: 'Passw0rd-Night!', group: 'user' };
  await world.writeBehind(2, 'POST', USERS, { data: user });
  world.clock.pass(1_000);
  await world.api.get('/v1/devices/name:r-2/observed?fresh=true');
  const all = (await changes()).items;
  expect(all[0]).toMatchObject({ deviceName: 'r-2', path: USERS });
  const names = (await changes('', ofSiteA)).items.map(({ deviceName }) => deviceName);
  expect(new Set(names)).toEqual(new Set(['r-0', 'r-1']));
  const paths = (await changes('', noUsers)).items.map(({ path }) => path);
  expect(paths).toContain(NTP);
  expect(paths).not.toContain(USERS);
  expect((await changes(`path=${USERS}`, noUsers)).items).toEqual([]);
});
