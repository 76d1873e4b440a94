import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceCalls } from '../../../src/proxy/calls/device-calls.js';
import { TemplateStateSweeper } from '../../../src/templates/states/template-state.sweeper.js';
import { ObservedBodies } from '../../../src/templates/observed/observed-bodies.js';
import { ObservedStore } from '../../../src/templates/observed/observed-store.js';
import { canonicalBody } from '../../../src/templates/observed/sections.js';
import { itInFull } from '../../support/forms.js';
import { ADA } from '../../support/jobs/job-world.js';
import { startKindWorld, type JobView, type KindWorld } from '../../support/jobs/kind-world.js';
import { createRollout, type RolloutAnswer } from '../../support/jobs/rollout-world.js';
import { addPerson } from '../../support/people.js';
import { until } from '../../support/until.js';

/* Jobs that set simulated devices to what a template says. */

const NTP = '/api/ntp/global';
const SERVERS = '/api/ntp/servers/config';
const MAIL = '/api/recipients/email_users/config';
const RULES = '/api/sms_utilities/rules/config';
const MINUTE_MS = 60_000;
const TUNNELS = '/api/wireguard/config';

let world: KindWorld;
let count = 0;

beforeAll(async () => {
  world = await startKindWorld({ devices: 11, profile: 'rutos', seed: 23 });
});
afterAll(() => world.close());

/** @param of the index of a device, or a selector */
async function publish(of: number | string, items: readonly object[], name = `t${++count}`): Promise<string> {
  const { api } = world.gateway;
  const { items: known } = await api.get<{ items: { name: string }[] }>('/v1/templates');
  const isNew = !known.some((one) => one.name === name);
  const body = { name, selector: typeof of === 'string' ? of : `id:${world.ids[of]}`, items };
  await api.send(isNew ? 'POST' : 'PUT', isNew ? '/v1/templates' : `/v1/templates/${name}`, body);
  await api.post(`/v1/templates/${name}/publish`, { reason: 'a test' });
  return name;
}

const run = async (index: number, template: string, more: object = {}): Promise<JobView> =>
  world.ended(await world.start(index, 'reconcile', { template, ...more }));

/** The state of a device for its only template, as the row has it. */
async function state(index: number) {
  const [row] = await world.db.query<[Record<string, unknown>]>('select * from template_state where device_id = $1', [
    world.ids[index],
  ]);
  return row;
}

async function call(index: number, method: 'GET' | 'PUT' | 'POST', path: string, data?: object): Promise<unknown> {
  const calls = world.gateway.gateway.app.get(DeviceCalls);
  const json = data && { data };
  const { body } = await calls.call(world.ids[index]!, { method, path, ...(json ? { json } : {}) }, { actor: ADA });
  return (body as { data: unknown }).data;
}

/** As a watch reads a path, and the sweeper finds it. */
async function observe(index: number, path: string): Promise<void> {
  const { app } = world.gateway.gateway;
  const json = canonicalBody(await call(index, 'GET', path));
  const body = { digest: ObservedBodies.digestOf(json), json };
  await app.get(ObservedStore).keepRead(world.ids[index]!, world.clock.now(), [{ path, body, error: null }]);
  await until(async () => {
    await app.get(TemplateStateSweeper).sweep();
    return (await state(index))?.['state'] !== 'in_sync';
  });
}

/** `22:30`, in UTC. */
const hourOf = (at: number) => new Date(at).toISOString().slice(11, 16);

const interval = (value: string) => ({ path: NTP, options: { interval: value } });
const effects = (index: number) => world.fleet.ledger.summary(index).effects;

