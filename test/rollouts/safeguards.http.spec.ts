import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { TestApi } from '../support/test-api.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type Person } from '../support/people.js';
import { createRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';

/* What a rollout or a schedule asks beside the right to it. Nothing here is carried out: no process runs jobs. */

const APPROVAL_DEVICES = 2;
const DEVICES = 4;

let world: TestGateway;
let db: pg.Pool;
/** A firmware image, without its bytes: nothing is sent. */
const image = { id: randomUUID(), sha256: 'ab'.repeat(32) };
/** May all that an operator may, and shows no second factor. */
let plain: Person;

beforeAll(async () => {
  world = await startTestGateway({
    ROLE: 'api',
    APPROVAL_DEVICES: String(APPROVAL_DEVICES),
    FIRMWARE_STEP_UP_DEVICES: '1',
  });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
  for (let index = 0; index < DEVICES; index++) {
    await world.api.post('/v1/devices', {
      name: `router-${index}`,
      baseUrl: `https://192.0.2.${index + 1}`,
      site: index < 2 ? 'north' : 'south',
      credentials: { username: 'admin', password: 'a quiet password' },
    });
  }
  await db.query(
    `insert into artifact (id, sha256, bytes, kind, name, created_at) values ($1, $2, 1, 'firmware', 'image.bin', now())`,
    [image.id, image.sha256],
  );
  plain = await addPerson(world, 'Nora', [{ role: 'operator' }], {});
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const backup = (selector: string, policy: object = {}) => ({
  name: 'test',
  kind: 'backup',
  selector,
  policy: { held: 'wait', ...policy },
});
const firmware = (selector: string) => ({
  ...backup(selector),
  kind: 'firmware',
  spec: { artifactId: image.id, sha256: image.sha256 },
});
const schedule = (name: string, rollout: object) => ({ name, rhythm: { everySeconds: 3_600 }, rollout });
const make = (api: TestApi, input: object) => api.post<RolloutAnswer>('/v1/rollouts', input);
/** As the sweeper does when nothing is left to do. */
const finish = ({ id }: RolloutAnswer) =>
  db.query(`update rollout set state = 'finished', ended_at = now() where id = $1`, [id]);
const skip = async (api: TestApi, { id }: RolloutAnswer, count: number) => {
  const { items } = await api.get<{ items: { deviceId: string }[] }>(`/v1/rollouts/${id}/devices`);
  for (const { deviceId } of items.slice(0, count)) await api.post(`/v1/rollouts/${id}/devices/${deviceId}/skip`, {});
};

describe('a second factor', () => {
  it('is asked for where a schedule is to flash firmware, on however few devices now', async () => {
    const nightly = schedule('firmware', firmware('name:router-0'));
    await expect(plain.api.post('/v1/schedules', nightly)).rejects.toMatchObject({ code: 'step_up_required' });
    const { id } = await plain.api.post<{ id: string }>('/v1/schedules', schedule('backups', backup('name:router-0')));
    const change = plain.api.send('PUT', `/v1/schedules/${id}`, nightly);
    await expect(change).rejects.toMatchObject({ code: 'step_up_required' });
  });

  it('is asked for when devices that were skipped join firmware again', async () => {
    const rollout = await make(plain.api, firmware('site:north'));
    await skip(plain.api, rollout, 1);
    await plain.api.post(`/v1/rollouts/${rollout.id}/start`, {});
    await finish(rollout);
    const again = plain.api.post(`/v1/rollouts/${rollout.id}/retry-failed`, { states: ['skipped'] });
    await expect(again).rejects.toMatchObject({ code: 'step_up_required' });
  });

  it('is asked of who approves', async () => {
    const { id, planDigest } = await createRollout(plain.api, backup('name:*'));
    const approver = await addPerson(world, 'Omar', [{ role: 'security' }], {});
    const approve = (api: TestApi) => api.post<RolloutAnswer>(`/v1/rollouts/${id}/approve`, { planDigest });
    await expect(approve(approver.api)).rejects.toMatchObject({ code: 'step_up_required' });
    const fresh = await addKey(world, approver.operatorId, { stepUp: true });
    expect((await approve(fresh.api)).state).not.toBe('awaiting_approval');
  });
});

describe('the approval of a second person', () => {
  it('is asked for a rollout that follows its selector, which may come to name any number', async () => {
    const following = backup('name:router-0', { membership: 'following' });
    expect(await make(plain.api, { ...following, dryRun: true })).toMatchObject({ total: 1, needsApproval: true });
    expect((await createRollout(plain.api, following)).state).toBe('awaiting_approval');
    expect((await createRollout(plain.api, backup('name:router-0'))).state).not.toBe('awaiting_approval');
  });

  it('is not got around by skipping devices until it has begun', async () => {
    const rollout = await make(plain.api, backup('name:*'));
    await skip(plain.api, rollout, DEVICES - APPROVAL_DEVICES);
    const started = await plain.api.post<RolloutAnswer>(`/v1/rollouts/${rollout.id}/start`, {});
    expect(started.state).not.toBe('awaiting_approval');
    await finish(rollout);
    const again = plain.api.post(`/v1/rollouts/${rollout.id}/retry-failed`, { states: ['skipped'] });
    await expect(again).rejects.toMatchObject({ code: 'rollout_not_approved' });
    expect((await plain.api.get<RolloutAnswer>(`/v1/rollouts/${rollout.id}`)).counts).toMatchObject({ skipped: 2 });
  });

  it('does not reach devices that the plan left out, however many were approved', async () => {
    await db.query(`update device set state = 'credentials_refused' where name = 'router-3'`);
    const rollout = await createRollout(plain.api, backup('name:*'));
    const second = await addPerson(world, 'Quin', [{ role: 'security' }]);
    await second.api.post(`/v1/rollouts/${rollout.id}/approve`, { planDigest: rollout.planDigest });
    await db.query(`update device set state = 'online' where name = 'router-3'`);
    await db.query(
      `update rollout_target set state = 'failed', ended_at = now() where state = 'waiting' and rollout_id = $1`,
      [rollout.id],
    );
    await finish(rollout);
    const again = (states: string[]) => plain.api.post(`/v1/rollouts/${rollout.id}/retry-failed`, { states });
    await expect(again(['failed', 'skipped'])).rejects.toMatchObject({ code: 'rollout_not_approved' });
    await expect(again(['failed'])).resolves.toMatchObject({ counts: { waiting: 3, skipped: 1 } });
  });
});

describe('a rollout that was given a time', () => {
  it('keeps it when it is paused and tried again before', async () => {
    const startsAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await createRollout(plain.api, { ...backup('name:router-0'), startsAt });
    for (const verb of ['retry-failed', 'resume']) {
      expect(await plain.api.post(`/v1/rollouts/${id}/pause`, {})).toMatchObject({ state: 'paused' });
      expect(await plain.api.post(`/v1/rollouts/${id}/${verb}`, {})).toMatchObject({ state: 'scheduled', startsAt });
    }
  });
});

describe('a narrowed key', () => {
  it('makes no schedule, which would act in all the rights of its operator', async () => {
    const narrow = await addKey(world, plain.operatorId, { permissions: ['device.read', 'rollout.*'] });
    const nightly = schedule('more than the key', backup('name:router-0'));
    await expect(narrow.api.post('/v1/schedules', nightly)).rejects.toMatchObject({ code: 'rights_not_held' });
    const { id } = await plain.api.post<{ id: string }>('/v1/schedules', schedule('of the person', backup('name:*')));
    const change = narrow.api.send('PUT', `/v1/schedules/${id}`, nightly);
    await expect(change).rejects.toMatchObject({ code: 'rights_not_held' });
  });
});

describe('a limit of calls', () => {
  it('counts each device of a rollout that is started', async () => {
    const wish = { operatorId: plain.operatorId, name: 'slow', callsPerMinute: 6 };
    const api = new TestApi({
      url: world.url,
      key: (await world.api.post<{ key: string }>('/v1/api-keys', wish)).key,
    });
    await createRollout(api, backup('name:*'));
    await expect(createRollout(api, backup('name:*'))).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('who may read rollouts and sees some devices only', () => {
  it('sees those of a rollout only, in its lists and reports', async () => {
    await world.api.send('PUT', '/v1/roles/rollouts-of-north', {
      rules: [
        { effect: 'allow', permissions: ['rollout.read'] },
        { effect: 'allow', permissions: ['device.read'], selector: 'site:north' },
      ],
    });
    const { api, key } = await addPerson(world, 'Piet', [{ role: 'rollouts-of-north' }]);
    const { id } = await make(plain.api, backup('name:*'));
    const { items } = await api.get<{ items: { deviceName: string }[] }>(`/v1/rollouts/${id}/devices`);
    expect(items.map(({ deviceName }) => deviceName).sort()).toEqual(['router-0', 'router-1']);
    for (const format of ['json', 'csv', 'html']) {
      const answer = await fetch(`${world.url}/v1/rollouts/${id}/report?format=${format}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expect(text).not.toMatch(/router-[23]/);
      if (format !== 'html') expect(text).toMatch(/router-0/);
    }
  });
});
