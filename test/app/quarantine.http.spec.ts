import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { createRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';
import { until } from '../support/until.js';

interface Row {
  readonly id: string;
  readonly enabled: boolean;
  readonly quarantinedAt: string | null;
  readonly lastError?: string | null;
  readonly lastRunAt?: string | null;
}

const rollout = { name: 'r', kind: 'backup', selector: 'name:no-device' };
const rhythm = { everySeconds: 86_400 };
const schedule = (name: string) => ({ name, rhythm, rollout });

describe('a row that crashed three processes', () => {
  let world: TestGateway;
  let db: pg.Pool;

  beforeAll(async () => {
    world = await startTestGateway();
    db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
    const credentials = { username: 'admin', password: 'a quiet password' };
    await world.api.post('/v1/devices', { name: 'far-away', baseUrl: 'https://192.0.2.1', credentials });
  });
  afterAll(async () => {
    await db.end();
    await world.close();
  });

  /** As a process leaves it that died with the row in hand, after `lostWorkers` others had done so. */
  const mark = (kind: string, id: string, lostWorkers: number) =>
    db.query(
      `insert into work_mark (kind, row_id, owner, held_until, lost_workers)
       values ($1, $2, $4, clock_timestamp() - interval '1 second', $3)
       on conflict (kind, row_id) do update set owner = $4, held_until = excluded.held_until, lost_workers = $3`,
      [kind, id, lostWorkers, randomUUID()],
    );
  const events = async (type: string, subject: string) =>
    (await db.query('select from event where type = $1 and subject = $2', [type, subject])).rowCount;
  const marks = async (id: string) => (await db.query('select from work_mark where row_id = $1', [id])).rowCount;

  it.each([
    {
      kind: 'schedule',
      path: '/v1/schedules',
      input: schedule('nightly'),
      event: 'schedule.quarantined',
      permits: 'schedule.quarantine',
    },
    {
      kind: 'backup_policy',
      path: '/v1/backups/policies',
      input: { name: 'nightly', selector: 'name:no-device', rhythm },
      event: 'backup.quarantined',
      permits: 'backup_policy.quarantine',
    },
    {
      kind: 'webhook',
      path: '/v1/webhooks',
      input: { name: 'chat', url: 'https://chat.example/hook', types: ['rollout.*'] },
      event: 'webhook.quarantined',
      permits: 'webhook.quarantine',
    },
  ])(
    'is stopped, says so, and goes on when a person saves it: $kind',
    async ({ kind, path, input, event, permits }) => {
      const made = await world.api.post<Row>(path, { ...input, enabled: false });
      const read = () => world.api.get<Row>(`${path}/${made.id}`);
      await mark(kind, made.id, 2);
      await world.api.send('PUT', `${path}/${made.id}`, { ...input, enabled: true });
      if (kind !== 'webhook') await db.query(`update ${kind} set next_run_at = now() where id = $1`, [made.id]);
      const stopped = await until(async () => {
        const row = await read();
        return row.quarantinedAt !== null && row;
      });
      expect(stopped).toMatchObject({ enabled: false });
      if (kind !== 'webhook') expect(stopped).toMatchObject({ lastError: 'quarantined', lastRunAt: null });
      expect(await events(event, `${kind}:${made.id}`)).toBe(1);
      const audit = await db.query('select from audit_entry where action = $1 and subject = $2', [
        permits,
        `${kind}:${made.id}`,
      ]);
      expect(audit.rowCount).toBe(1);

      await until(async () => (await marks(made.id)) === 0);
      await world.api.send('PUT', `${path}/${made.id}`, { ...input, enabled: true });
      expect(await read()).toMatchObject({ enabled: true, quarantinedAt: null });
      if (kind === 'webhook') return;
      await db.query(`update ${kind} set next_run_at = now() where id = $1`, [made.id]);
      await until(async () => (await read()).lastRunAt);
    },
  );

  it.each(['rollout', 'health_check'])('is a paused rollout that a person resumes: %s', async (kind) => {
    // Its device is away, so that it goes on for hours.
    const { id } = await createRollout(world.as('operator'), {
      name: kind,
      kind: 'backup',
      selector: 'name:far-away',
      policy: { held: 'wait', checks: [{ check: 'reachable' }] },
    });
    const read = () => world.api.get<RolloutAnswer>(`/v1/rollouts/${id}`);
    await mark(kind, id, 2);
    if (kind === 'health_check') {
      await db.query(`update rollout_target set state = 'succeeded', ended_at = now() where rollout_id = $1`, [id]);
    }
    const stopped = await until(async () => {
      const row = await read();
      return row.pause?.cause === 'quarantined' && row;
    });
    expect(stopped).toMatchObject({ state: 'paused', pause: { sentence: expect.stringContaining('resume it') } });
    expect(await events('rollout.quarantined', `rollout:${id}`)).toBe(1);
    await until(async () => (await marks(id)) === 0);
    await world.as('operator').post(`/v1/rollouts/${id}/resume`, {});
    await until(async () => (await read()).state !== 'paused');
    await world.as('operator').post(`/v1/rollouts/${id}/abort`, {});
  });

  it.each([0, 1])(
    'is worked on again after %i losses and one more, and is innocent afterwards',
    async (lostWorkers) => {
      const made = await world.api.post<Row>('/v1/schedules', schedule(`lost after ${lostWorkers}`));
      await mark('schedule', made.id, lostWorkers);
      await db.query('update schedule set next_run_at = now() where id = $1', [made.id]);
      await until(async () => (await world.api.get<Row>(`/v1/schedules/${made.id}`)).lastRunAt);
      await until(async () => (await marks(made.id)) === 0);
      expect(await world.api.get<Row>(`/v1/schedules/${made.id}`)).toMatchObject({
        enabled: true,
        quarantinedAt: null,
      });
    },
  );
});
