import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* The metrics that are counted in the database, from rows that a test writes. */

const MINUTE = 60_000;
const clock = new FakeClock(Date.now());
let world: TestGateway;
let db: pg.Pool;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', METRICS_PUBLIC: 'true' }, clock);
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

/** @param name of a metric @returns its series with their values */
async function read(name: string): Promise<Record<string, number>> {
  const answer = await fetch(`${world.url}/metrics`);
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const [, state = '', value] = /^\w+(?:\{state="(\w+)"\})? (.*)$/.exec(line)!;
      return [state, Number(value)];
    }),
  );
}
/** After what was counted before is too old. */
function readAgain(name: string): Promise<Record<string, number>> {
  clock.pass(MINUTE);
  return read(name);
}

const at = (minutesAgo: number) => new Date(clock.nowMs() - minutesAgo * MINUTE);

describe('/metrics', () => {
  it('counts devices and their backups by state', async () => {
    await db.query(
      `insert into device (id, name, base_url, site, state, created_at, updated_at)
       select gen_random_uuid(), 'd-' || number, 'https://d' || number || '.example', 'north',
              case when number <= 3 then 'online' else 'offline' end, now(), now() from generate_series(1, 5) as number`,
    );
    // Opened already, so that no sweep looks for its bytes.
    const backup = (name: string, minutesAgo: number) =>
      db.query(
        `with made as (
           insert into artifact (id, kind, name, sha256, bytes, device_id, created_at)
           select gen_random_uuid(), 'backup', 'x', repeat('0', 64), 1, id, $2 from device where name = $1 returning id)
         insert into backup_content (artifact_id, looked_at, sha256, files) select id, $2, repeat('0', 64), '[]' from made`,
        [name, at(minutesAgo)],
      );
    await backup('d-1', 60);
    await backup('d-2', 48 * 60);
    const others = { new: 0, credentials_refused: 0, trust_changed: 0 };
    expect(await readAgain('fleetgate_devices')).toEqual({ online: 3, offline: 2, ...others });
    expect(await read('fleetgate_backups')).toEqual({ none: 3, failed: 0, overdue: 1, fresh: 1 });
    await db.query(`update device set state = 'online'`);
    expect(await read('fleetgate_devices')).toMatchObject({ online: 3 }); // counted once in 15 seconds
    expect(await readAgain('fleetgate_devices')).toEqual({ online: 5, offline: 0, ...others });
  });

  it('tells how long the oldest due job waits', async () => {
    expect(await readAgain('fleetgate_jobs_oldest_due_seconds')).toEqual({ '': 0 });
    await db.query(
      `insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at)
       select gen_random_uuid(), id, 'reboot', 'queued', '{"at":"send"}', wake_at, 'infinity', 'session:x', 'x', now()
         from device cross join (values ($1::timestamptz), ($2)) as due (wake_at) where name = 'd-1'`,
      [at(10), at(-600)],
    );
    expect(await readAgain('fleetgate_jobs_oldest_due_seconds')).toEqual({ '': 660 });
    await db.query('delete from job');
  });

  it('counts rollouts that are paused, and deliveries that fail', async () => {
    expect(await readAgain('fleetgate_rollouts_paused')).toEqual({ '': 0 });
    expect(await read('fleetgate_webhook_deliveries_failing')).toEqual({ failed: 0, waiting: 0 });
    await db.query(
      `insert into rollout (id, name, kind, spec, selector, policy, state, pause_cause, plan_digest, created_by, created_by_name, created_at)
       select gen_random_uuid(), 'r' || number, 'reboot', '{}', 'all', '{}', case number when 1 then 'draft' else 'paused' end,
              case when number > 1 then 'person' end, '', 'session:x', 'x', now() from generate_series(1, 3) as number`,
    );
    const url = 'https://chat.example/in';
    const { id } = await world.api.post<{ id: string }>('/v1/webhooks', { name: 'w', url, types: ['rule.notified'] });
    await db.query(
      `insert into webhook_delivery (webhook_id, type, message, state, error, due_at, created_at)
       select $1, 'rule.notified', '{}', state, error, 'infinity', now()
         from (values ('delivered', null), ('failed', '503'), ('failed', '503'), ('waiting', '503'), ('waiting', null))
           as of (state, error)`,
      [id],
    );
    expect(await readAgain('fleetgate_rollouts_paused')).toEqual({ '': 2 });
    expect(await read('fleetgate_webhook_deliveries_failing')).toEqual({ failed: 2, waiting: 1 });
    await db.query('delete from rollout');
  });

  it('tells the age of the last checkpoint of the audit', async () => {
    await db.query('delete from audit_checkpoint').catch(() => undefined);
    await db.query(
      `insert into audit_checkpoint (size, root, signed_at, note) values (1000000, repeat('0', 32)::bytea, $1, 'x')`,
      [at(5)],
    );
    expect(await readAgain('fleetgate_audit_checkpoint_age_seconds')).toEqual({ '': 360 });
  });

  it('answers without them while the database is away or does not answer, and has them again', async () => {
    await db.query('alter table rollout rename to hidden');
    try {
      expect(await readAgain('fleetgate_rollouts_paused')).toEqual({});
      expect(await read('fleetgate_devices')).toEqual({});
      expect(Object.keys(await read('fleetgate_jobs_running'))).toEqual(['']);
    } finally {
      await db.query('alter table hidden rename to rollout');
    }
    const holder = await db.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table device in access exclusive mode');
      expect(await readAgain('fleetgate_rollouts_paused')).toEqual({});
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect(await readAgain('fleetgate_rollouts_paused')).toEqual({ '': 0 });
  });
});
