import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { JobsService } from '../../src/jobs/jobs.service.js';
import { RolloutSweeper } from '../../src/rollouts/engine/rollout.sweeper.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { createRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';

/* No process runs jobs or sweeps here: a job that was begun stays open until it is cancelled, and tests sweep themselves. */

let world: TestGateway;
let db: pg.Pool;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
  const credentials = { username: 'admin', password: 'a quiet password' };
  await world.api.post('/v1/devices', { name: 'router', baseUrl: 'https://192.0.2.1', credentials });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const sweep = () => world.gateway.app.get(RolloutSweeper).sweep();
const read = (id: string) => world.api.get<RolloutAnswer>(`/v1/rollouts/${id}`);
/** A rollout whose job was begun. */
async function begun(kind: 'backup' | 'reboot' = 'backup'): Promise<string> {
  const { id } = await createRollout(world.api, { kind, selector: 'name:router', policy: { held: 'wait' } });
  await sweep();
  expect((await read(id)).counts['queued']).toBe(1);
  return id;
}

it('an abort that fails half-way is carried on: jobs that are open are cancelled', async () => {
  const id = await begun();
  const jobs = world.gateway.app.get(JobsService);
  const cancel = jobs.cancel.bind(jobs);
  let fails = true;
  jobs.cancel = async (...given) => {
    if (!fails) return cancel(...given);
    fails = false;
    throw new Error('the database went away');
  };
  await world.api.post(`/v1/rollouts/${id}/abort`, {}).catch(() => undefined);
  expect((await read(id)).state).toBe('aborting');
  await sweep();
  await sweep();
  expect(fails).toBe(false);
  expect(await read(id)).toMatchObject({ state: 'aborted', counts: { cancelled: 1 } });
});

/** Three processes were lost while they aborted this rollout. */
const loseThreeProcesses = (id: string) =>
  db.query(
    `with marked as (
       insert into work_mark (kind, row_id, owner, held_until, lost_workers)
       values ('rollout', $1, gen_random_uuid(), clock_timestamp() - interval '1 second', 2)
       on conflict (kind, row_id) do update set
         owner = excluded.owner, held_until = excluded.held_until, lost_workers = 2)
     update rollout set state = 'aborting' where id = $1`,
    [id],
  );

const jobsOf = async (id: string) => {
  const { rows } = await db.query<{ phase: string; outcome: string | null; cancelAskedAt: Date | null }>(
    `select phase, outcome, cancel_asked_at as "cancelAskedAt" from job
      where id in (select job_id from rollout_target where rollout_id = $1)`,
    [id],
  );
  return rows;
};

it('one that is about to abort is not paused when it took three processes down', async () => {
  const id = await begun();
  await loseThreeProcesses(id);
  await sweep();
  expect(await read(id)).toMatchObject({ state: 'aborted', pause: null, counts: { unknown: 1, queued: 0 } });
  expect(await jobsOf(id)).toMatchObject([{ phase: 'ended', outcome: 'cancelled' }]);
});

it('then a job past its point of no return is not cancelled: it goes on to a verified end', async () => {
  const id = await begun('reboot');
  await db.query(
    `update job set intent = '{"effect":"reboot","state":"sent","before":null}'
      where id in (select job_id from rollout_target where rollout_id = $1)`,
    [id],
  );
  await loseThreeProcesses(id);
  await sweep();
  expect(await read(id)).toMatchObject({ state: 'aborted', counts: { unknown: 1, queued: 0 } });
  expect(await jobsOf(id)).toMatchObject([{ phase: 'queued', outcome: null, cancelAskedAt: null }]);
});
