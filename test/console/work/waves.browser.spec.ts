import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';

/* The waves of a rollout, as its page names them. */

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  for (const at of [1, 2, 3])
    await world.gateway.api.post('/v1/devices', {
      name: `pump-${at}`,
      baseUrl: `https://192.0.2.${at}`,
      tags: ['pump'],
      credentials: { username: 'admin', password: 'a password of a device' },
    });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

/** A rollout over three devices, and the page that shows it. @param gate of its last wave */
async function startRollout(gate: 'auto' | 'manual'): Promise<{ id: string }> {
  const { api } = world.gateway;
  const { id } = await api.post<{ id: string }>('/v1/rollouts', {
    name: 'June',
    kind: 'call',
    selector: 'tag:pump',
    spec: { method: 'GET', path: '/api/system/device/status' },
    policy: {
      waves: [
        { name: 'lab', take: { count: 1 } },
        { name: 'site', take: { count: 1 } },
        { take: 'rest', gate },
      ],
      held: 'wait',
    },
  });
  await api.post(`/v1/rollouts/${id}/start`);
  return { id };
}

it('are accepted, not passed, where a person resumed the rollout after failures', async () => {
  const { id } = await startRollout('auto');
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
  const waves = page.getByRole('list', { name: 'Waves', exact: true }).locator('> li');
  await waves.nth(1).locator('.mark', { hasText: 'Failed' }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await waves.nth(1).locator('.mark', { hasText: 'Accepted' }).waitFor();
  await expect
    .poll(() => waves.locator('.mark').allInnerTexts())
    .toEqual([
      expect.stringContaining('Passed'),
      expect.stringContaining('Accepted'),
      expect.stringContaining('Waiting'),
    ]);
  await expect.poll(() => waves.nth(2).innerText()).toContain('wave 3');
  await page.close();
});

it('of a rollout that paused while writes are frozen are paused, and it cannot be resumed before', async () => {
  const { api } = world.gateway;
  const { id } = await startRollout('auto');
  await db.query(
    `update rollout_wave set state = 'running', started_at = now() where rollout_id = $1 and ordinal = 0`,
    [id],
  );
  await db.query(
    `update rollout set state = 'paused', started_at = now(), pause_cause = 'locked', pause_sentence = 'A lock.' where id = $1`,
    [id],
  );
  const lock = await api.post<{ id: string }>('/v1/locks', { kind: 'writes', reason: 'an incident' });
  const page = await world.open(`/rollouts/${id}`);
  await page.getByText('Writes are frozen: it can be resumed when they are not.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Resume' }).isDisabled()).toBe(true);
  const waves = page.getByRole('list', { name: 'Waves', exact: true }).locator('> li');
  await waves.nth(0).locator('.mark', { hasText: 'Paused' }).waitFor();
  await page.getByText('After it is resumed').waitFor();
  await api.send('DELETE', `/v1/locks/${lock.id}`);
  await page.reload();
  await page.getByText('“Resume” lets it go on.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Resume' }).isEnabled()).toBe(true);
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
  const bars = page.getByRole('list', { name: 'Waves', exact: true }).getByRole('img');
  await bars.nth(1).waitFor();
  await expect
    .poll(() => bars.evaluateAll((all) => all.map((one) => one.ariaLabel)))
    .toEqual(['1 device', '1 device, 3 left out']);
  await page.getByText('devices in the plan').waitFor();
  await expect.poll(() => page.getByText('have ended').count()).toBe(0);
  await page.close();
});

it('are shown as one number, a grid, and bars over time; a promotion says what it starts', async () => {
  const { id } = await startRollout('manual');
  const of = `rollout_id = '${id}'`;
  await db.query(`update rollout_target set state = case wave when 0 then 'succeeded' else state end where ${of}`);
  await db.query(`update rollout_wave set state = 'passed', started_at = now() - interval '5 min', ended_at = now()
                  where ${of} and ordinal = 0`); // prettier-ignore
  const page = await world.open(`/rollouts/${id}`);
  await page.getByText('1 / 3').waitFor();
  const grid = page.getByRole('list', { name: 'Waves', exact: true }).getByRole('img');
  await grid.locator('i[data-id]').nth(2).waitFor();
  await expect
    .poll(() => grid.locator('i[data-id]').evaluateAll((cells) => cells.map((cell) => cell.dataset['tone'])))
    .toEqual(['good', 'none', 'none']);
  const lanes = page.getByRole('img', { name: /expected|–|not known yet/ });
  await expect.poll(() => lanes.count()).toBe(3);
  // The line of now runs through the bar, and not through the words above it.
  const [lane, line] = [lanes.nth(1), lanes.nth(1).locator('b')];
  await expect.poll(async () => (await lane.boundingBox())!.y - (await line.boundingBox())!.y).toBeLessThanOrEqual(4);
  await page.getByRole('button', { name: 'Promote: let wave 3 follow, 1 device' }).waitFor();
  await page.getByText('Promoted, it starts by itself as soon as site has passed.').waitFor();
  await db.query(`update rollout_wave set state = 'passed' where ${of} and ordinal = 1`);
  await db.query(`update rollout set state = 'running', started_at = now() where id = '${id}'`);
  await page.goto(`${world.gateway.url}/console/`);
  const row = page.getByRole('listitem').filter({ hasText: 'Begins when a person lets it: wave 3, 1 device' });
  await row.getByText('Waits for a person').waitFor();
  await row.getByRole('link', { name: 'Decide' }).click();
  await page.getByRole('button', { name: 'Promote: start wave 3 now, 1 device' }).click();
  await page
    .locator('dialog[open]')
    .getByText(/ on 1 device at once/)
    .waitFor();
  await page.locator('dialog[open]').getByRole('button', { name: 'Start 1 device' }).click();
  await page.getByText('Started wave 3').waitFor();
  await page.close();
});

it('of a draft say which devices are locked now, and a draft that is discarded sends nothing', async () => {
  const { api } = world.gateway;
  const { items } = await api.get<{ items: { id: string; name: string }[] }>('/v1/devices?selector=tag:pump');
  const lock = await api.post<{ id: string }>('/v1/locks', {
    kind: 'device',
    target: items[0]!.id,
    reason: 'a review',
  });
  const { id } = await api.post<{ id: string }>('/v1/rollouts', {
    name: 'July',
    kind: 'reboot',
    selector: 'tag:pump',
    spec: {},
    policy: {
      held: 'wait',
      waves: [{ take: { count: 1 } }, { take: { count: 1 } }, { take: { count: 1 } }, { take: 'rest' }],
    },
  });
  const page = await world.open(`/rollouts/${id}`);
  await page.getByText('1 of 3 cannot start now').waitFor();
  await page.getByText(`1 locked: ${items[0]!.name}`).waitFor();
  const waves = page.getByRole('list', { name: 'Waves', exact: true }).locator('> li');
  await expect.poll(() => waves.count()).toBe(3);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Discard the draft' }).click();
  await page.getByText('Draft discarded').waitFor();
  await page.getByText('Discarded. Nothing was sent.').waitFor();
  await expect.poll(() => waves.count()).toBe(0);
  await page.goto(`${world.gateway.url}/console/rollouts?name=July`);
  await page.getByText('3 devices, nothing was sent').waitFor();
  await page.close();
  await api.send('DELETE', `/v1/locks/${lock.id}`);
});
