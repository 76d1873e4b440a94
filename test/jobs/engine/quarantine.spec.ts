import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeRowsWorld, type JobWorld } from '../../support/jobs/job-world.js';
import { recordError } from '../../../src/jobs/rows/job-state.js';
import { type Ticket } from '../../../src/jobs/rows/job-writes.js';
import { DangerousKind } from '../../support/jobs/dangerous-kind.js';

describe('jobs whose worker was lost', () => {
  let world: JobWorld;

  beforeAll(async () => {
    world = await makeRowsWorld(new DangerousKind().kinds);
  });
  afterAll(() => world.close());

  /** Another process after each loss. */
  let owner = '';
  beforeEach(async () => {
    owner = randomUUID();
    await world.db.query('delete from work_mark');
    await world.db.query(`update job set phase = 'ended', outcome = 'cancelled', ended_at = now(), lease_until = null`);
  });

  const start = async (lostWorkers: number, count = 1): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push((await world.start(await world.addDevice(), 'strike')).id);
    await world.db.query('update job set lost_workers = $2 where id = any ($1)', [ids, lostWorkers]);
    return ids;
  };
  const dispatch = () => world.worker.rows.dispatch(owner, 1_000);
  const dispatched = async () => (await dispatch()).map(({ jobId }) => jobId);
  const get = (jobId: string) => world.jobs.get(jobId);

  /** Claims them, and their process dies. */
  const lose = async (tickets: readonly Ticket[]) => {
    for (const ticket of tickets) await world.worker.rows.claim(ticket, owner);
    await world.db.query(
      `update job set lease_until = clock_timestamp() - interval '1 second' where phase = 'running'`,
    );
    await world.sweeper.sweep();
    owner = randomUUID();
  };

  it('all run again at once after the first loss', async () => {
    const ids = await start(0, 12);
    await lose(await dispatch());
    expect(await Promise.all(ids.map(get))).toMatchObject(ids.map(() => ({ phase: 'queued', lostWorkers: 1 })));
    expect(await dispatched()).toHaveLength(12);
  });

  it('run one at a time from the second loss on, beside all others', async () => {
    const [others, lost] = [await start(1, 3), await start(2, 3)];
    const first = await dispatch();
    expect(first).toHaveLength(others.length + 1);
    expect(await dispatched()).toEqual([]);
    const alone = first.find(({ jobId }) => lost.includes(jobId))!;
    const job = (await world.worker.rows.claim(alone, owner))!;
    expect(await dispatched()).toEqual([]);
    await world.worker.rows.save(job, (now) => ({ ...now, lostWorkers: 0 }), { step: 'aim' });
    expect(await dispatched()).toEqual([lost.find((id) => id !== alone.jobId)]);
  });

  it('end at the third loss, and the others beside them do not', async () => {
    const [[killer], [fresh, lostOnce]] = [await start(2), [...(await start(0)), ...(await start(1))]];
    await lose(await dispatch());
    expect(await get(killer!)).toMatchObject({ failure: { code: 'quarantined' }, lostWorkers: 3 });
    expect(await get(fresh!)).toMatchObject({ phase: 'queued', lostWorkers: 1 });
    expect(await get(lostOnce!)).toMatchObject({ phase: 'queued', lostWorkers: 2 });
  });

  it('are none of them ended by two kills at random', async () => {
    const ids = await start(0, 8);
    for (let kill = 0; kill < 2; kill++) await lose(await dispatch());
    expect(await Promise.all(ids.map(get))).toMatchObject(ids.map(() => ({ phase: 'queued', lostWorkers: 2 })));
  });

  it('wait while a marked row runs that lost two processes, and for no other mark', async () => {
    const [id] = await start(2);
    const mark = (lostWorkers: number) =>
      world.db.query(
        `insert into work_mark (kind, row_id, owner, held_until, lost_workers)
         values ('rollout', gen_random_uuid(), 'another', clock_timestamp() + interval '1 minute', $1)`,
        [lostWorkers],
      );
    await mark(2);
    expect(await dispatched()).toEqual([]);
    await world.db.query('delete from work_mark');
    await mark(1);
    expect(await dispatched()).toEqual([id]);
  });

  it('give way while their device is away, so that the next one runs', async () => {
    const lost = await start(2, 2);
    const [ticket] = await dispatch();
    const job = (await world.worker.rows.claim(ticket!, owner))!;
    const failure = { code: 'device_unreachable', message: 'It is away', facts: {} };
    const trouble = { class: 'offline', failure } as const;
    await world.worker.rows.save(job, (now) => recordError(now, trouble, false, world.clock.now(), 0), { step: 'aim' });
    expect(await get(job.id)).toMatchObject({ phase: 'queued', lostWorkers: 2 });
    expect(await dispatched()).toEqual([lost.find((id) => id !== job.id)]);
  });

  it('end where their cursor cannot be read, and hold up no other', async () => {
    const sent = { effect: 'strike', state: 'sent', before: {}, openedAt: new Date().toISOString() };
    const ids: string[] = [];
    for (const intent of [null, sent, null]) {
      const { id } = await world.start(await world.addDevice(), 'strike');
      await world.db.query('update job set cursor = $2, intent = $3 where id = $1', [
        id,
        ids.length < 2 ? { at: 'nowhere' } : { at: 'aim' },
        intent,
      ]);
      ids.push(id);
    }
    expect(world.jobs.progressOf(await get(ids[0]!))).toBeNull();
    await lose(await dispatch());
    const failure = { code: 'job_unreadable' };
    expect(await Promise.all(ids.map(get))).toMatchObject([
      { outcome: 'not_executed', failure },
      { outcome: 'unknown', failure },
      { phase: 'queued', lostWorkers: 1 },
    ]);
  });

  it('are not ended by a clean stop that was too short for them', async () => {
    const [id] = await start(2);
    const [ticket] = await dispatch();
    await world.worker.rows.claim(ticket!, owner);
    await world.worker.rows.clearLossCountsOf(owner);
    await lose([]);
    expect(await get(id!)).toMatchObject({ phase: 'queued', lostWorkers: 1 });
  });
});
