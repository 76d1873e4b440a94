import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type TestApi } from '../support/test-api.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';
import { type RolloutAnswer } from '../support/jobs/rollout-world.js';

/* What a person may do with a rollout that another one made. Nothing here is carried out: no process runs jobs. */

let world: TestGateway;
let db: pg.Pool;
/** Manages rollouts, and may start jobs on devices with the tag alpha only. */
let narrow: Person;
/** Approves, and sees devices with the tag alpha only. */
let narrowApprover: Person;
const ids: Record<string, string> = {};

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
  for (const [index, tag] of ['alpha', 'beta'].entries()) {
    const credentials = { username: 'admin', password: 'a quiet password' };
    const device = { name: `router-${tag}`, baseUrl: `https://192.0.2.${index + 1}`, tags: [tag], credentials };
    ids[tag] = (await world.api.post<{ id: string }>('/v1/devices', device)).id;
  }
  await role('rollouts-of-alpha', [
    { effect: 'allow', permissions: ['rollout.*', 'backup.*'] },
    { effect: 'allow', permissions: ['device.*', 'job.*'], selector: 'tag:alpha' },
  ]);
  await role('approvals-of-alpha', [
    { effect: 'allow', permissions: ['rollout.*'] },
    { effect: 'allow', permissions: ['device.read'], selector: 'tag:alpha' },
  ]);
  narrow = await addPerson(world, 'Nils', [{ role: 'rollouts-of-alpha' }]);
  narrowApprover = await addPerson(world, 'Alma', [{ role: 'approvals-of-alpha' }]);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const role = (name: string, rules: object[]) => world.api.send('PUT', `/v1/roles/${name}`, { rules });
const make = (api: TestApi, selector: string, more: object = {}) =>
  api.post<RolloutAnswer>('/v1/rollouts', {
    name: 'test',
    kind: 'reboot',
    selector,
    ...more,
    policy: { held: 'wait', ...(more as { policy?: object }).policy },
  });
const state = (id: string, to: string) =>
  db.query(
    `update rollout set state = $2, ended_at = case when $2 = 'finished' then now() end,
            pause_cause = case when $2 = 'paused' then 'operator' end, pause_sentence = case when $2 = 'paused' then 'x' end
      where id = $1`,
    [id, to],
  );
const look = (id: string) => world.api.get<RolloutAnswer>(`/v1/rollouts/${id}`);

/** What each verb is done to, and what it is given. */
const VERBS = [
  ['start', 'draft', 'start', {}],
  ['resume', 'paused', 'resume', {}],
  ['promote', 'running', 'waves/0/promote', {}],
  ['retry', 'finished', 'retry-failed', { states: ['skipped', 'cancelled', 'failed'] }],
] as const;

