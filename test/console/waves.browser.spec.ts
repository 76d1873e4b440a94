import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';

/* The waves of a rollout, as its page names them. */

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});

it('are accepted, not passed, where a person resumed the rollout after failures', async () => {
  const { api } = world.gateway;
  for (const at of [1, 2, 3])
    await api.post('/v1/devices', {
      name: `pump-${at}`,
      baseUrl: `https://192.0.2.${at}`,
      tags: ['pump'],
      credentials: { username: 'admin', password: 'a password of a device' },
    });
  const { id } = await api.post<{ id: string }>('/v1/rollouts', {
    name: 'June',
    kind: 'call',
    selector: 'tag:pump',
    spec: { method: 'GET', path: '/api/system/device/status' },
    policy: { waves: [{ name: 'lab', take: { count: 1 } }, { name: 'site', take: { count: 1 } }, { take: 'rest' }] },
  });
  await api.post(`/v1/rollouts/${id}/start`);
  await db.query(
    `update rollout_target set state = case wave when 0 then 'succeeded' else 'failed' end where wave < 2`,
  );
  await db.query(
    `update rollout_wave set state = case ordinal when 0 then 'passed' else 'failed' end where ordinal < 2`,
  );
  await db.query(
    `update rollout set state = 'paused', pause_cause = 'wave_failed', pause_sentence = 'Wave site failed.'`,
  );

  const page = await world.open(`/rollouts/${id}`);
  const waves = page.locator('.waves > li');
  await waves.nth(1).locator('.mark', { hasText: 'Failed' }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await waves.nth(1).locator('.mark', { hasText: 'Accepted' }).waitFor();
  expect(await waves.locator('.mark').allInnerTexts()).toEqual([
    expect.stringContaining('Passed'),
    expect.stringContaining('Accepted'),
    expect.stringContaining('Waiting'),
  ]);
  expect(await waves.nth(2).innerText()).toContain('wave 3');
  await page.close();
});

it('of a draft have the counts of its plan, and none of its devices has ended', async () => {
  const { api } = world.gateway;
  for (const at of [1, 2, 3, 4, 5])
    await api.post('/v1/devices', {
      name: `fan-${at}`,
      baseUrl: `https://198.51.100.${at}`,
      tags: ['fan'],
      ...(at < 3 ? { credentials: { username: 'admin', password: 'a password of a device' } } : {}),
    });
  const { id } = await api.post<{ id: string }>('/v1/rollouts', {
    name: 'July',
    kind: 'reboot',
    selector: 'tag:fan',
    spec: {},
    policy: {
      waves: [
        { name: 'lab', take: { count: 1 } },
        { name: 'others', take: 'rest' },
      ],
    },
  });
  const page = await world.open(`/rollouts/${id}`);
  const bars = page.locator('.waves .count-bar');
  await bars.nth(1).waitFor();
  expect(await bars.allInnerTexts()).toEqual(['0 of 1 succeeded', '0 of 1 succeeded, 3 left out']);
  await page.getByText('2 devices take part').waitFor();
  expect(await page.getByText('have ended').count()).toBe(0);
  await page.close();
});
