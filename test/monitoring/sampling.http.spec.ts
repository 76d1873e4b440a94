import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SamplerSweeper } from '../../src/monitoring/sampler.sweeper.js';
import { SampleStore } from '../../src/monitoring/samples/sample-store.js';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { type SampleValues } from '../../src/monitoring/samples/sample-values.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { until } from '../support/until.js';

interface Sampled {
  readonly sample: Record<string, unknown> & {
    readonly sampledAt: string;
    readonly monthBytes: number;
    readonly modems: readonly object[];
  };
  readonly sampling: {
    readonly everySeconds: number;
    readonly intervalSeconds: number;
    readonly lastError: string | null;
  };
  readonly loginsToday: number;
}

interface Policy {
  readonly id: string;
  readonly devices: number;
  readonly slowedDevices: number;
  readonly orphaned: boolean;
  readonly lastError: string | null;
  readonly price: {
    readonly devices: number;
    readonly loginsPerDay: number;
    readonly bytesPerMonth: number;
    readonly models: readonly { readonly isMeasured: boolean; readonly bytesPerSample: number }[];
  };
}

/* Time is a clock that stands: each sample is one that the test asked for. */

let world: TestGateway;
let fleet: Fleet;
let db: DataSource;
const ids: string[] = [];
/* Not the real date: what a budget allows depends on the days that the month has left. */
const clock = new FakeClock();

const POLICIES = '/v1/monitoring/policies';

const sampled = (index: number) => world.api.get<Sampled>(`/v1/devices/${ids[index]}/sample`);
const read = (id: string) => world.api.get<Policy>(`${POLICIES}/${id}`);
const plan = () => world.gateway.app.get(SamplingPlanSweeper).sweep();
const logins = (index: number) => fleet.ledger.summary(index).logins;

let count = 0;
const create = (given: object, api = world.api) =>
  api.post<Policy>(POLICIES, { name: `policy ${++count}`, selector: 'all', ...given });

/** Plans, moves the clock, and samples: a new device is due within 240 seconds. */
async function pass(seconds: number): Promise<void> {
  await plan();
  clock.pass(seconds * 1_000);
  const sampler = world.gateway.app.get(SamplerSweeper);
  await sampler.sweep();
  await sampler.settled();
}

/** Until a device has a sample of the present moment, which may be the gateway's own. */
async function sampleOf(index: number, seconds = 241): Promise<Sampled> {
  await pass(seconds);
  return until(async () => {
    const now = await sampled(index);
    return now.sample !== null && Date.parse(now.sample.sampledAt) === clock.now().getTime() && now;
  });
}

const names = async (selector: string) => {
  const { items } = await world.api.get<{ items: { id: string }[] }>(
    `/v1/devices?fields=name&selector=${encodeURIComponent(selector)}`,
  );
  return items.map(({ id }) => ids.indexOf(id)).sort((one, other) => one - other);
};

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 2, family: 'RUTX50', profile: 'rutos', seed: 5, timeScale: 1 });
  world = await startTestGateway({ ROLE: 'api' }, clock);
  db = world.gateway.app.get(DataSource);
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const device = {
      name: `m-${index}`,
      baseUrl,
      credentials: { username, password },
      site: index === 0 ? 'a/x' : 'b',
    };
    ids.push((await world.api.post<{ id: string }>('/v1/devices', device)).id);
  }
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});
afterEach(async () => {
  await db.query('delete from monitoring_policy');
  await plan();
});