describe.each(VERBS)('%s on a rollout that another person made', (verb, from, path, body) => {
  const attempt = (api: TestApi, id: string) => api.post<RolloutAnswer>(`/v1/rollouts/${id}/${path}`, body);
  const prepare = async (api: TestApi, selector: string, more: object = {}) => {
    const { id } = await make(api, selector, more);
    await state(id, from);
    if (verb === 'retry') {
      await db.query(`update rollout_target set state = 'failed', ended_at = now() where rollout_id = $1`, [id]);
    }
    return id;
  };

  it('needs the rights to each of its devices', async () => {
    const foreign = await prepare(world.api, 'name:router-*');
    await expect(attempt(narrow.api, foreign)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await look(foreign)).toMatchObject({ state: from });
    const own = await prepare(world.api, 'tag:alpha');
    await expect(attempt(narrow.api, own)).resolves.toMatchObject({ id: own });
  });

  it('needs the rights to the paths that it calls', async () => {
    const calls = { kind: 'call', spec: { method: 'PUT', path: '/api/system/config', data: {} } };
    const foreign = await prepare(world.api, 'tag:alpha', calls);
    await role('rollouts-of-alpha-paths', [
      { effect: 'allow', permissions: ['rollout.*', 'device.*', 'job.*'] },
      { effect: 'deny', permissions: ['device.call_write'], devices: { api: { '/system/*': ['write'] } } },
    ]);
    const other = await addPerson(world, 'Paula', [{ role: 'rollouts-of-alpha-paths' }]);
    await expect(attempt(other.api, foreign)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('needs those of its author, as they are now', async () => {
    const author = await addPerson(world, 'Otto', [{ role: 'operator' }]);
    const id = await prepare(author.api, 'tag:alpha');
    await world.api.send('PUT', `/v1/operators/${author.operatorId}/roles`, {
      roles: [{ role: 'operator', selector: 'tag:beta' }, { role: 'viewer' }],
    });
    await expect(attempt(world.api, id)).rejects.toMatchObject({ code: 'author_may_not' });
    await world.api.send('DELETE', `/v1/api-keys/${author.keyId}`);
    await expect(attempt(world.api, id)).rejects.toMatchObject({ code: 'author_gone' });
  });

  it('needs them everywhere when devices may join later', async () => {
    const following = await prepare(world.api, 'tag:alpha', { policy: { membership: 'following' } });
    await expect(attempt(narrow.api, following)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(attempt(world.as('operator'), following)).resolves.toMatchObject({ id: following });
  });
});

describe('approve', () => {
  it('needs sight of each device, and the rights of the author', async () => {
    const approve = (api: TestApi, { id, planDigest }: RolloutAnswer) =>
      api.post<RolloutAnswer>(`/v1/rollouts/${id}/approve`, { planDigest });
    const author = await addPerson(world, 'Olga', [{ role: 'operator' }]);
    const [hidden, seen] = [await make(author.api, 'name:router-*'), await make(author.api, 'tag:alpha')];
    for (const { id } of [hidden, seen]) await state(id, 'awaiting_approval');
    await expect(approve(narrowApprover.api, hidden)).rejects.toMatchObject({ code: 'forbidden' });
    await world.api.send('PUT', `/v1/operators/${author.operatorId}/roles`, { roles: [{ role: 'viewer' }] });
    await expect(approve(narrowApprover.api, seen)).rejects.toMatchObject({ code: 'author_may_not' });
    await world.api.send('PUT', `/v1/operators/${author.operatorId}/roles`, { roles: [{ role: 'operator' }] });
    await expect(approve(narrowApprover.api, seen)).resolves.toMatchObject({ state: 'scheduled' });
  });
});

describe('a plan', () => {
  it('leaves out the devices on which its jobs would be refused, by kind and by path', async () => {
    await role('careful', [
      { effect: 'allow', permissions: ['rollout.*', 'device.*', 'job.start'] },
      { effect: 'deny', permissions: ['device.call_write'], devices: { api: { '/system/*': ['write'] } } },
    ]);
    const { api } = await addPerson(world, 'Cara', [{ role: 'careful' }]);
    const plan = (kind: string, spec: object) =>
      make(api, 'name:router-*', { dryRun: true, kind, spec }) as Promise<unknown>;
    const forbidden = (['alpha', 'beta'] as const).map((tag) => ({ name: `router-${tag}`, reason: 'forbidden' }));
    const spec = (path: string) => ({ method: 'PUT', path, data: {} });
    expect(await plan('call', spec('/api/system/config'))).toMatchObject({ total: 0, skipped: forbidden });
    expect(await plan('call', spec('/api/{{device.name}}/config'))).toMatchObject({ total: 2 });
    expect(await plan('credentials', {})).toMatchObject({ total: 0, skipped: forbidden });
  });
});

describe('skip', () => {
  it('does not tell a device out of sight from one that takes no part', async () => {
    const { id } = await make(world.api, 'tag:beta');
    const skip = narrow.api.post(`/v1/rollouts/${id}/devices/${ids['beta']}/skip`, {});
    await expect(skip).rejects.toMatchObject({ code: 'rollout_target_not_found' });
  });
});
