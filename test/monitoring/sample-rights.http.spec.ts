import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { SamplerSweeper } from '../../src/monitoring/sampler.sweeper.js';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';

type Sample = Readonly<Record<string, unknown>>;

interface Price {
  readonly models: readonly { readonly isMeasured: boolean }[];
}

const POLICIES = '/v1/monitoring/policies';
const REDACTION_RULES = 'hide /modems/status operator,oper,sinr';

/** Of the position and of the modem, from the paths that metrics read, too. */
const EXTRA = [
  { path: '/api/gps/position/status', pointer: '/latitude', name: 'north', type: 'gauge' },
  { path: '/api/modems/status', pointer: '/0/rsrp', name: 'signal', type: 'gauge' },
];

let world: TestGateway;
let fleet: Fleet;
let db: DataSource;
let auditor: TestApi;
let noGps: TestApi;
let noModems: TestApi;
let policyId: string;
const ids: string[] = [];
const clock = new FakeClock(Date.now());

const sampleOf = async (api: TestApi, index = 0) =>
  (await api.get<{ sample: Sample | null }>(`/v1/devices/${ids[index]}/sample`)).sample;

const listed = async (api: TestApi, selector = 'all', fields = 'name') => {
  const query = `fields=${fields}&selector=${encodeURIComponent(selector)}`;
  const { items } = await api.get<{ items: { id: string; sample: Sample | null }[] }>(`/v1/devices?${query}`);
  return items.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
};

const names = async (api: TestApi, selector: string) => (await listed(api, selector)).map(({ id }) => ids.indexOf(id));

/** Who may do all but call devices at these paths. */
async function without(role: string, path: string): Promise<TestApi> {
  const rules = [
    { effect: 'allow', permissions: ['*'] },
    { effect: 'deny', permissions: ['device.call_read'], devices: { api: { [path]: ['read'] } } },
  ];
  await world.api.send('PUT', `/v1/roles/${role}`, { rules });
  return (await addPerson(world, role, [{ role }])).api;
}

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 2, family: 'RUTX50', profile: 'rutos', seed: 5, timeScale: 1 });
  world = await startTestGateway({ ROLE: 'api', REDACTION_RULES }, clock);
  db = world.gateway.app.get(DataSource);
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const device = { name: `r-${index}`, baseUrl, credentials: { username, password }, site: index === 0 ? 'a' : 'b' };
    ids.push((await world.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  auditor = (await addPerson(world, 'Ines', [{ role: 'auditor' }])).api;
  noGps = await without('no-gps', '/gps/*');
  noModems = await without('no-modems', '/modems/*');
  policyId = (await world.api.post<{ id: string }>(POLICIES, { name: 'all', selector: 'all', extra: EXTRA })).id;
  await world.gateway.app.get(SamplingPlanSweeper).sweep();
  clock.pass(241_000);
  await until(async () => {
    const sampler = world.gateway.app.get(SamplerSweeper);
    await sampler.sweep();
    await sampler.settled();
    return (await sampleOf(world.api, 0)) !== null && (await sampleOf(world.api, 1)) !== null;
  });
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});

describe('a sample', () => {
  it('is for callers who may call the device to read', async () => {
    expect(await sampleOf(world.api)).toMatchObject({ rsrp: expect.any(Number), latitude: expect.any(Number) });
    await expect(sampleOf(auditor)).rejects.toMatchObject({ code: 'forbidden' });
    const items = await listed(auditor, 'site:a', 'name,sample,loginsToday');
    expect(items).toEqual([{ id: ids[0], name: 'r-0', sample: null, loginsToday: expect.any(Number) }]);
  });

  it('has no values of a path that the reader may not read', async () => {
    const whole = (await sampleOf(world.api))!;
    expect(whole).toMatchObject({ extra: { north: whole['latitude'], signal: whole['rsrp'] } });
    const withoutPlace = { ...whole, latitude: null, longitude: null, extra: { signal: whole['rsrp'] } };
    expect(await sampleOf(noGps)).toEqual(withoutPlace);
    const [item] = await listed(noGps, 'site:a', 'sample');
    expect(item!.sample).toEqual(withoutPlace);
    expect(await sampleOf(noModems)).toMatchObject({
      rsrp: null,
      temperature: null,
      modems: [],
      interfaces: whole['interfaces'],
      latitude: whole['latitude'],
      extra: { north: whole['latitude'] },
    });
  });

  it('has no value that a redaction rule hides, for any reader', async () => {
    const { modems, ...values } = (await sampleOf(world.api))!;
    expect(values).toMatchObject({ operator: null, sinr: null, rsrq: expect.any(Number) });
    expect(modems).toEqual([expect.objectContaining({ operator: null, sinr: null })]);
    expect(JSON.stringify(await db.query('select * from device_sample'))).not.toContain('hmac:');
  });
});

describe('a selector about samples', () => {
  it('matches as if there was no sample where the reader may not read its path', async () => {
    expect(await names(world.api, 'rsrp<0 & sample<1h')).toEqual([0, 1]);
    expect(await names(auditor, 'rsrp<0 | uptime>0s | sample<1h')).toEqual([]);
    expect(await names(auditor, '!rsrp<0')).toEqual([0, 1]);
    expect(await names(noModems, 'rsrp<0 | temperature>-100')).toEqual([]);
    expect(await names(noModems, 'uptime>=0s')).toEqual([0, 1]);
  });

  it('tells nothing as a saved one, and none of a device that the reader may not call', async () => {
    const rules = [
      { effect: 'allow', permissions: ['device.read'] },
      { effect: 'allow', permissions: ['device.call_read'], selector: 'site:b' },
    ];
    await world.api.send('PUT', '/v1/roles/calls-b', { rules });
    await world.api.send('PUT', '/v1/selectors/measured', { selector: 'rsrp<0', description: '' });
    const { api } = await addPerson(world, 'Bea', [{ role: 'calls-b' }]);
    expect(await names(api, '@measured')).toEqual([1]);
    expect(await names(auditor, '@measured')).toEqual([]);
  });
});

