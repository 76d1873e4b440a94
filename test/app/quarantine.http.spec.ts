import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { WorkMarks } from '../../src/platform/database/work-marks.js';
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

describe('a row that took two processes down', () => {
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

  /** As a process leaves it that died with the row in hand, after another one had done so. */
  const mark = (kind: string, id: string, { lost, alone }: { lost: number; alone: boolean }, owner = randomUUID()) =>
    db.query(
      `insert into work_mark (kind, row_id, owner, held_until, lost, alone)
       values ($1, $2, $5, clock_timestamp() - interval '1 second', $3, $4)
       on conflict (kind, row_id) do update set owner = excluded.owner, held_until = excluded.held_until, lost = $3, alone = $4`,
      [kind, id, lost, alone, owner],
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
      await mark(kind, made.id, { lost: 1, alone: true });
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
    await mark(kind, id, { lost: 1, alone: true });
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

  it('is worked on once more, with nothing beside it, when its process had another row in hand', async () => {
    const made = await world.api.post<Row>('/v1/schedules', schedule('beside another'));
    const [other, owner] = [randomUUID(), randomUUID()];
    await db.query(
      `insert into work_mark (kind, row_id, owner, held_until)
       values ('webhook', $1, $2, clock_timestamp() + interval '1 minute')`,
      [other, owner],
    );
    await mark('schedule', made.id, { lost: 1, alone: true }, owner);
    await db.query('update schedule set next_run_at = now() where id = $1', [made.id]);
    await until(
      async () => (await db.query('select from work_mark where row_id = $1 and lost = 2', [made.id])).rowCount,
    );
    expect(await world.api.get<Row>(`/v1/schedules/${made.id}`)).toMatchObject({ enabled: true, lastRunAt: null });
    await db.query('delete from work_mark where row_id = $1', [other]);
    await until(async () => (await world.api.get<Row>(`/v1/schedules/${made.id}`)).lastRunAt);
    await until(async () => (await marks(made.id)) === 0);
    expect(await world.api.get<Row>(`/v1/schedules/${made.id}`)).toMatchObject({ enabled: true, quarantinedAt: null });
  });

  it('counts what waits for something, too, as having been in the same hands', async () => {
    const [suspect, waiting, owner] = [randomUUID(), randomUUID(), randomUUID()];
    // Of kinds that no sweeper has work of: their losses are noticed all the same.
    await db.query(
      `insert into work_mark (kind, row_id, owner, held_until, lost, alone)
       select 'health_check', id, $3, clock_timestamp() - interval '1 second', 1, true
         from unnest(array[$1::uuid, $2::uuid]) as row (id)`,
      [suspect, waiting, owner],
    );
    const noticed = await until(async () => {
      const { rows } = await db.query<{ lost: number; alone: boolean }>(
        'select lost, alone from work_mark where row_id in ($1, $2) and lost = 2',
        [suspect, waiting],
      );
      return rows.length === 2 && rows;
    });
    expect(noticed).toEqual([
      { lost: 2, alone: false },
      { lost: 2, alone: false },
    ]);
    await db.query('delete from work_mark where row_id in ($1, $2)', [suspect, waiting]);
  });

  it('has its turn as a health check, which begins in the work on its rollout', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    const marks = world.gateway.app.get(WorkMarks);
    const worked: string[] = [];
    const work = (ids: readonly string[]) => {
      worked.push(...ids);
      return Promise.resolve();
    };
    const during = (kind: 'rollout' | 'health_check', ids: string[]) =>
      marks.during(kind, ids, work, () => Promise.reject(new Error('It is not convicted')));
    await db.query(
      `insert into work_mark (kind, row_id, lost, alone, quiet_until)
       values ('health_check', $1, 2, false, clock_timestamp() + interval '5 minutes')`,
      [id],
    );
    await during('rollout', [other]);
    expect(worked).toEqual([]);
    await during('rollout', [id, other]);
    expect(worked).toEqual([id]);
    await until(async () => {
      await during('health_check', [id]);
      return worked.length === 2;
    });
    await until(async () => (await db.query('select from work_mark where row_id = $1', [id])).rowCount === 0);
  });

  it('is worked on once more when it was one of many in hand', async () => {
    const made = await world.api.post<Row>('/v1/schedules', schedule('one of many'));
    await mark('schedule', made.id, { lost: 0, alone: false });
    await db.query('update schedule set next_run_at = now() where id = $1', [made.id]);
    await until(async () => (await world.api.get<Row>(`/v1/schedules/${made.id}`)).lastRunAt);
    await until(async () => (await marks(made.id)) === 0);
    expect(await world.api.get<Row>(`/v1/schedules/${made.id}`)).toMatchObject({ enabled: true, quarantinedAt: null });
  });
});
