import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeRowsWorld, type JobWorld } from '../../support/jobs/job-world.js';
import { DangerousKind } from '../../support/jobs/dangerous-kind.js';

/** Handing out: who goes first, what is kept for people, and what it costs with many due rows. */
describe('the dispatcher', () => {
  let world: JobWorld;

  beforeAll(async () => {
    world = await makeRowsWorld(new DangerousKind().kinds);
  });
  afterEach(() => world.db.query('delete from job'));
  afterAll(() => world.close());

  const startOne = async (isBulk: boolean, deviceId?: string) => {
    const job = await world.start(deviceId ?? (await world.addDevice()), 'strike');
    if (isBulk) await world.db.query('update job set is_bulk = true where id = $1', [job.id]);
    return job.id;
  };
  const startMany = async (count: number, isBulk: boolean) => {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await startOne(isBulk));
    return ids;
  };
  const dispatch = async (slots: number, reserved = 0) =>
    (await world.worker.rows.dispatch(world.worker.leases.owner, slots, reserved)).map(({ jobId }) => jobId);

  it('hands out jobs of people before those of a rollout that wait for longer', async () => {
    await startMany(3, true);
    const ofPeople = await startMany(2, false);
    expect(await dispatch(3)).toEqual(expect.arrayContaining(ofPeople));
    expect(await dispatch(5)).toHaveLength(2);
  });

  it('keeps slots for people that no rollout ever takes', async () => {
    await startMany(10, true);
    expect(await dispatch(5, 2)).toHaveLength(3);
    expect(await dispatch(5, 2)).toEqual([]);
    const ofPeople = await startMany(3, false);
    const handed = await dispatch(5, 2);
    expect(handed).toHaveLength(2);
    expect(ofPeople).toEqual(expect.arrayContaining(handed));
  });

  it('keeps a tenth of the slots, one at least', () => {
    expect(world.worker.leases.reservedCapacity).toBe(2);
  });

  it('hands out the oldest job of a device alone, and a person’s before it', async () => {
    const deviceId = await world.addDevice();
    const oldest = await startOne(true, deviceId);
    await startOne(true, deviceId);
    expect(await dispatch(10)).toEqual([oldest]);
    const other = await world.addDevice();
    await startOne(true, other);
    const ofPerson = await startOne(false, other);
    expect(await dispatch(10)).toEqual([ofPerson]);
  });

  it('never gives two jobs of a device to two dispatchers', async () => {
    const deviceId = await world.addDevice();
    for (let count = 0; count < 5; count++) await startOne(false, deviceId);
    const second = await world.addWorker();
    const handed = await Promise.all([
      ...Array.from({ length: 5 }, () => dispatch(10)),
      ...Array.from({ length: 5 }, () => second.rows.dispatch(second.leases.owner, 10)),
    ]);
    expect(handed.flat()).toHaveLength(1);
  });

  it('looks at as many of 10,000 due jobs as it hands out', async () => {
    await world.db.query(`
      insert into device (id, name, base_url, created_at, updated_at)
      select gen_random_uuid(), 'many ' || n, 'https://' || n || '.test', now(), now() from generate_series(1, 10000) as n`);
    await world.db.query(`
      insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at, is_bulk)
      select gen_random_uuid(), id, 'strike', 'queued', '{"at":"aim"}', now() - interval '1 minute', now() + interval '1 hour',
             'key:ada', 'Ada', now(), true from device where name like 'many %'`);
    const before = await fetchedRows();
    expect(await dispatch(20)).toHaveLength(20);
    const after = await fetchedRows();
    // A sort of all due rows fetches each of the 10,000; a walk fetches those that it takes and a look at their devices.
    expect(after - before).toBeLessThan(500);
  });

  /** Rows of `job` that were fetched by this database so far, by index or by a scan. */
  async function fetchedRows(): Promise<number> {
    await world.db.query('select pg_stat_force_next_flush()');
    const rows = await world.db.query<{ fetched: number }[]>(
      `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as fetched
         from pg_stat_user_tables where relname = 'job'`,
    );
    return rows[0]!.fetched;
  }
});
