import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import pg from 'pg';
import { type ApiError } from '../../src/api-client/api-error.js';
import { type TestApi } from '../support/test-api.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { isWaitedFor } from '../support/devices/early-leaver.js';
import { addPerson, type Person } from '../support/people.js';
import { until } from '../support/until.js';

/* A caller who sees some devices only: the others, and what speaks of them, cannot be told from what is not there. */

let world: TestGateway;
let narrow: Person;
/** The ids of the devices, by their tag. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  for (const [index, tag] of ['alpha', 'beta'].entries()) {
    const credentials = { username: 'admin', password: 'Planted-Sight-1' };
    const device = { name: `${tag}-1`, baseUrl: `https://192.0.2.${index + 1}`, tags: [tag], credentials };
    ids[tag] = (await world.api.post<{ id: string }>('/v1/devices', device)).id;
  }
  await world.api.send('PUT', '/v1/roles/narrow', {
    rules: [
      { effect: 'allow', permissions: ['lock.*', 'backup.*', 'selector.manage'] },
      { effect: 'allow', permissions: ['device.*', 'job.*', 'artifact.read'], selector: 'tag:alpha' },
    ],
  });
  narrow = await addPerson(world, 'Nina', [{ role: 'narrow' }]);
  await world.api.send('PUT', '/v1/selectors/betas', { selector: 'tag:beta' });
});
afterAll(() => world.close());

/** What an import of one line does, or would do. */
async function importLine(key: string, line: string, isDryRun: boolean): Promise<object> {
  const answer = await fetch(`${world.url}/v1/devices/import?dryRun=${isDryRun}&onError=skip`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: `name,base_url,username,password\n${line}\n`,
  });
  return (await answer.json()) as object;
}

const dryRun = (key: string, line: string) => importLine(key, line, true);

/** An answer without what differs from request to request. */
const refusal = async (request: Promise<unknown>) => {
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown as ApiError,
  );
  const { requestId: _requestId, instance: _instance, ...problem } = error?.problem ?? {};
  return problem;
};

describe('a device out of sight', () => {
  it.each([
    ['lock', (ref: string) => narrow.api.post('/v1/locks', { kind: 'device', target: ref, reason: 'test' })],
    ['list of certificates', (ref: string) => narrow.api.get(`/v1/certificates?device=${ref}`)],
    ['list of jobs', (ref: string) => narrow.api.get(`/v1/jobs?device=${ref}`)],
    ['list of artifacts', (ref: string) => narrow.api.get(`/v1/artifacts?device=${ref}`)],
    ['explanation of rights', (ref: string) => narrow.api.get(`/v1/rights/explain?action=device.read&device=${ref}`)],
    ['session', (ref: string) => narrow.api.get(`/v1/devices/${ref}/session`)],
  ])('cannot be told from one that is not there by a %s', async (_what, ask) => {
    const hidden = await refusal(ask('name:beta-1'));
    expect(hidden).toMatchObject({ code: 'device_not_found' });
    expect(hidden).toEqual(await refusal(ask('name:nowhere')));
  });

  it('tells an import neither its address nor its password', async () => {
    const lines = [
      'beta-1,https://192.0.2.9,,',
      'beta-1,https://192.0.2.2,,',
      'beta-1,https://192.0.2.2,admin,wrong',
      'beta-1,https://192.0.2.2,admin,Planted-Sight-1',
    ];
    for (const line of lines) {
      const problem = { line: 2, field: null, code: 'device_exists' };
      expect(await dryRun(narrow.key, line)).toMatchObject({ unchanged: 0, failed: 1, errors: [problem] });
    }
  });

  it.each([
    ['is not held by the dry run of an import', 'beta-1,https://192.0.2.2,,', true, 'answered'],
    ['is not held by an import', 'beta-1,https://192.0.2.2,,', false, 'answered'],
    ['is not held by an import with a line for its address alone', 'gamma-1,https://192.0.2.2,,', false, 'answered'],
    ['differs from one in sight, which an import holds', 'alpha-1,https://192.0.2.1,,', false, 'waits'],
  ])('%s', async (_words, line, isDryRun, expected) => {
    const db = new pg.Client({ connectionString: world.databaseUrl });
    await db.connect();
    let answer: Promise<string> = Promise.resolve('');
    try {
      await db.query('begin');
      await db.query('select from device for update');
      answer = importLine(narrow.key, line, isDryRun).then(() => 'answered');
      expect(await Promise.race([answer, until(() => isWaitedFor(db)).then(() => 'waits')])).toBe(expected);
    } finally {
      await db.query('rollback');
      await db.end();
      await answer;
    }
  });

  it('is not locked by a caller who may not see it', async () => {
    const { items } = await world.api.get<{ items: unknown[] }>('/v1/locks');
    expect(items).toEqual([]);
  });
});

describe('the password of a device', () => {
  const guesses = ['wrong', 'Planted-Sight-1'].map((password) => `alpha-1,https://192.0.2.1,admin,${password}`);

  it('is not compared for a caller who may not give it', async () => {
    const permissions = ['device.read', 'device.manage'];
    await world.api.send('PUT', '/v1/roles/clerk', { rules: [{ effect: 'allow', permissions }] });
    const clerk = await addPerson(world, 'Carla', [{ role: 'clerk' }]);
    for (const guess of guesses) {
      expect(await dryRun(clerk.key, guess)).toMatchObject({ unchanged: 0, errors: [{ code: 'forbidden' }] });
    }
  });

  it('is not compared without a second factor', async () => {
    const plain = await addPerson(world, 'Paul', [{ role: 'narrow' }], {});
    for (const guess of guesses) {
      expect(await dryRun(plain.key, guess)).toMatchObject({ unchanged: 0, errors: [{ code: 'step_up_required' }] });
    }
    expect(await dryRun(narrow.key, guesses[1]!)).toMatchObject({ unchanged: 1, failed: 0 });
  });
});