describe('an alert', () => {
  it('has the value that its rule compares, for callers who may read it', async () => {
    const rule = { name: 'signal', selector: 'rsrp<0 & uptime>=0s', forSeconds: 0 };
    const { id } = await world.api.post<{ id: string }>('/v1/monitoring/rules', rule);
    await until(async () => {
      clock.pass(10_000);
      await world.gateway.app.get(AlertSweeper).sweep();
      const [row] = await db.query<[{ open: number }]>(
        `select count(*)::int as open from alert where rule_id = $1 and state = 'open'`,
        [id],
      );
      return row.open === 2;
    });
    const valuesOf = async (api: TestApi) => {
      const { items } = await api.get<{ items: { deviceId: string; values: { name: string; value: number }[] }[] }>(
        `/v1/monitoring/alerts?rule=${id}`,
      );
      return items.find(({ deviceId }) => deviceId === ids[0])!.values;
    };
    const { rsrp, uptimeSeconds } = (await sampleOf(world.api))!;
    expect(await valuesOf(world.api)).toEqual([
      { name: 'rsrp', value: rsrp },
      { name: 'uptime', value: uptimeSeconds },
    ]);
    expect(await valuesOf(noModems)).toEqual([{ name: 'uptime', value: uptimeSeconds }]);
    expect(await valuesOf(auditor)).toEqual([]);
    await world.api.send('DELETE', `/v1/monitoring/rules/${id}`);
  });
});

it('tells of an alert how long a certificate lasts and how old a backup is, though no sample has them', async () => {
  const rule = { name: 'ends', selector: 'certificate<900000d | backup>900000d', forSeconds: 0 };
  const { id } = await world.api.post<{ id: string }>('/v1/monitoring/rules', rule);
  const days = (count: number) => count * 86_400;
  await db.query(
    `insert into artifact (id, sha256, bytes, kind, name, device_id, created_by_name, created_at)
     values (gen_random_uuid(), '${'0'.repeat(64)}', 1, 'backup', 'b', $1, 'a test', $2)`,
    [ids[0], new Date(clock.now().getTime() - days(3) * 1000)],
  );
  let values: { name: string; value: number }[] = [];
  await until(async () => {
    clock.pass(10_000);
    await world.gateway.app.get(AlertSweeper).sweep();
    const { items } = await world.api.get<{ items: { deviceId: string; values: typeof values }[] }>(
      `/v1/monitoring/alerts?rule=${id}`,
    );
    values = items.find(({ deviceId }) => deviceId === ids[0])?.values ?? [];
    return values.length > 0;
  });
  const valueOf = (wanted: string) => values.find(({ name }) => name === wanted)?.value;
  expect(valueOf('certificate')).toBeGreaterThan(0);
  expect(valueOf('backup')).toBeGreaterThanOrEqual(days(3));
  expect(valueOf('backup')).toBeLessThan(days(4));
  await world.api.send('DELETE', `/v1/monitoring/rules/${id}`);
});

describe('a price', () => {
  it('is measured on devices that the reader may call, and no others', async () => {
    const rules = [
      { effect: 'allow', permissions: ['monitoring.read'] },
      { effect: 'allow', permissions: ['device.read', 'device.call_read'], selector: 'site:a' },
    ];
    await world.api.send('PUT', '/v1/roles/prices-a', { rules });
    const { api } = await addPerson(world, 'Cleo', [{ role: 'prices-a' }]);
    const isMeasured = async (reader: TestApi) =>
      (await reader.post<Price>(`${POLICIES}/price`, { selector: 'all', extra: EXTRA })).models.some(
        (model) => model.isMeasured,
      );
    expect(await isMeasured(api)).toBe(true);
    await db.query(`update device_sample set paths = '{}' where device_id = $1`, [ids[0]]);
    expect(await isMeasured(world.api)).toBe(true);
    expect(await isMeasured(api)).toBe(false);
  });

  it('counts no devices that the reader may call and not read', async () => {
    const rules = [
      { effect: 'allow', permissions: ['monitoring.read', 'device.call_read'] },
      { effect: 'allow', permissions: ['device.read'], selector: 'site:a' },
    ];
    await world.api.send('PUT', '/v1/roles/reads-a', { rules });
    const { api } = await addPerson(world, 'Dora', [{ role: 'reads-a' }]);
    expect(await api.post(`${POLICIES}/price`, { selector: 'all' })).toMatchObject({ devices: 1 });
  });

  it('is null for a selector that cannot be read, and another failure is an error', async () => {
    await db.query(`update monitoring_policy set selector = '@gone' where id = $1`, [policyId]);
    expect(await world.api.get(`${POLICIES}/${policyId}`)).toMatchObject({ price: null });
    await db.query(`update monitoring_policy set selector = 'all' where id = $1`, [policyId]);
    await db.query(`update monitoring_policy set extra = 'null' where id = $1`, [policyId]);
    await expect(world.api.get(`${POLICIES}/${policyId}`)).rejects.toMatchObject({ code: 'internal_error' });
  });
});
