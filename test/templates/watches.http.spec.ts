import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';

/* Watches as operators see and change them. What they read is in watch-pass.http.spec.ts. */

interface Watch {
  readonly id: string;
  readonly name: string;
  readonly paths: readonly string[];
  readonly enabled: boolean;
  readonly everySeconds: number;
  readonly price: { readonly devices: number; readonly loginsPerDay: number; readonly bytesPerMonth: number };
}

const WATCHES = '/v1/watches';
const USERS = '/api/users/config';

let world: TestGateway;
let db: DataSource;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = world.gateway.app.get(DataSource);
  await world.api.post('/v1/devices', {
    name: 'w-0',
    baseUrl: 'https://127.0.0.1:9',
    credentials: { username: 'admin', password: 'Secret-123' },
    site: 'a',
  });
});
afterAll(() => world.close());
afterEach(async () => {
  await db.query(`delete from watch where name not in ('accounts', 'certificates', 'access')`);
});

const create = (given: object) =>
  world.api.post<Watch>(WATCHES, { name: 'mine', selector: 'all', paths: [USERS], ...given });

describe('a watch', () => {
  it('is there three times from the first start, disabled', async () => {
    const { items } = await world.api.get<{ items: Watch[] }>(WATCHES);
    expect(items.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['access', false],
      ['accounts', false],
      ['certificates', false],
    ]);
  });

  it('says its price before it is saved: with logins, unless a session is open anyway', async () => {
    const price = (everySeconds: number) =>
      world.api.post<Watch['price']>(`${WATCHES}/price`, { selector: 'site:a', paths: [USERS], everySeconds });
    expect(await price(86_400)).toMatchObject({ devices: 1, loginsPerDay: 1, models: [{ isSampled: false }] });
    expect(await price(900)).toMatchObject({ loginsPerDay: 96 });
    expect((await world.api.get<{ items: Watch[] }>(WATCHES)).items).toHaveLength(3);
    const own = (await price(3_600)).bytesPerMonth;
    await db.query(
      `insert into monitored_device (device_id, policies, every_seconds, interval_seconds, due_at)
       select id, '{}', 240, 240, now() from device`,
    );
    const shared = await price(3_600);
    expect(shared).toMatchObject({ loginsPerDay: 0, models: [{ isSampled: true }] });
    expect(shared.bytesPerMonth).toBeLessThan(own / 2);
    await db.query('delete from monitored_device');
  });

  it.each([
    ['a path of a status', { paths: ['/api/system/device/status'] }],
    ['a path with a version', { paths: ['/api/v1/users/config'] }],
    ['an action', { paths: ['/api/backup/actions/generate'] }],
    ['a log', { paths: ['/api/events_log/config/system'] }],
    ['no path', { paths: [] }],
    ['more than 50 paths', { paths: Array.from({ length: 51 }, (_, at) => `/api/x${at}/config`) }],
    ['an interval in which each pass is a login', { everySeconds: 300 }],
    ['a name that is no part of an address', { name: 'two words' }],
  ])('cannot have %s', async (_, given) => {
    await expect(create(given)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('cannot choose devices by what was measured on them', async () => {
    await expect(create({ selector: 'rsrp<-100' })).rejects.toMatchObject({ code: 'invalid_selector' });
  });

  it('is changed with its version, and recorded in the audit', async () => {
    const { id } = await create({ paths: [USERS, USERS, '/api/ntp/global'] });
    await expect(create({})).rejects.toMatchObject({ code: 'watch_exists' });
    const wish = { name: 'other', selector: 'site:b', paths: [USERS], everySeconds: 900 };
    await expect(world.api.send('PUT', `${WATCHES}/mine`, wish, { 'if-match': '"9"' })).rejects.toMatchObject({
      code: 'version_changed',
    });
    await world.api.send('PUT', `${WATCHES}/mine`, wish, { 'if-match': '"1"' });
    expect(await world.api.get(`${WATCHES}/other`)).toMatchObject({ id, paths: [USERS], price: { devices: 0 } });
    await world.api.send('DELETE', `${WATCHES}/other`);
    await expect(world.api.get(`${WATCHES}/other`)).rejects.toMatchObject({ code: 'watch_not_found' });
    const actions = await db.query<{ action: string }[]>(
      'select action from audit_entry where subject = $1 order by opened_at, id',
      [`watch:${id}`],
    );
    expect(actions.map(({ action }) => action)).toEqual(['watch.create', 'watch.change', 'watch.remove']);
  });

  it('is made by holders of monitoring.manage whose key is not narrowed', async () => {
    const { api } = await addPerson(world, 'Viv', [{ role: 'viewer' }]);
    await expect(api.post(WATCHES, { name: 'hers', selector: 'all', paths: [USERS] })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await api.get(`${WATCHES}/accounts`)).toMatchObject({ paths: [USERS, '/api/users/groups/config'] });
  });
});
