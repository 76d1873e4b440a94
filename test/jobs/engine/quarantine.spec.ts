import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeRowsWorld, type JobWorld } from '../../support/jobs/job-world.js';
import { recordError } from '../../../src/jobs/rows/job-state.js';
import { Strikes } from '../../support/jobs/strike-kind.js';

describe('jobs whose worker was lost', () => {
  let world: JobWorld;

  beforeAll(async () => {
    world = await makeRowsWorld(new Strikes().kinds);
  });
  afterAll(() => world.close());

  /** Another process after each loss. */
  let owner = '';
  beforeEach(() => void (owner = randomUUID()));

  const dispatch = () => world.worker.rows.dispatch(owner, 1_000);
  const suspects = async (count: number) => {
    await world.db.query('delete from work_mark');
    await world.db.query(`update job set phase = 'ended', outcome = 'cancelled', ended_at = now(), lease_until = null`);
    for (let index = 0; index < count; index++) await world.start(await world.addDevice(), 'strike');
    await world.db.query(`update job set lost_workers = 1, trials = 1 where phase = 'queued'`);
  };

  it('are handed out one at a time, beside all others', async () => {
    await suspects(3);
    await world.start(await world.addDevice(), 'strike');
    expect(await dispatch()).toHaveLength(2);
    expect(await dispatch()).toHaveLength(0);
    const [moved] = await world.db.query<[object[], number]>(
      `update job set phase = 'queued', lost_workers = 0, trials = 0, wake_at = now() + interval '1 hour', lease_until = null
        where phase = 'dispatched' and lost_workers > 0 returning tried_alone`,
    );
    expect(moved).toEqual([{ tried_alone: true }]);
    expect(await dispatch()).toHaveLength(1);
  });

  /** Claims them, and their process dies. */
  const lose = async (tickets: Awaited<ReturnType<typeof dispatch>>) => {
    for (const ticket of tickets) await world.worker.rows.claim(ticket, owner);
    await world.db.query(
      `update job set lease_until = clock_timestamp() - interval '1 second' where phase = 'running'`,
    );
    await world.sweeper.sweep();
    owner = randomUUID();
  };

  it('are not convicted by a crash beside another job, and are then tried with nothing beside them', async () => {
    await suspects(1);
    const fresh = await world.start(await world.addDevice(), 'strike');
    const first = await dispatch();
    expect(first).toHaveLength(2);
    const suspect = first.find(({ jobId }) => jobId !== fresh.id)!;
    await lose(first);
    expect(await world.jobs.get(suspect.jobId)).toMatchObject({ phase: 'queued', lostWorkers: 2 });
    expect(await world.jobs.get(fresh.id)).toMatchObject({ phase: 'queued', lostWorkers: 1 });

    await world.start(await world.addDevice(), 'strike');
    const second = await dispatch();
    expect(second.map(({ jobId }) => jobId)).toEqual([suspect.jobId]);
    expect(await dispatch()).toEqual([]);
    await lose(second);
    expect(await world.jobs.get(suspect.jobId)).toMatchObject({ failure: { code: 'quarantined' }, lostWorkers: 3 });
    expect(await dispatch()).toHaveLength(2);
  });

  it('are not convicted where the lease of what was beside them ran out a moment before or later', async () => {
    for (const isFirst of [true, false]) {
      await suspects(1);
      const fresh = await world.start(await world.addDevice(), 'strike');
      const tickets = await dispatch();
      for (const ticket of tickets) await world.worker.rows.claim(ticket, owner);
      for (const own of [isFirst, !isFirst]) {
        await world.db.query(
          `update job set lease_until = clock_timestamp() - interval '1 second' where phase = 'running' and (id = $1) = $2`,
          [fresh.id, own],
        );
        await world.sweeper.sweep();
      }
      const { jobId } = tickets.find((ticket) => ticket.jobId !== fresh.id)!;
      expect(await world.jobs.get(jobId)).toMatchObject({ phase: 'queued', lostWorkers: 2 });
    }
  });

  it('are not convicted where a row of a sweeper was in the same hands', async () => {
    await suspects(1);
    await world.db.query(
      `insert into work_mark (kind, row_id, owner, held_until)
       values ('rollout', gen_random_uuid(), $1, clock_timestamp() + interval '1 minute')`,
      [owner],
    );
    const tickets = await dispatch();
    await lose(tickets);
    expect(await world.jobs.get(tickets[0]!.jobId)).toMatchObject({ phase: 'queued', lostWorkers: 2 });
    expect(await dispatch()).toEqual([]);
    await world.db.query('delete from work_mark');
    await lose(await dispatch());
    expect(await world.jobs.get(tickets[0]!.jobId)).toMatchObject({ failure: { code: 'quarantined' } });
  });

  it('hold up nothing for longer than five minutes while what is at work does not end', async () => {
    await suspects(1);
    await world.start(await world.addDevice(), 'strike');
    await lose(await dispatch());
    const lasting = await world.start(await world.addDevice(), 'strike');
    await world.db.query(
      `update job set phase = 'running', owner = 'another', lease_until = clock_timestamp() + interval '1 hour' where id = $1`,
      [lasting.id],
    );
    expect(await dispatch()).toEqual([]);
    world.clock.skipTo(new Date(world.clock.now().getTime() + 300_001));
    expect(await dispatch()).toHaveLength(1);
  });

  it('are still suspects after a device that was away, and let the next ones have their turn', async () => {
    await suspects(1);
    const [ticket] = await dispatch();
    const { rows } = world.worker;
    const job = (await rows.claim(ticket!, owner))!;
    const failure = { code: 'device_unreachable', message: 'It is away', facts: {} };
    const trouble = { class: 'offline', failure } as const;
    await rows.save(job, (now) => recordError(now, trouble, false, world.clock.now(), 0), { step: 'aim' });
    expect(await world.jobs.get(job.id)).toMatchObject({ phase: 'running', lostWorkers: 1 });
    await lose([]);
    expect(await world.jobs.get(job.id)).toMatchObject({ failure: { code: 'quarantined' }, lostWorkers: 2 });
  });

  it('end where their cursor cannot be read, and hold up no other', async () => {
    await suspects(0);
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
    expect(world.jobs.progressOf(await world.jobs.get(ids[0]!))).toBeNull();
    await lose(await dispatch());
    const failure = { code: 'job_unreadable' };
    expect(await Promise.all(ids.map((id) => world.jobs.get(id)))).toMatchObject([
      { outcome: 'not_executed', failure },
      { outcome: 'unknown', failure },
      { phase: 'queued', lostWorkers: 1 },
    ]);
  });

  it('are not convicted by a clean stop that was too short for them', async () => {
    await suspects(1);
    const [ticket] = await dispatch();
    const { rows } = world.worker;
    expect(await rows.claim(ticket!, owner)).toMatchObject({ lostWorkers: 1, ranAsOnlySuspect: true });
    await rows.clearLossCountsOf(owner);
    await world.db.query(`update job set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [
      ticket!.jobId,
    ]);
    await world.sweeper.sweep();
    expect(await world.jobs.get(ticket!.jobId)).toMatchObject({ phase: 'queued', lostWorkers: 1 });
  });

  it('are handed out in groups where a crash left many, and none of a group is convicted', async () => {
    await suspects(64);
    expect(await dispatch()).toHaveLength(4);
    const rows = await world.db.query(`select from job where phase = 'dispatched' and tried_alone`);
    expect(rows).toEqual([]);
  });
});
