import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRowsWorld, type JobWorld } from '../../support/jobs/job-world.js';
import { DangerousKind } from '../../support/jobs/dangerous-kind.js';

const JOBS = 1_201;

describe('the leases of many jobs', () => {
  let world: JobWorld;

  beforeEach(async () => {
    world = await makeRowsWorld(new DangerousKind().kinds);
  });
  afterEach(() => world.close());

  /** As many running jobs of the world's worker, each on a device of its own, with leases that end soon. */
  async function run(count: number): Promise<void> {
    await world.start(await world.addDevice(), 'strike');
    await world.db.query(
      `insert into device (id, name, base_url, created_at, updated_at)
       select gen_random_uuid(), 'copy-' || number, 'https://192.0.2.1:' || number, now(), now()
         from generate_series(1, $1::int) number`,
      [count - 1],
    );
    await world.db.query(
      `insert into job
       select (jsonb_populate_record(job, jsonb_build_object('id', gen_random_uuid(), 'device_id', device.id))).*
         from job, device where device.id <> job.device_id`,
    );
    await world.db.query(
      `update job set phase = 'running', epoch = 1, owner = $1, lease_until = clock_timestamp() + interval '1 second'`,
      [world.worker.leases.owner],
    );
  }

  it('are prolonged some hundreds in a statement, but for the ones that are not theirs or are being written', async () => {
    await run(JOBS);
    const { rows, leases } = world.worker;
    const ids = (await world.db.query<{ id: string }[]>('select id from job order by id')).map(({ id }) => id);
    const [stolen, again, cancelled, locked] = ids as [string, string, string, string];
    await world.db.query(`update job set owner = 'somebody' where id = $1`, [stolen]);
    await world.db.query(`update job set epoch = 2 where id = $1`, [again]);
    await world.db.query(`update job set cancel_asked_at = now() where id = $1`, [cancelled]);
    const other = world.db.createQueryRunner();
    await other.startTransaction();
    await other.query('select from job where id = $1 for update', [locked]);
    const statements = vi.spyOn(world.db, 'query');

    const renewed = await rows.renew(leases.owner, { listNumber: 1, ids, epochs: ids.map(() => 1) });

    expect(statements).toHaveBeenCalledTimes(3);
    await other.rollbackTransaction();
    await other.release();
    const of = new Map(renewed.map((row) => [row.id, row]));
    expect(of.size).toBe(JOBS - 2);
    expect([of.has(stolen), of.has(again)]).toEqual([false, false]);
    expect(of.get(cancelled)).toEqual({ id: cancelled, epoch: 1, cancelRequested: true, renewed: true });
    expect(of.get(locked)).toEqual({ id: locked, epoch: 1, cancelRequested: false, renewed: false });
    const short = await world.db.query<{ id: string }[]>(
      `select id from job where lease_until < clock_timestamp() + interval '5 seconds' order by id`,
    );
    expect(short.map(({ id }) => id)).toEqual([stolen, again, locked]);
  });
});
