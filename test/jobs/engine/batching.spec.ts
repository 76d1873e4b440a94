import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { LeaseLost } from '../../../src/jobs/engine/job-rows.js';
import { JOB_KINDS } from '../../../src/jobs/kinds/index.js';
import { ADA, makeRowsWorld, type JobWorld } from '../../support/jobs/job-world.js';
import { DangerousKind } from '../../support/jobs/dangerous-kind.js';

/** Claims and saves of one moment share their statements; what goes wrong with one of them is no other job's matter. */
describe('jobs that are written in the same moment', () => {
  let world: JobWorld;

  beforeEach(async () => {
    world = await makeRowsWorld(new DangerousKind().kinds);
  });
  afterEach(() => world.close());

  /** Jobs in the hands of the world's worker. */
  const hold = async (count: number): Promise<JobRow[]> => {
    for (let made = 0; made < count; made++) await world.start(await world.addDevice(), 'strike');
    const { rows, leases } = world.worker;
    const tickets = await rows.dispatch(leases.owner, count);
    const jobs = await Promise.all(tickets.map((ticket) => rows.claim(ticket, leases.owner)));
    return jobs.map((job) => job!);
  };
  const save = (job: JobRow, change: Partial<JobRow> = { attempts: 3 }) =>
    world.worker.rows.save(job, (current) => ({ ...current, ...change }), { step: 'aim', logLine: { text: 'saved' } });
  const ended = (job: JobRow, result: JobRow['result']) =>
    save(job, { phase: 'ended', outcome: 'succeeded', result, endedAt: new Date() });

  it('share a commit', async () => {
    const jobs = await hold(20);
    const transactions = vi.spyOn(world.db, 'transaction');
    await Promise.all(jobs.map((job, place) => save(job, { attempts: place })));
    expect(transactions.mock.calls.length).toBeLessThanOrEqual(2);
    for (const [place, { id }] of jobs.entries()) {
      expect(await world.jobs.get(id)).toMatchObject({
        phase: 'running',
        attempts: place,
        owner: expect.any(String),
      });
      expect(await world.events(id)).toEqual(['start: Ada started the job', 'aim: saved']);
    }
  });

  it('each get their own end in the log and in the audit', async () => {
    const jobs = await hold(3);
    const [won, lost] = jobs as [JobRow, JobRow];
    const failure = { code: 'device_refused', message: 'No', facts: {} };
    await Promise.all([
      ended(won, { strikes: 1 }),
      save(lost, { phase: 'ended', outcome: 'failed', failure, endedAt: new Date() }),
      save(jobs[2]!),
    ]);
    expect(await world.events(won.id)).toEqual(expect.arrayContaining(['aim: saved', 'end: The job has succeeded']));
    const audited = await world.db.query(
      `select entry.job_id as job, outcome.outcome from audit_entry entry join audit_outcome outcome on outcome.entry_id = entry.id
        where entry.action = 'job.end'`,
    );
    expect(audited).toHaveLength(2);
    expect(audited).toEqual(
      expect.arrayContaining([
        { job: won.id, outcome: 'succeeded' },
        { job: lost.id, outcome: 'failed' },
      ]),
    );
  });

  it('do not wait for the one whose row somebody else has locked', async () => {
    const jobs = await hold(5);
    const other = world.db.createQueryRunner();
    await other.startTransaction();
    await other.query('select from job where id = $1 for update', [jobs[2]!.id]);
    const saves = jobs.map((job) => save(job));
    await Promise.all(saves.filter((_, place) => place !== 2));
    expect(await world.jobs.get(jobs[2]!.id)).toMatchObject({ attempts: 0 });
    await other.query('update job set cancel_asked_at = now() where id = $1', [jobs[2]!.id]);
    await other.commitTransaction();
    await other.release();
    expect(await saves[2]).toMatchObject({ attempts: 3, cancelAskedAt: expect.any(Date) });
  });

  it('are claimed although the row of one is locked', async () => {
    for (let made = 0; made < 4; made++) await world.start(await world.addDevice(), 'strike');
    const { rows, leases } = world.worker;
    const tickets = await rows.dispatch(leases.owner, 4);
    const other = world.db.createQueryRunner();
    await other.startTransaction();
    await other.query('select from job where id = $1 for update', [tickets[0]!.jobId]);
    const claims = tickets.map((ticket) => rows.claim(ticket, leases.owner));
    await Promise.all(claims.slice(1));
    await other.rollbackTransaction();
    await other.release();
    expect(await claims[0]).toMatchObject({ id: tickets[0]!.jobId, phase: 'running', spec: {}, startedByName: 'Ada' });
    expect(await rows.claim(tickets[0]!, leases.owner)).toBeNull();
  });

  it('do not fail with the one that holds a value which Postgres refuses', async () => {
    const jobs = await hold(4);
    const saves = jobs.map((job, place) => save(job, { attempts: place === 1 ? 2 ** 40 : 1 }));
    await expect(saves[1]).rejects.toThrow('out of range');
    expect((await Promise.all(saves.filter((_, place) => place !== 1))).map(({ attempts }) => attempts)).toEqual([
      1, 1, 1,
    ]);
  });

  it('do not fail with the one that cannot be written as JSON', async () => {
    const jobs = await hold(3);
    const saves = jobs.map((job, place) => ended(job, place === 0 ? { count: 1n } : { count: 1 }));
    await expect(saves[0]).rejects.toThrow(TypeError);
    await Promise.all(saves.slice(1));
    expect(await world.jobs.get(jobs[0]!.id)).toMatchObject({ phase: 'running' });
  });

  it('lose nothing to the one that has lost its lease', async () => {
    const jobs = await hold(3);
    await world.db.query(`update job set epoch = epoch + 1 where id = $1`, [jobs[1]!.id]);
    const saves = jobs.map((job) => save(job));
    await expect(saves[1]).rejects.toThrow(LeaseLost);
    await Promise.all([saves[0], saves[2]]);
    expect(await world.jobs.get(jobs[1]!.id)).toMatchObject({ attempts: 0 });
  });

  describe('by their start', () => {
    const starts = (deviceIds: readonly string[]) =>
      deviceIds.map((deviceId) => world.batches.startSingle(JOB_KINDS.get('backup')!, { deviceId, spec: {} }, ADA));
    const deviceIds = (count: number) => Promise.all(Array.from({ length: count }, () => world.addDevice()));
    const startsInAudit = () =>
      world.db.query<{ job: string; device: string; outcome: string }[]>(
        `select job_id as job, device_id as device, outcome from audit_entry join audit_outcome on entry_id = id
          where action = 'job.start'`,
      );

    it('share a commit, and each has its row, its log and its audit entry', async () => {
      const devices = await deviceIds(20);
      const transactions = vi.spyOn(world.db, 'transaction');
      const jobs = await Promise.all(starts(devices));
      expect(transactions.mock.calls.length).toBeLessThanOrEqual(2);
      for (const job of jobs) {
        expect(await world.jobs.get(job.id)).toEqual(job);
        expect(await world.events(job.id)).toEqual(['start: Ada started the job']);
      }
      const entries = jobs.map(({ id, deviceId }) => ({ job: id, device: deviceId, outcome: 'succeeded' }));
      expect(await startsInAudit()).toEqual(expect.arrayContaining(entries));
    });

    it('do not fail with the one whose device was removed', async () => {
      const [first, second] = await deviceIds(2);
      const [one, gone, other] = starts([first!, randomUUID(), second!]);
      await expect(gone).rejects.toThrow('job_is_for_a_device');
      const started = await Promise.all([one!, other!]);
      expect((await startsInAudit()).map(({ job }) => job).toSorted()).toEqual(started.map(({ id }) => id).toSorted());
    });

    it('do not wait for the one whose device another transaction holds', async () => {
      const [held, free] = await deviceIds(2);
      const other = world.db.createQueryRunner();
      await other.startTransaction();
      await other.query('select from device where id = $1 for update', [held]);
      const [late, early] = starts([held!, free!]);
      expect(await early).toMatchObject({ deviceId: free });
      expect(await startsInAudit()).toMatchObject([{ device: free }]);
      await other.rollbackTransaction();
      await other.release();
      expect(await late).toMatchObject({ deviceId: held });
    });

    it('are all there when they are more than one statement takes, in the order of their devices', async () => {
      const devices = await deviceIds(101);
      const items = devices.map((deviceId) => ({ deviceId, spec: {} }));
      const ids = await world.db.transaction((tx) =>
        world.batches.start(tx, JOB_KINDS.get('backup')!, items, { ...ADA, operatorId: null }),
      );
      const rows = await world.db.query<{ id: string; device: string; bulk: boolean }[]>(
        'select id, device_id as device, is_bulk as bulk from job',
      );
      const deviceOf = new Map(rows.map(({ id, device }) => [id, device]));
      expect(ids.map((id) => deviceOf.get(id))).toEqual(devices);
      expect(rows.every(({ bulk }) => bulk)).toBe(true);
      expect(await startsInAudit()).toHaveLength(101);
    });
  });
});