describe('a lock that another person set', () => {
  interface Lock {
    readonly id: string;
    readonly target: string | null;
  }
  const set = (api: TestApi, kind: string, target: string) =>
    api.post<Lock>('/v1/locks', { kind, target, reason: 'test' });
  const targets = async (api: TestApi) =>
    (await api.get<{ items: Lock[] }>('/v1/locks')).items.map(({ target }) => target);

  it('is not there when its device is out of sight, and names no device in its selector', async () => {
    const hidden = await set(world.api, 'device', 'name:beta-1');
    await set(world.api, 'device', 'name:alpha-1');
    await set(world.api, 'selector', 'tag:beta');
    await set(world.api, 'selector', 'tag:none & !(name:beta-1)');
    await set(narrow.api, 'selector', 'tag:none & name:beta-1');
    expect(await targets(world.api)).toEqual([
      'tag:none & name:beta-1',
      'tag:none & !(name:beta-1)',
      'tag:beta',
      ids['alpha'],
      ids['beta'],
    ]);
    expect(await targets(narrow.api)).toEqual(['tag:none & name:beta-1', null, 'tag:beta', ids['alpha']]);
    const lift = (id: string) => refusal(narrow.api.send('DELETE', `/v1/locks/${id}`));
    expect(await lift(hidden.id)).toMatchObject({ code: 'lock_not_found' });
    expect(await lift(hidden.id)).toEqual(await lift(randomUUID()));
    expect(await targets(world.api)).toContain(ids['beta']);
  });

  it('is there page by page, without gaps', async () => {
    const first = await narrow.api.get<{ items: Lock[]; next: string | null }>('/v1/locks?limit=3');
    const rest = await narrow.api.get<{ items: Lock[]; next: string | null }>(`/v1/locks?limit=3&cursor=${first.next}`);
    expect([first.items.length, rest.items.length, rest.next]).toEqual([3, 1, null]);
  });
});

describe('a policy of backups that another person made', () => {
  it('shows no names of devices, and how many jobs it started only to those who see all devices', async () => {
    const policy = { name: 'nightly', selector: 'name:beta-1', rhythm: { everySeconds: 86_400 } };
    const { id } = await world.api.post<{ id: string }>('/v1/backups/policies', policy);
    const { app } = world.gateway;
    await app
      .get(DataSource)
      .query('update backup_policy set last_started = 7, last_run_at = now() where id = $1', [id]);
    const path = `/v1/backups/policies/${id}`;
    expect(await world.api.get(path)).toMatchObject({ selector: 'name:beta-1', lastStarted: 7 });
    expect(await narrow.api.get(path)).toMatchObject({ selector: null, lastStarted: null, lastError: null });
    const { items } = await narrow.api.get<{ items: unknown[] }>('/v1/backups/policies');
    expect(items).toMatchObject([{ selector: null, lastStarted: null }]);
    const own = { ...policy, name: 'own', selector: 'name:alpha-1' };
    expect(await narrow.api.post('/v1/backups/policies', own)).toMatchObject({ selector: 'name:alpha-1' });
  });
});

describe('a saved selector out of sight', () => {
  const betas = () => world.api.get<{ selector: string }>('/v1/selectors/betas');

  it('is not replaced', async () => {
    const save = narrow.api.send('PUT', '/v1/selectors/betas', { selector: 'tag:alpha' });
    await expect(save).rejects.toMatchObject({ code: 'selector_exists' });
    expect(await betas()).toMatchObject({ selector: 'tag:beta' });
  });

  it('is not removed, in the words for one that is not there', async () => {
    const hidden = await refusal(narrow.api.send('DELETE', '/v1/selectors/betas'));
    expect(hidden).toMatchObject({ code: 'selector_not_found' });
    expect(hidden).toEqual(await refusal(narrow.api.send('DELETE', '/v1/selectors/nowhere')));
    expect(await betas()).toMatchObject({ selector: 'tag:beta' });
  });

  it('is not named by another one, in the words for one that is not there', async () => {
    const save = (selector: string) => narrow.api.send('PUT', '/v1/selectors/mine', { selector });
    await expect(save('tag:alpha | @betas')).rejects.toMatchObject({ problem: { position: 12, near: '@betas' } });
    await expect(save('tag:alpha | @nowhere')).rejects.toMatchObject({ problem: { position: 12, near: '@nowhere' } });
    await save('tag:alpha');
    await save('tag:alpha & name:alpha-1');
    await narrow.api.send('DELETE', '/v1/selectors/mine');
  });

  it('is not told by the limit of terms', async () => {
    await world.api.send('PUT', '/v1/selectors/large', { selector: Array(2_500).fill('tag:b').join('|') });
    const save = (selector: string) => narrow.api.send('PUT', '/v1/selectors/mine', { selector });
    const hidden = { problem: { position: 0, near: '@large' } };
    await expect(save('@large | @large')).rejects.toMatchObject(hidden);
    await expect(save('@no-name | @no-name')).rejects.toMatchObject({ problem: { position: 0, near: '@no-name' } });
  });
});
