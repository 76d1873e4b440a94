import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SampleStore } from '../../../src/monitoring/samples/sample-store.js';
import { type SampleValues } from '../../../src/monitoring/samples/sample-values.js';
import { FakeClock } from '../../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addPerson } from '../../support/people.js';
import { type TestApi } from '../../support/test-api.js';

/* What a screen shows of many devices: problems by cause and site, figures of the latest samples, a small chart for each row. */

interface Group {
  readonly problem: string;
  readonly reason: string | null;
  readonly site: string;
  readonly devices: number;
  readonly siteDevices: number;
  readonly named: readonly { name: string }[];
}

const HOUR_MS = 3_600_000;

let world: TestGateway;
let db: DataSource;
let south: TestApi;
const ids: string[] = [];
const clock = new FakeClock(Date.UTC(2026, 11, 12, 12));

const add = (index: number, values: Partial<SampleValues>) =>
  world.gateway.app.get(SampleStore).add({
    deviceId: ids[index]!,
    sampledAt: clock.now(),
    paths: ['/api/modems/status'],
    bytes: 7_000,
    month: `${clock.now().toISOString().slice(0, 7)}-01`,
    spentBytes: 7_000,
    intervalSeconds: 240,
    process: randomUUID(),
    values: { modems: [], interfaces: [], extra: {}, ...values } as unknown as SampleValues,
  });

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  db = world.gateway.app.get(DataSource);
  for (let index = 0; index < 6; index++) {
    const device = { name: `r-${index}`, baseUrl: `https://192.0.2.${index + 1}`, site: index < 4 ? 'north' : 'south' };
    const credentials = { username: 'admin', password: 'Secret-of-a-test-1' };
    ids.push((await world.api.post<{ id: string }>('/v1/devices', { ...device, credentials })).id);
  }
  const states = [
    [3, 'offline', 'timeout: tls'],
    [2, 'offline', 'timeout: tls'],
    [1, 'offline', 'refused: ECONNREFUSED'],
    [4, 'credentials_refused', null],
  ] as const;
  for (const [index, state, reason] of states)
    await db.query('update device set state = $2, state_reason = $3 where id = $1', [ids[index], state, reason]);
  await db.query('delete from device_account where device_id = $1', [ids[5]]);
  south = (await addPerson(world, 'Sven', [{ role: 'viewer', selector: 'site:south' }])).api;
  await add(0, { rsrp: -95 });
  clock.pass(2 * HOUR_MS);
  await add(0, { rsrp: -75, operator: 'Telia', dataMonth: 500 });
  await add(1, { rsrp: -91, operator: 'Telia', dataMonth: 700 });
  await add(4, { rsrp: null, operator: 'Orange', dataMonth: 900 });
});
afterAll(() => world.close());

describe('problems', () => {
  const problems = async (api: TestApi) => (await api.get<{ groups: Group[] }>('/v1/monitoring/problems')).groups;

  it('are counted by what is wrong and by site', async () => {
    const groups = await problems(world.api);
    expect(groups[0]).toMatchObject({ problem: 'offline', reason: 'timeout: tls', site: 'north', devices: 2 });
    expect(groups[0]!.siteDevices).toBe(4);
    expect(groups[0]!.named.map(({ name }) => name).sort()).toEqual(['r-2', 'r-3']);
    expect(
      groups
        .slice(1)
        .map(({ problem, site, devices }) => `${problem} ${site} ${devices}`)
        .sort(),
    ).toEqual(['credentials_refused south 1', 'no_credentials south 1', 'offline north 1']);
  });

  it('are those of the devices that the caller sees', async () => {
    expect((await problems(south)).map(({ site }) => site)).toEqual(['south', 'south']);
  });

  it('name the network where half of it is away, at several sites', async () => {
    interface Found {
      readonly network: string;
      readonly devices: number;
    }
    const networks = async (api: TestApi) => (await api.get<{ networks: Found[] }>('/v1/monitoring/problems')).networks;
    expect(await networks(world.api)).toEqual([]);
    const before = await db.query<{ id: string; state: string }[]>('select id, state from device where site = $1', [
      'south',
    ]);
    await db.query(`update device set state = 'offline', state_reason = 'timeout: tls' where site = 'south'`);
    expect(await networks(world.api)).toEqual([
      {
        network: '192.0.2.0/24',
        reason: 'timeout: tls',
        devices: 4,
        networkDevices: 6,
        sites: [
          { site: 'north', devices: 2 },
          { site: 'south', devices: 2 },
        ],
      },
    ]);
    expect(await networks(south)).toEqual([]); // one site alone says as much
    for (const { id, state } of before)
      await db.query('update device set state = $2, state_reason = null where id = $1', [id, state]);
  });
});

describe('figures of the fleet', () => {
  it('have the signal by class, and who uses the data of the month', async () => {
    await db.query(`update device set fields = '{"plan_mb": 500}' where name = 'r-1'`);
    const figures = await world.api.get<{ signal: object[] }>('/v1/monitoring/figures');
    expect(figures).toMatchObject({
      devices: 3,
      operators: [
        { operator: 'Telia', devices: 2, bytes: 1_200 },
        { operator: 'Orange', devices: 1, bytes: 900 },
      ],
      top: [
        { name: 'r-4', bytes: 900, planMb: null },
        { name: 'r-1', bytes: 700, planMb: 500 },
        { name: 'r-0', bytes: 500 },
      ],
    });
    expect(figures.signal).toHaveLength(3);
    expect(figures.signal).toContainEqual({ signal: 'excellent', devices: 1 });
    expect(figures.signal).toContainEqual({ signal: 'fair', devices: 1 });
    expect(figures.signal).toContainEqual({ signal: 'unknown', devices: 1 });
  });

  it('are those of the devices that the caller sees', async () => {
    expect(await south.get('/v1/monitoring/figures')).toMatchObject({ devices: 1, top: [{ name: 'r-4' }] });
  });
});

describe('sparklines', () => {
  const read = async (api: TestApi, list: readonly string[]) =>
    (
      await api.get<{ items: { id: string; points: (number | null)[] }[] }>(
        `/v1/monitoring/sparklines?metric=rsrp&ids=${list.join(',')}`,
      )
    ).items;

  it('have a value for each hour, and none for an hour without a sample', async () => {
    clock.pass(1_000);
    const [first] = await read(world.api, [ids[0]!]);
    expect(first!.points).toHaveLength(24);
    expect(first!.points.slice(-3)).toEqual([-95, null, -75]);
    expect(first!.points.slice(0, -3).every((point) => point === null)).toBe(true);
  });

  it('leave out devices that the caller may not read, and unknown ones', async () => {
    expect(await read(south, [ids[0]!, ids[4]!, randomUUID()])).toMatchObject([{ id: ids[4] }]);
    await expect(read(world.api, ['no-id'])).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