describe('a job of the kind reconcile', () => {
  it('reads the device, changes what differs, proves it, and stores what the device answered', async () => {
    const template = await publish(0, [interval('7200'), { path: SERVERS, key: { hostname: 'ntp.example.org' } }]);
    const job = await run(0, template);
    expect(job).toMatchObject({ outcome: 'succeeded', result: { template, version: 1, changed: 2, left: 0 } });
    expect(effects(0)).toMatchObject({ create: 1, update: 1 });
    expect(await state(0)).toMatchObject({ state: 'in_sync', applied: 1, observed: 1, desired: 1, put_back: {} });
    const { items } = await world.gateway.api.get<{ items: { path: string }[] }>(
      `/v1/devices/${world.ids[0]}/observed?path=${NTP}`,
    );
    expect(items).toMatchObject([{ path: NTP, body: { interval: '7200' } }]);

    expect(await run(0, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 0 } });
    expect(effects(0)).toMatchObject({ create: 1, update: 1 });
    await publish(0, [interval('3600')], template);
    await world.gateway.gateway.app.get(TemplateStateSweeper).sweep();
    expect(await run(0, template)).toMatchObject({ outcome: 'succeeded', result: { version: 2, changed: 1 } });
    expect(await call(0, 'GET', NTP)).toMatchObject({ interval: '3600' });
    expect(await state(0)).toMatchObject({ state: 'in_sync', applied: 2 });
  });

  it('puts back what the device changed, three times, and then leaves it to a person', async () => {
    const template = await publish(1, [interval('7200')]);
    await run(1, template);
    for (const value of ['600', '900', '1200']) {
      await call(1, 'PUT', NTP, { interval: value });
      expect(await run(1, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 1 } });
    }
    expect(await state(1)).toMatchObject({ state: 'suspended', suspended_at: expect.any(Date) });
    await call(1, 'PUT', NTP, { interval: '1800' });
    expect(await run(1, template)).toMatchObject({
      outcome: 'not_executed',
      failure: { code: 'template_suspended' },
    });
    expect(await call(1, 'GET', NTP)).toMatchObject({ interval: '1800' });
    const events = await world.db.query<{ data: object }[]>(
      `select data from event where type = 'device.template_suspended'`,
    );
    expect(events).toEqual([{ data: { name: world.fleet.devices[1]!.name } }]);
    const { api } = world.gateway;
    const resume = (selector: string) => api.post(`/v1/templates/${template}/resume`, { selector });
    expect(await resume('!all')).toEqual({ devices: 0 });
    expect(await resume('sync:suspended')).toEqual({ devices: 1 });
    expect(await run(1, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 1 } });
    expect(await state(1)).toMatchObject({ state: 'in_sync', suspended_at: null });
  });

  it('makes a secret for the device once, and sends it sealed', async () => {
    const sealed = [{ option: 'password', generate: 40 }];
    const template = await publish(2, [{ path: MAIL, key: { name: 'alerts' }, options: { smtp_port: '25' }, sealed }]);
    const job = await run(2, template);
    expect(job).toMatchObject({ outcome: 'succeeded', result: { changed: 1 } });
    const made = async () =>
      world.db.query<{ id: string }[]>('select id from sealed_value where device_id = $1 and template_id is not null', [
        world.ids[2],
      ]);
    const [first, ...more] = await made();
    expect(more).toEqual([]);
    expect(await state(2)).toMatchObject({ state: 'in_sync', differences: [] });
    expect(await run(2, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 0 } });
    expect(await made()).toEqual([first]);
    const [section] = world.fleet.devices[2]!.configuration.peek('recipients/email_users');
    const secret = String(section!['password']);
    expect(secret).toHaveLength(40);
    const jobs = await world.db.query<object[]>('select cursor, result, intent from job where device_id = $1', [
      world.ids[2],
    ]);
    expect(JSON.stringify([jobs, job, await state(2)])).not.toContain(secret);
    await world.gateway.api.send('DELETE', `/v1/templates/${template}`);
    expect(await made()).toEqual([]);
  });

  it('makes at most 32 changes at once, and says how many are left', async () => {
    const rule = (at: number) => ({ path: RULES, key: { smstext: `word ${at}` }, options: { action: 'reboot' } });
    const template = await publish(
      3,
      Array.from({ length: 35 }, (_, at) => rule(at)),
    );
    expect(await run(3, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 32, left: 3 } });
    expect(await state(3)).toMatchObject({ state: 'pending', applied: null });
    expect(await run(3, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 3, left: 0 } });
    expect(await state(3)).toMatchObject({ state: 'in_sync', applied: 1 });
  });

  it('leaves an ignored option as the device has it, and counts nothing as put back', async () => {
    const { api } = world.gateway;
    const template = await publish(8, [interval('7200'), { path: SERVERS, key: { hostname: 'ntp.example.org' } }]);
    const ignore = async () => {
      const until = new Date(world.clock.now().getTime() + 86_400_000).toISOString();
      const option = { path: NTP, option: 'interval', selector: 'all', until, reason: 'a slow link' };
      const { id } = await api.post<{ id: string }>(`/v1/templates/${template}/ignored`, option);
      return () => api.send('DELETE', `/v1/templates/${template}/ignored/${id}`);
    };
    await call(8, 'PUT', NTP, { interval: '600' });
    const end = await ignore();
    expect(await run(8, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 1, left: 0 } });
    expect(await call(8, 'GET', NTP)).toMatchObject({ interval: '600' });
    expect(await state(8)).toMatchObject({ state: 'in_sync', applied: 1, put_back: {} });
    await end();
    expect(await run(8, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 1 } });
    expect(await state(8)).toMatchObject({ state: 'in_sync', put_back: {} });
    await call(8, 'PUT', NTP, { interval: '900' });
    await ignore();
    expect(await run(8, template)).toMatchObject({ outcome: 'succeeded', result: { changed: 0 } });
    expect(await call(8, 'GET', NTP)).toMatchObject({ interval: '900' });
    expect(await state(8)).toMatchObject({ state: 'in_sync', put_back: {} });
  });

  it('takes back all of it when the device refuses a part, and stays pending', async () => {
    const before = await call(4, 'GET', NTP);
    const template = await publish(4, [
      interval('7200'),
      { path: TUNNELS, key: { id: 'bad' }, options: { listen_port: 'no port' } },
    ]);
    expect(await run(4, template)).toMatchObject({ outcome: 'failed', failure: { code: 'changes_refused' } });
    expect(await call(4, 'GET', NTP)).toEqual(before);
    await world.gateway.gateway.app.get(TemplateStateSweeper).sweep();
    expect(await state(4)).toMatchObject({ state: 'unread', applied: null, closed_at: null });
  });

  it('changes nothing where the template does not reach the device, or its author may not', async () => {
    const template = await publish(5, [interval('7200')]);
    expect(await run(6, template)).toMatchObject({
      outcome: 'not_executed',
      failure: { code: 'template_not_published' },
    });
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      { effect: 'deny', permissions: ['device.call_write'], devices: { api: { '/ntp/*': ['write'] } } },
    ];
    await world.gateway.api.send('PUT', '/v1/roles/no-ntp', { rules });
    const { api } = await addPerson(world.gateway, 'Noa', [{ role: 'no-ntp' }]);
    const wish = { kind: 'reconcile', spec: { template } };
    const { id } = await api.post<{ id: string }>(`/v1/devices/${world.ids[5]}/jobs`, wish);
    expect(await world.ended(id)).toMatchObject({
      outcome: 'not_executed',
      failure: { code: 'template_forbidden', facts: { permission: 'device.call_write', path: NTP } },
    });
    // Rights to some devices are judged by all that is known of the device.
    const { name } = world.fleet.devices[5]!;
    const ofOne = await addPerson(world.gateway, 'Eva', [{ role: 'operator', selector: `name:${name}` }]);
    const job = await ofOne.api.post<{ id: string }>(`/v1/devices/${world.ids[5]}/jobs`, wish);
    expect(await world.ended(job.id)).toMatchObject({ outcome: 'succeeded', result: { changed: 1 } });
    const absent = await publish(5, [{ path: '/api/nothing/config', key: { id: 'x' }, options: { a: '1' } }]);
    expect(await run(5, absent)).toMatchObject({
      failure: { code: 'template_left_out', facts: { reason: 'not_there', detail: '/api/nothing/config' } },
    });
    const odd = await publish(5, [{ path: TUNNELS, key: { id: '../{{device.name}}' }, options: { a: '1' } }]);
    expect(await run(5, odd)).toMatchObject({ outcome: 'not_executed', failure: { code: 'template_refused' } });
  });

  it('is what a rollout of the devices that differ runs, as a draft and as a schedule', async () => {
    const { api } = world.gateway;
    const template = await publish(7, [interval('7200')]);
    await expect(api.post(`/v1/templates/${template}/rollout`, {})).rejects.toMatchObject({
      problem: { code: 'rollout_is_empty' },
    });
    await run(7, template);
    await call(7, 'PUT', NTP, { interval: '600' });
    await observe(7, NTP);
    const { id, state, selector } = await api.post<Record<string, string>>(`/v1/templates/${template}/rollout`, {
      states: ['drifted'],
    });
    expect([state, selector]).toEqual(['draft', `sync:${template}/drifted`]);
    expect(await call(7, 'GET', NTP)).toMatchObject({ interval: '600' });
    const rollout = { kind: 'reconcile', spec: { template }, selector: selector!, policy: {} };
    const daily = { name: `keep-${template}`, rollout: { ...rollout, name: 'keep' }, rhythm: { everySeconds: 86_400 } };
    await api.post('/v1/schedules', daily);
    await api.post(`/v1/rollouts/${id}/start`, {});
    await until(async () => (await api.get<{ state: string }>(`/v1/rollouts/${id}`)).state === 'finished');
    expect(await call(7, 'GET', NTP)).toMatchObject({ interval: '7200' });
    expect((await api.get<{ counts: object }>(`/v1/rollouts/${id}`)).counts).toMatchObject({ succeeded: 1 });
  });

  itInFull('begins in a rollout only in its window, is not cut at its end, and nothing begins after that', async () => {
    const { api } = world.gateway;
    const selector = `id:${world.ids[9]} | id:${world.ids[10]}`;
    const template = await publish(selector, [interval('7200')]);
    // The clock is forty times faster: the window opens in some seconds, and is open for fifteen.
    const opensAt = (Math.floor(world.clock.now().getTime() / MINUTE_MS) + 3) * MINUTE_MS;
    const closesAt = opensAt + 10 * MINUTE_MS;
    // A job reads, writes and reads again: 18 seconds, longer than the window is open.
    for (const index of [9, 10])
      world.fleet.devices[index]!.faults.add({ kind: 'latency', ms: 6_000, path: '/api/bulk' });
    const policy = {
      windows: [{ from: hourOf(opensAt), to: hourOf(closesAt) }],
      expectedMinutes: 0,
      waves: [{ take: { count: 1 } }, { take: 'rest' }],
    };
    const { id } = await createRollout(api, { kind: 'reconcile', spec: { template }, selector, policy });
    const rollout = () => api.get<RolloutAnswer>(`/v1/rollouts/${id}`);
    await until(async () => (await rollout()).waves?.[1]?.state === 'running');
    expect((await rollout()).counts).toMatchObject({ succeeded: 1, waiting: 1 });
    const jobs = await world.db.query<{ createdAt: Date; endedAt: Date; outcome: string }[]>(
      `select created_at as "createdAt", ended_at as "endedAt", outcome from job
        where id in (select job_id from rollout_target where rollout_id = $1)`,
      [id],
    );
    expect(jobs).toEqual([expect.objectContaining({ outcome: 'succeeded' })]);
    const { createdAt, endedAt } = jobs[0]!;
    expect(createdAt.getTime()).toBeGreaterThanOrEqual(opensAt);
    expect(createdAt.getTime()).toBeLessThanOrEqual(closesAt);
    expect(endedAt.getTime()).toBeGreaterThan(closesAt);
    expect((effects(9)['update'] ?? 0) + (effects(10)['update'] ?? 0)).toBe(1);

    // A person starts a job on the device: its reason is in the audit, and the rollout goes on waiting.
    const waiting = effects(9)['update'] ? 10 : 9;
    world.fleet.devices[waiting]!.faults.clear();
    const reason = 'the site is dark';
    const address = `/v1/devices/${world.ids[waiting]}/jobs`;
    const wish = { kind: 'reconcile', spec: { template } };
    const { body } = await api.send<{ id: string }>('POST', address, wish, { 'x-change-reason': reason });
    expect(await world.ended(body.id)).toMatchObject({ outcome: 'succeeded', result: { changed: 1 } });
    const entries = `/v1/audit?action=job.start&deviceId=${world.ids[waiting]}`;
    expect((await api.get<{ items: object[] }>(entries)).items).toMatchObject([{ reason }]);
    expect((await rollout()).counts).toMatchObject({ waiting: 1 });
    await api.post(`/v1/rollouts/${id}/abort`, {});
  });

  it('asks for the risk to be accepted before a change that can cut the device off', async () => {
    const zones = '/api/firewall/zones/config';
    const template = await publish(6, [{ path: zones, key: { name: 'lan' }, options: { forward: 'DROP' } }]);
    expect(await run(6, template)).toMatchObject({ outcome: 'not_executed', failure: { code: 'risk_not_accepted' } });
  });
});
