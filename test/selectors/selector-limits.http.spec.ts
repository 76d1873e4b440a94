import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { createRollout } from '../support/jobs/rollout-world.js';
import { until } from '../support/until.js';

/* Saved selectors that name each other: the number of terms after expansion is bounded, on save and on read. */

let world: TestGateway;
let db: pg.Pool;

beforeAll(async () => {
  world = await startTestGateway();
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
  for (let index = 0; index < 2; index++) {
    await world.api.post('/v1/devices', {
      name: `router-${index}`,
      baseUrl: `https://127.0.0.1:${index + 1}`,
      tags: ['x'],
      credentials: { username: 'admin', password: 'a quiet password' },
    });
  }
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const times = (count: number, term: string) => Array.from({ length: count }, () => term).join('|');
const save = (name: string, selector: string) => world.api.send('PUT', `/v1/selectors/${name}`, { selector });
/** As a version without a limit has saved it. */
const put = (name: string, selector: string) =>
  db.query(
    `insert into saved_selector (name, selector, description, updated_at) values ($1, $2, '', now())
     on conflict (name) do update set selector = excluded.selector`,
    [name, selector],
  );
const list = (selector: string) =>
  world.as('viewer').get<{ items: unknown[] }>(`/v1/devices?selector=${encodeURIComponent(selector)}`);
const tooLarge = { code: 'invalid_selector', problem: { expected: expect.stringContaining('at most 4000 terms') } };

describe('saved selectors that name each other', () => {
  it('work up to the limit of terms', async () => {
    await save('o', 'tag:x');
    await save('many', times(3_500, '@o'));
    expect((await list('@many')).items).toHaveLength(2);
  });

  it('are refused when they are saved with too many terms', async () => {
    await save('one', 'tag:x');
    await save('hundreds', times(300, '@one'));
    await expect(save('too-many', times(300, '@hundreds'))).rejects.toMatchObject(tooLarge);
    await expect(world.api.get('/v1/selectors/too-many')).rejects.toMatchObject({ code: 'selector_not_found' });
  });

  it('are refused when they are read with too many terms, however many that would be', async () => {
    await put('a', 'tag:x');
    await put('b', times(300, '@a'));
    await put('c', times(300, '@b'));
    await expect(list('@c')).rejects.toMatchObject(tooLarge);
    await put('d', times(3_500, '@c'));
    await put('e', times(3_500, '@d'));
    await expect(list('@e')).rejects.toMatchObject(tooLarge);
    for (const path of ['/v1/devices/export?', '/v1/backups/coverage?', '/v1/certificates?', '/v1/audit?']) {
      await expect(world.api.get(`${path}selector=${encodeURIComponent('@e')}`)).rejects.toMatchObject(tooLarge);
    }
  });

  it('are read once each, however many ways lead to them', async () => {
    for (let level = 0; level < 9; level++) {
      const next = level === 8 ? 'tag:x' : `@l${level + 1}-0 & @l${level + 1}-1`;
      for (const place of [0, 1]) await put(`l${level}-${place}`, next);
    }
    expect((await list('@l0-0')).items).toHaveLength(2);
    for (let level = 0; level < 9; level++) {
      const all = Array.from({ length: 30 }, (_, place) => `@w${level + 1}-${place}`).join('|');
      for (let place = 0; place < 30; place++) await put(`w${level}-${place}`, level === 8 ? 'tag:x' : all);
    }
    await expect(list('@w0-0')).rejects.toMatchObject(tooLarge);
  });

  it('are refused with a value that no device can have', async () => {
    await expect(list(`name:"${'x'.repeat(501)}"`)).rejects.toMatchObject({
      code: 'invalid_selector',
      problem: { position: 5, expected: 'a value of at most 500 characters' },
    });
  });
});

describe('what uses a selector that cannot be read any more', () => {
  it('is a policy that starts nothing and says so, and holds up no other one', async () => {
    await put('broken', 'tag:x');
    const policy = (name: string, selector: string) =>
      world.api.post<{ id: string }>('/v1/backups/policies', { name, selector, rhythm: { everySeconds: 86_400 } });
    const broken = await policy('broken', '@broken');
    const whole = await policy('whole', 'tag:nothing');
    await put('broken', times(300, '@many-ways'));
    await put('many-ways', times(300, 'tag:x'));
    await db.query(`update backup_policy set next_run_at = now() - interval '1 second' where id = $1`, [broken.id]);
    await db.query('update backup_policy set next_run_at = now() where id = $1', [whole.id]);
    const read = () => world.api.get<{ items: { name: string; lastRunAt: string | null }[] }>('/v1/backups/policies');
    const items = await until(async () => {
      const found = (await read()).items;
      return found.every(({ lastRunAt }) => lastRunAt !== null) && found;
    });
    expect(items).toMatchObject([
      { name: 'broken', lastError: 'invalid_selector', lastStarted: 0 },
      { name: 'whole', lastError: null, lastStarted: 0 },
    ]);
  });

  it('is a rollout that pauses and says why, and holds up no other one', async () => {
    await put('mine', 'name:router-0');
    const following = (selector: string) =>
      createRollout(world.api, { kind: 'backup', selector, policy: { held: 'wait', membership: 'following' } });
    const broken = await following('@mine');
    const whole = await following('name:router-1');
    await world.api.send('DELETE', '/v1/selectors/mine');
    await db.query('update rollout set followed_at = null');
    const paused = await until(async () => {
      const rollout = await world.api.get<{ state: string; pause: object }>(`/v1/rollouts/${broken.id}`);
      return rollout.state === 'paused' && rollout;
    });
    expect(paused.pause).toEqual({
      cause: 'selector_unreadable',
      sentence: 'Its selector can no longer be read at @mine: expected the name of an existing saved selector.',
    });
    await until(async () => {
      const sql = 'select from rollout where id = $1 and followed_at is not null';
      return (await db.query(sql, [whole.id])).rowCount === 1;
    });
    for (const { id } of [broken, whole]) await world.api.post(`/v1/rollouts/${id}/abort`, {});
  });
});

describe('rules of roles with more terms than one statement takes', () => {
  it('are answered with a clear refusal', async () => {
    const rules = Array.from({ length: 100 }, () => ({
      effect: 'allow',
      permissions: ['device.read'],
      selector: times(680, 'tag:*'),
    }));
    await world.api.send('PUT', '/v1/roles/wide', { rules });
    const wide = await addPerson(world, 'Wilma', [{ role: 'wide' }], {});
    await expect(wide.api.get('/v1/devices')).rejects.toMatchObject({
      code: 'invalid_selector',
      problem: { expected: expect.stringContaining('fewer terms') },
    });
  });
});