describe('a policy', () => {
  it('says its price before it is saved, by the table and then by what the model sent', async () => {
    const wish = { selector: 'site:a/*', metrics: ['usage', 'modem'] };
    const price = () => world.api.post<Policy['price']>(`${POLICIES}/price`, wish);
    const before = await price();
    expect(before).toMatchObject({ devices: 1, loginsPerDay: 1, models: [{ isMeasured: false }] });
    expect(await world.api.get(POLICIES)).toEqual({ items: [] });
    await create(wish);
    await sampleOf(0);
    const after = await until(async () => {
      const now = await price();
      return now.models.some(({ isMeasured }) => isMeasured) && now;
    });
    const { sample } = await sampled(0);
    expect(after.models.find(({ isMeasured }) => isMeasured)?.bytesPerSample).toBe(sample['bytes']);
  });

  it.each([59, 241, 899, 86_401])('cannot sample every %d seconds', async (everySeconds) => {
    await expect(create({ everySeconds })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('cannot read a path whose answer can have secrets, or that is of the session', async () => {
    const extra = (path: string) => ({ extra: [{ path, pointer: '/0', name: 'x', type: 'gauge' }] });
    await expect(create(extra('/api/wireguard/config'))).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(create(extra('/api/session/status/../../logout/status'))).rejects.toMatchObject({
      code: 'path_refused',
    });
  });

  it('is changed with its version, and recorded in the audit', async () => {
    const { id } = await create({ everySeconds: 60 });
    const wish = { name: 'other', selector: 'site:b', everySeconds: 900 };
    await expect(world.api.send('PUT', `${POLICIES}/${id}`, wish, { 'if-match': '"9"' })).rejects.toMatchObject({
      code: 'version_changed',
    });
    await world.api.send('PUT', `${POLICIES}/${id}`, wish, { 'if-match': '"1"' });
    expect(await read(id)).toMatchObject({ name: 'other', everySeconds: 900, price: { devices: 1, loginsPerDay: 96 } });
    await world.api.send('DELETE', `${POLICIES}/${id}`);
    await expect(read(id)).rejects.toMatchObject({ code: 'monitoring_policy_not_found' });
    const actions = await db.query<{ action: string }[]>(
      'select action from audit_entry where subject = $1 order by opened_at, id',
      [`monitoring_policy:${id}`],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'monitoring_policy.create',
      'monitoring_policy.change',
      'monitoring_policy.remove',
    ]);
  });

  it('cannot choose devices by what it measures, also not by a saved selector', async () => {
    await expect(create({ selector: 'site:b & sample>200s' })).rejects.toMatchObject({
      code: 'invalid_selector',
      problem: expect.objectContaining({ position: 9 }),
    });
    await world.api.send('PUT', '/v1/selectors/weak', { selector: 'site:a/*' });
    const { id } = await create({ selector: '@weak' });
    await world.api.send('PUT', '/v1/selectors/weak', { selector: 'rsrp<-100' });
    await plan();
    expect(await read(id)).toMatchObject({ lastError: 'invalid_selector', devices: 0 });
  });

  it('that comes back does not sample a device sooner than it says, and one that is edited keeps its interval', async () => {
    await create({ selector: 'site:a/*' });
    const { sample } = await sampleOf(0);
    await db.query('delete from monitoring_policy');
    await plan();
    const { id } = await create({ selector: 'site:a/*', budgetMb: 50 });
    await plan();
    const dueAt = async () => {
      const [row] = await db.query<{ due_at: Date }[]>('select due_at from monitored_device where device_id = $1', [
        ids[0],
      ]);
      return row!.due_at.getTime();
    };
    expect(await dueAt()).toBe(Date.parse(sample.sampledAt) + 240_000);
    await db.query(`update monitored_device set interval_seconds = 960, due_at = due_at + interval '10 minutes'`);
    const wish = { name: 'edited', selector: 'all', metrics: ['usage'], budgetMb: 50 };
    const before = await dueAt();
    await world.api.send('PUT', `${POLICIES}/${id}`, wish);
    await plan();
    expect((await sampled(0)).sampling).toMatchObject({ intervalSeconds: 960 });
    expect(await dueAt()).toBe(before);
    await world.api.send('PUT', `${POLICIES}/${id}`, { ...wish, budgetMb: null });
    await plan();
    expect((await sampled(0)).sampling).toMatchObject({ intervalSeconds: 240 });
    expect(await dueAt()).toBe(Date.parse(sample.sampledAt) + 240_000);
  });

  it('has a name of its own', async () => {
    await create({ name: 'twice' });
    await expect(create({ name: 'Twice' })).rejects.toMatchObject({ code: 'monitoring_policy_exists' });
  });
});

describe('a sample', () => {
  it('is one bulk request on the shared session, without an audit entry', async () => {
    await create({});
    await sampleOf(0);
    const since = fleet.ledger.entries().at(-1)!.seq;
    const before = logins(0);
    const audited = () => db.query('select 1 from audit_entry where device_id = $1', [ids[0]]);
    const known = await audited();
    const { sample, sampling, loginsToday } = await sampleOf(0);
    expect(fleet.ledger.entries({ device: 0, since }).map(({ path }) => path)).toEqual(['/api/bulk']);
    expect(logins(0)).toBe(before);
    expect(loginsToday).toBe(before);
    expect(await audited()).toHaveLength(known.length);
    expect(sampling).toEqual({ everySeconds: 240, intervalSeconds: 240, lastError: null });
    const { serial } = fleet.devices[0]!;
    expect(serial).not.toBe('');
    expect(sample).toMatchObject({ rsrp: expect.any(Number), memoryFree: expect.any(Number), extra: {} });
    expect(sample.modems).toHaveLength(1);
  });

  it('is in the list of devices where `fields` names it, and in no other answer', async () => {
    await create({});
    const { sample } = await sampleOf(0);
    const { items } = await world.api.get<{ items: object[] }>(
      '/v1/devices?fields=name,sample,loginsToday&selector=name:m-0',
    );
    expect(items).toEqual([{ id: ids[0], name: 'm-0', sample, loginsToday: logins(0) }]);
    expect(await world.api.get(`/v1/devices/${ids[0]}`)).not.toHaveProperty('sample');
  });

  it('of two policies has the shorter interval and what both ask for', async () => {
    await create({ metrics: ['usage'], everySeconds: 240 });
    const alone = await sampleOf(0);
    expect(alone.sample).toMatchObject({ rsrp: null, uptimeSeconds: expect.any(Number) });
    const extra = [{ path: '/api/firmware/device/status', pointer: '/none', name: 'none', type: 'gauge' }];
    await create({ metrics: ['modem'], everySeconds: 120, selector: 'site:a/*', extra });
    const both = await sampleOf(0);
    expect(both.sampling).toMatchObject({ everySeconds: 120 });
    expect(both.sample).toMatchObject({ rsrp: expect.any(Number), uptimeSeconds: expect.any(Number), extra: {} });
    expect((await sampled(1)).sampling).toMatchObject({ everySeconds: 240 });
  });

  it('reads each path with the present rights of the author', async () => {
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      { effect: 'deny', permissions: ['device.call_read'], devices: { api: { '/modems/*': ['read'] } } },
    ];
    await world.api.send('PUT', '/v1/roles/no-modems', { rules });
    const author = await addPerson(world, 'Nora', [{ role: 'no-modems' }]);
    const { id } = await create({ metrics: ['modem', 'usage'] }, author.api);
    expect((await sampleOf(0)).sample).toMatchObject({ rsrp: null, uptimeSeconds: expect.any(Number) });
    await world.api.send('PATCH', `/v1/operators/${author.operatorId}`, { disabled: true });
    await plan();
    expect(await read(id)).toMatchObject({ orphaned: true, lastError: 'author_gone', devices: 0 });
    expect((await sampled(0)).sampling).toBeNull();
  });

  it('of 900 seconds or more logs out after it, but not others', async () => {
    await create({ everySeconds: 900, selector: 'site:b' });
    clock.pass(400_000); // an earlier session has ended by its age
    const logouts = () => fleet.ledger.summary(1).effects['logout'] ?? 0;
    const [loggedIn, loggedOut] = [logins(1), logouts()];
    await sampleOf(1, 901);
    await until(() => logouts() > loggedOut);
    expect(logins(1)).toBe(loggedIn + 1);
    clock.pass(650_000);
    await world.api.get(`/v1/devices/${ids[1]}/api/system/device/usage/status`); // its caller has a session now
    await sampleOf(1, 260);
    expect([logins(1), logouts()]).toEqual([loggedIn + 2, loggedOut + 1]);
  });

  it('of 900 seconds or more that fails logs out, too, and its bytes count', async () => {
    await create({ everySeconds: 900, selector: 'site:b' });
    await sampleOf(1, 901);
    const { sample } = await sampled(1);
    const logouts = () => fleet.ledger.summary(1).effects['logout'] ?? 0;
    const loggedOut = logouts();
    const rule = fleet.devices[1]!.faults.add({ kind: 'html', path: '/api/bulk' });
    await pass(901);
    await until(async () => (await sampled(1)).sampling.lastError !== null);
    fleet.devices[1]!.faults.remove(rule);
    await until(() => logouts() > loggedOut);
    expect((await sampled(1)).sample.monthBytes).not.toBe(sample.monthBytes);
  });
});

describe('who is not sampled', () => {
  const isSampledIn = async (seconds: number) => {
    await pass(seconds);
    return (await sampled(0)).sample.sampledAt === clock.now().toISOString();
  };

  it('is a device with a job under way, until that ends', async () => {
    await create({});
    await sampleOf(0);
    const jobId = randomUUID();
    await db.query(
      `insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at, started_at)
       values ($1, $2, 'reboot', 'queued', '{}', 'infinity', 'infinity', 'test', 'test', $3, $3)`,
      [jobId, ids[0], clock.now()],
    );
    expect(await isSampledIn(241)).toBe(false);
    // It does not stay in front of those that can be sampled.
    expect(
      await db.query('select from monitored_device where device_id = $1 and due_at > $2', [ids[0], clock.now()]),
    ).toHaveLength(1);
    await db.query('delete from job where id = $1', [jobId]);
    await sampleOf(0, 61);
  });

  it.each(['credentials_refused', 'trust_changed'])('is a device in the state %s', async (state) => {
    await create({});
    await sampleOf(0);
    await db.query('update device set state = $2 where id = $1', [ids[0], state]);
    expect(await isSampledIn(241)).toBe(false);
    await db.query(`update device set state = 'online' where id = $1`, [ids[0]]);
    await sampleOf(0, 61);
  });

  it('is a device that does not answer, which says why', async () => {
    await create({ selector: 'site:b' });
    await sampleOf(1);
    await fleet.devices[1]!.stop();
    clock.pass(241_000);
    await world.gateway.app.get(SamplerSweeper).sweep();
    const { lastError } = await until(async () => {
      clock.pass(500); // a call pauses before it is tried again
      const { sampling } = await sampled(1);
      return sampling.lastError !== null && sampling;
    });
    expect(lastError).toMatch(/^device_/);
    await fleet.devices[1]!.start();
    await until(async () => {
      clock.pass(61_000);
      return (await sampled(1)).sampling.lastError === null;
    });
  });
});

describe('the budget of a month', () => {
  it('doubles the interval, says so, and sends one event', async () => {
    const { id } = await create({ everySeconds: 60, budgetMb: 1, selector: 'site:a/*' });
    const events = () => db.query(`select data from event where type = 'device.sampling_slowed'`);
    for (let round = 0; round < 3; round++) await sampleOf(0, round === 0 ? 241 : 90_000);
    const { sampling, sample } = await sampled(0);
    expect(sampling.everySeconds).toBe(60);
    expect(sampling.intervalSeconds).toBeGreaterThanOrEqual(960);
    expect(sample.monthBytes).toBeGreaterThan(0);
    expect(await read(id)).toMatchObject({ devices: 1, slowedDevices: 1, price: { models: [{ isOverBudget: true }] } });
    expect(await events()).toEqual([{ data: { name: 'm-0', everySeconds: 60, intervalSeconds: expect.any(Number) } }]);
  });
});

describe('the interval that a budget made longer', () => {
  it('is that of the policy again when another month begins, and not a day later', async () => {
    await create({ everySeconds: 60, selector: 'site:a/*' });
    await sampleOf(0);
    const now = clock.now();
    await db.query(
      `update monitored_device set interval_seconds = 61440, due_at = $1::timestamptz + interval '61440 seconds'`,
      [now],
    );
    clock.pass(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime());
    await plan();
    expect((await sampled(0)).sampling.intervalSeconds).toBe(60);
    await sampleOf(0, 60);
  });

  it('is longer where all samples fail, too: these cost bytes as well', async () => {
    const { id } = await create({ everySeconds: 60, selector: 'site:b' });
    await sampleOf(1);
    await db.query('update monitoring_policy set budget_mb = 1');
    await db.query('update monitored_device set budget_mb = 1');
    const rule = fleet.devices[1]!.faults.add({ kind: 'html', path: '/api/bulk' });
    await until(async () => {
      await pass(61);
      return (await sampled(1)).sampling.lastError !== null;
    });
    fleet.devices[1]!.faults.remove(rule);
    expect((await sampled(1)).sampling.intervalSeconds).toBeGreaterThanOrEqual(960);
    expect(await read(id)).toMatchObject({ slowedDevices: 1 });
  });
});

describe('the bytes of a month', () => {
  const add = (month: string, spentBytes: number) => {
    const values = { modems: [], interfaces: [], extra: {} } as unknown as SampleValues;
    const sample = { deviceId: ids[1]!, sampledAt: clock.now(), paths: ['/api/x'], bytes: 7_000, values };
    return world.gateway.app
      .get(SampleStore)
      .add({ ...sample, month, spentBytes, intervalSeconds: 240, process: randomUUID() });
  };
  const monthBytes = async () => (await sampled(1)).sample.monthBytes;

  it('are those of its own samples, with those that failed', async () => {
    await add('2031-01-01', 100);
    await add('2031-01-01', 10);
    expect(await monthBytes()).toBe(110);
    const failed = { deviceId: ids[1]!, month: '2031-01-01', spentBytes: 5, intervalSeconds: 60 };
    await world.gateway.app.get(SampleStore).noteFailure(failed, 'device_timeout');
    expect(await monthBytes()).toBe(115);
    await add('2031-02-01', 7);
    expect(await monthBytes()).toBe(7);
  });

  it('are stored where one device comes twice at the same moment', async () => {
    await Promise.all([add('2031-03-01', 3), add('2031-03-01', 4)]);
    expect(await monthBytes()).toBe(4);
  });
});

describe('selectors about samples', () => {
  it('name devices by their latest values', async () => {
    await create({ selector: 'site:a/*' });
    const { sample } = await sampleOf(0);
    await db.query('delete from device_sample where device_id = $1', [ids[1]]);
    await db.query('update device_sample set rsrp = -112, sinr = null, uptime_seconds = 3000, data_month = 600000000');
    expect(sample).toBeDefined();
    expect(await names('rsrp<-110')).toEqual([0]);
    expect(await names('rsrp<-112')).toEqual([]);
    expect(await names('!rsrp<-110')).toEqual([1]);
    expect(await names('sinr<99 | sinr>=-99')).toEqual([]);
    expect(await names('uptime<1h & memory.free>1 & data.month>500MB')).toEqual([0]);
    expect(await names('data.month>0.6GB')).toEqual([]);
    // Each installation has the field; a plan that is no number or too small is none.
    for (const [plan, selector, named] of [
      [1_000, 'data.plan>=60', [0]],
      [1_000, 'data.plan>60', []],
      [0.5, 'data.plan>0', []],
      [null, 'data.plan>0', []],
    ] as const) {
      await world.api.send('PATCH', `/v1/devices/${ids[0]}`, { fields: { plan_mb: plan } });
      expect(await names(selector)).toEqual(named);
    }
    expect(await names('logins>=0')).toEqual([0, 1]);
    expect(await names('sample<30m')).toEqual([0]);
    clock.pass(1_900_000);
    expect(await names('sample>30m')).toEqual([0]);
  });

  it('are refused in a right, with their position', async () => {
    const rules = [{ effect: 'allow', permissions: ['device.read'], selector: 'site:a/* & rsrp<-110' }];
    await expect(world.api.send('PUT', '/v1/roles/by-signal', { rules })).rejects.toMatchObject({
      code: 'invalid_selector',
      problem: expect.objectContaining({ position: 11 }),
    });
  });
});
