import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Worker } from 'bullmq';
import { pino } from 'pino';
import { type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { type JobQueue } from '../../../src/jobs/engine/job-queue.js';
import { LeaseLost } from '../../../src/jobs/engine/job-rows.js';
import { SilentConsumerSweeper } from '../../../src/jobs/engine/silent-consumer.sweeper.js';
import { AppError } from '../../../src/platform/errors.js';
import { sizeOf } from '../../support/forms.js';
import { ADA, makeJobWorld, type JobWorld, type TestWorker } from '../../support/jobs/job-world.js';
import { queueBackends } from '../../support/jobs/queue-backends.js';
import { Barrier, DangerousKind } from '../../support/jobs/dangerous-kind.js';

describe.each(queueBackends())('the engine on a $backend queue', (backend) => {
  let strikes: DangerousKind;
  let world: JobWorld;
  let deviceId: string;
  let workers: TestWorker[];

  beforeEach(async () => {
    strikes = new DangerousKind();
    world = await makeJobWorld(strikes.kinds, backend.redisUrl);
    workers = [world.worker];
    deviceId = await world.addDevice();
  });
  afterEach(() => world.close());

  const start = () => world.start(deviceId, 'strike');
  const isEnded = ({ phase }: JobRow) => phase === 'ended';
  const ended = (jobId: string) => world.eventually(() => world.jobs.get(jobId), isEnded);
  const addWorker = async () => {
    const worker = await world.addWorker();
    workers.push(worker);
    return worker;
  };
  /** As if the lease had run out: its worker was silent for that long. */
  const loseLease = async (jobId: string) => {
    await world.db.query(`update job set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [jobId]);
    expect(await world.sweeper.sweep()).toMatchObject({ returned: 1 });
  };

  it('runs a job from its start to its end', async () => {
    world.worker.consume();
    const { id } = await start();
    const job = await world.runToEnd(id);
    expect(job).toMatchObject({
      outcome: 'succeeded',
      epoch: 1,
      result: { strikes: 1 },
      owner: null,
      leaseUntil: null,
    });
  });

  it.each([
    ['its answer', true],
    ['the loss of its answer', false],
  ])('counts the time of a device from %s, however long that took', async (_words, answers) => {
    strikes.answers = answers;
    strikes.striking = () => world.clock.sleep(180_000);
    world.worker.consume();
    await world.runToEnd((await start()).id);
    expect(strikes.settlingMs).toHaveLength(1);
    expect(strikes.settlingMs[0]).toBeLessThan(180_000);
  });

  it('takes no harm from a ticket that is delivered twice', async () => {
    const { id } = await start();
    const [ticket] = await world.worker.rows.dispatch(world.worker.leases.owner, 1);
    const { signal } = new AbortController();
    await Promise.all([world.worker.runner.run(ticket!, signal), world.worker.runner.run(ticket!, signal)]);
    await world.worker.runner.run(ticket!, signal);
    expect(await world.jobs.get(id)).toMatchObject({ outcome: 'succeeded' });
    expect(strikes.sent).toHaveLength(1);
  });

  it('shares the work among two workers, each job once', async () => {
    const shared = sizeOf({ short: 24, long: 60 }); // more than one worker takes
    for (const worker of [world.worker, await addWorker()]) worker.consume();
    const jobs = await Promise.all(
      Array.from({ length: shared }, async () => world.start(await world.addDevice(), 'strike')),
    );
    const done = world.eventually(
      async () => {
        for (const { dispatcher } of workers) await dispatcher.dispatch();
        return world.jobs.list({ limit: 100, phase: 'ended' }, null);
      },
      ({ items }) => items.length === jobs.length,
    );
    expect((await done).items.every(({ outcome }) => outcome === 'succeeded')).toBe(true);
    expect(strikes.sent).toHaveLength(shared);
    expect(new Set(strikes.sent).size).toBe(shared);
  });

  it('finishes all jobs when the queue loses every ticket', async () => {
    const { id } = await start();
    expect(await world.worker.dispatcher.dispatch()).toBe(1);
    await backend.empty(world);
    world.worker.consume();
    await loseLease(id);
    expect(await world.runToEnd(id)).toMatchObject({ outcome: 'succeeded', epoch: 3 });
    expect(world.worker.delivered).toEqual([`${id}.3`]);
  });

  it('takes a job back when the queue does not take its ticket', async () => {
    const { id } = await start();
    await world.worker.queue.close(1_000);
    await expect(world.worker.dispatcher.dispatch()).rejects.toThrow('not open');
    expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', leaseUntil: null, owner: null });
  });

  it('cancels a job that waits at once', async () => {
    const { id } = await start();
    expect(await world.jobs.cancel(id, ADA)).toMatchObject({ phase: 'ended', outcome: 'cancelled' });
    expect(await world.worker.dispatcher.dispatch()).toBe(0);
    await expect(world.jobs.cancel(id, ADA)).rejects.toMatchObject({ code: 'job_not_cancellable' });
  });

  it('drops the ticket of a job that was cancelled on its way to the worker', async () => {
    const { id } = await start();
    const [ticket] = await world.worker.rows.dispatch(world.worker.leases.owner, 1);
    await world.jobs.cancel(id, ADA);
    await world.worker.runner.run(ticket!, new AbortController().signal);
    expect(await world.jobs.get(id)).toMatchObject({ outcome: 'cancelled', startedAt: null });
  });

  it('cancels in the middle of a step: the step is cut short and its effect never sent', async () => {
    const door = new Barrier();
    let signal: AbortSignal | undefined;
    strikes.aiming = () => door.pass(signal);
    const take = world.worker.leases.take.bind(world.worker.leases);
    world.worker.leases.take = (...given) => {
      const hold = take(...given);
      signal = hold.signal;
      return hold;
    };
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    expect(await world.jobs.cancel(id, ADA)).toMatchObject({ phase: 'running' });
    expect(await ended(id)).toMatchObject({ outcome: 'cancelled', failure: { facts: { effect: 'none' } } });
    expect(strikes.sent).toEqual([]);
  });

  it('learns of a cancel from another process by its heartbeat', async () => {
    const door = new Barrier();
    strikes.aiming = () => door.pass();
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    await world.db.query('update job set cancel_asked_at = now() where id = $1', [id]);
    expect(await world.worker.leases.sweep()).toEqual({ lost: 0 });
    door.open();
    expect(await ended(id)).toMatchObject({ outcome: 'cancelled' });
  });

  it('refuses a cancel past the point of no return and goes on to a verified end', async () => {
    const door = new Barrier();
    strikes.striking = () => door.pass();
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    await expect(world.jobs.cancel(id, ADA)).rejects.toMatchObject({ code: 'job_not_cancellable' });
    door.open();
    expect(await ended(id)).toMatchObject({ outcome: 'succeeded', cancelAskedAt: null });
  });

  it('lets a worker that lost its lease write nothing', async () => {
    const door = new Barrier();
    strikes.aiming = () => door.pass();
    const slow = world.worker;
    slow.consume();
    const { id } = await start();
    await slow.dispatcher.dispatch();
    await door.reached();
    const held = await world.jobs.get(id);
    await loseLease(id);
    const before = await world.jobs.get(id);
    await expect(slow.rows.save(held, (job) => ({ ...job, attempts: 9 }), { step: 'late' })).rejects.toThrow(LeaseLost);
    door.open();
    await world.eventually(
      () => slow.leases.freeCapacity,
      (free) => free === 20,
    );
    expect(await world.jobs.get(id)).toEqual(before);
    expect(strikes.sent).toEqual([]);
    expect(await world.runToEnd(id)).toMatchObject({ outcome: 'succeeded', epoch: 3 });
    expect(strikes.sent).toHaveLength(1);
  });

  it('tells a worker that lost its lease to let go', async () => {
    const door = new Barrier();
    strikes.aiming = () => door.pass();
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    await loseLease(id);
    expect(await world.worker.leases.sweep()).toEqual({ lost: 1 });
    door.open();
    expect(await world.runToEnd(id)).toMatchObject({ outcome: 'succeeded' });
    expect(strikes.sent).toHaveLength(1);
  });

  it('sends nothing when its process stood still, for longer than a lease, right before the first byte', async () => {
    world.worker.consume();
    const { rows } = world.worker;
    const save = rows.save.bind(rows);
    const real = process.hrtime.bigint.bind(process.hrtime);
    let stoodNs = 0n;
    const time = vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => real() + stoodNs);
    rows.save = async (...given) => {
      const saved = await save(...given);
      if (saved.intent?.state !== 'sent' || stoodNs > 0n) return saved;
      stoodNs = 3_600_000_000_000n;
      await loseLease(saved.id); // another worker has found it by then
      return saved;
    };
    try {
      const { id } = await start();
      await world.worker.dispatcher.dispatch();
      await world.eventually(
        () => world.worker.leases.freeCapacity,
        (free) => stoodNs > 0n && free === 20,
      );
      expect(strikes.sent).toEqual([]);
      expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', epoch: 2 });
    } finally {
      time.mockRestore();
    }
  });

  it('probes and never sends again when a worker is lost after it sent an effect', async () => {
    const door = new Barrier();
    strikes.striking = () => door.pass();
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    expect((await world.jobs.get(id)).intent).toMatchObject({ state: 'sent', before: { struck: 0 } });
    await loseLease(id);
    expect(await world.runToEnd(id)).toMatchObject({ outcome: 'succeeded', intent: { state: 'executed' } });
    door.open();
    expect(strikes.sent).toHaveLength(1);
    expect(strikes.probed).toHaveLength(1);
  });

  it('asks the step again when a worker is lost before it sent an effect', async () => {
    world.worker.consume();
    const { id } = await start();
    const [ticket] = await world.worker.rows.dispatch(world.worker.leases.owner, 1);
    const claimed = await world.worker.rows.claim(ticket!, 'a worker that is gone');
    const open = {
      effect: 'strike',
      state: 'open',
      before: { struck: -1 },
      openedAt: new Date().toISOString(),
    } as const;
    await world.worker.rows.save(claimed!, (job) => ({ ...job, intent: open }), { step: 'aim' });
    await loseLease(id);
    expect(await world.runToEnd(id)).toMatchObject({ outcome: 'succeeded', intent: { before: { struck: 0 } } });
    expect(strikes.sent).toHaveLength(1);
  });

  it('resolves a lost answer by a probe', async () => {
    strikes.answers = false;
    world.worker.consume();
    expect(await world.runToEnd((await start()).id)).toMatchObject({ outcome: 'succeeded' });
    expect([strikes.sent.length, strikes.probed.length]).toEqual([1, 1]);
  });

  it('runs two jobs on one device one after the other, also while the first one waits', async () => {
    strikes.restMs = 600_000;
    world.worker.consume();
    const first = await start();
    const second = await start();
    expect(await world.worker.dispatcher.dispatch()).toBe(1);
    const waiting = await world.eventually(
      () => world.jobs.get(first.id),
      ({ phase }) => phase === 'queued',
    );
    expect(waiting).toMatchObject({ waitReason: 'device_works' });
    expect(await world.worker.dispatcher.dispatch()).toBe(0);
    const firstEnd = await world.runToEnd(first.id);
    const secondEnd = await world.runToEnd(second.id);
    expect(secondEnd.startedAt!.getTime()).toBeGreaterThanOrEqual(firstEnd.endedAt!.getTime());
  });

  it('goes on with a job of a rollout that has begun before it begins one of a person on its device', async () => {
    strikes.restMs = 600_000;
    world.worker.consume();
    const first = await start();
    await world.db.query('update job set is_bulk = true where id = $1', [first.id]);
    expect(await world.worker.dispatcher.dispatch()).toBe(1);
    const waiting = await world.eventually(
      () => world.jobs.get(first.id),
      ({ phase }) => phase === 'queued',
    );
    const second = await start();
    expect(await world.worker.dispatcher.dispatch()).toBe(0);
    world.clock.skipTo(waiting.wakeAt);
    expect(await world.worker.dispatcher.dispatch()).toBe(1);
    const firstEnd = await world.runToEnd(first.id);
    const secondEnd = await world.runToEnd(second.id);
    expect([firstEnd.outcome, secondEnd.outcome]).toEqual(['succeeded', 'succeeded']);
    expect(secondEnd.startedAt!.getTime()).toBeGreaterThanOrEqual(firstEnd.endedAt!.getTime());
  });

  it('hands its jobs back when the process stops, and another worker goes on at once', async () => {
    const door = new Barrier();
    strikes.aiming = () => door.pass();
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    const stopping = world.worker.queue.close(10_000);
    door.open();
    await stopping;
    expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', waitReason: 'worker_stopped', leaseUntil: null });
    const other = await addWorker();
    other.consume();
    expect(await other.dispatcher.dispatch()).toBe(1);
    expect(await ended(id)).toMatchObject({ outcome: 'succeeded' });
    expect(strikes.sent).toHaveLength(1);
  });

  it('sends an effect that waited for its turn when the process stopped, once, from another worker', async () => {
    const door = new Barrier();
    strikes.queueing = async () => {
      await door.pass();
      throw new AppError('call_given_up');
    };
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    expect((await world.jobs.get(id)).intent).toMatchObject({ state: 'sent' });
    const stopping = world.worker.queue.close(10_000);
    door.open();
    await stopping;
    expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', waitReason: 'worker_stopped', intent: null });
    strikes.queueing = () => Promise.resolve();
    const other = await addWorker();
    other.consume();
    expect(await other.dispatcher.dispatch()).toBe(1);
    expect(await ended(id)).toMatchObject({ outcome: 'succeeded' });
    expect(strikes.sent).toHaveLength(1);
    expect(strikes.probed).toEqual([]);
  });

  it('hands back a job whose ticket was delivered twice', async () => {
    const door = new Barrier();
    strikes.aiming = () => door.pass();
    world.worker.consume();
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    await door.reached();
    // As the end of the second delivery does it: BullMQ knows nothing of the first one any more.
    const locks = bullWorkers(world.worker.queue).map(({ lockManager }) => lockManager);
    expect(locks.flatMap((lock) => lock.getTrackedJobIds())).toEqual([`${id}.1`]);
    for (const lock of locks) lock.untrackJob(`${id}.1`);
    const stopping = world.worker.queue.close(10_000);
    door.open();
    await stopping;
    expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', waitReason: 'worker_stopped', leaseUntil: null });
    expect(strikes.sent).toEqual([]);
  });

  it('hands back a job that it was given while it stopped', async () => {
    world.worker.consume();
    const { id } = await start();
    const [ticket] = await world.worker.rows.dispatch(world.worker.leases.owner, 1);
    const { queue } = world.worker;
    const closing = queue.close(10_000);
    // A fetch that was under way when the queue was told to close comes back with a ticket.
    await (queue as unknown as { runTicket(given: unknown, run: unknown): Promise<void> }).runTicket(
      ticket,
      world.worker.runner.run.bind(world.worker.runner),
    );
    await closing;
    expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', waitReason: 'worker_stopped', leaseUntil: null });
    expect(strikes.sent).toEqual([]);
  });

  it('dispatches no more than it can run', async () => {
    for (let count = 0; count < 21; count++) await world.start(await world.addDevice(), 'strike');
    expect(await world.worker.dispatcher.dispatch()).toBe(20);
    expect(await world.worker.dispatcher.dispatch()).toBe(0);
  });

  it('ends a job that nobody came to before its deadline', async () => {
    const { id, deadlineAt } = await start();
    world.clock.skipTo(deadlineAt);
    expect(await world.sweeper.sweep()).toEqual({ returned: 0, overdue: 1 });
    expect(await world.jobs.get(id)).toMatchObject({ outcome: 'not_executed', failure: { code: 'deadline_passed' } });
  });

  it('replaces a worker that has fallen silent', async () => {
    world.worker.consume();
    for (const deaf of bullWorkers(world.worker.queue)) await deaf.pause(true);
    const { id } = await start();
    await world.worker.dispatcher.dispatch();
    const { rows, queue, leases } = world.worker;
    const watchdog = new SilentConsumerSweeper(rows, queue, leases, world.clock, pino({ level: 'silent' }));
    expect(await watchdog.sweep()).toEqual({});
    await world.db.query(`update job set lease_until = clock_timestamp() + interval '15 seconds' where id = $1`, [id]);
    expect(await watchdog.sweep()).toEqual({ replaced: 1 });
    expect(await ended(id)).toMatchObject({ outcome: 'succeeded', epoch: 1 });
    expect(await watchdog.sweep()).toEqual({});
  });

  it('refuses to start a job of a kind that it does not know', async () => {
    await expect(world.start(deviceId, 'polish')).rejects.toMatchObject({ code: 'invalid_input' });
    expect((await world.jobs.list({ limit: 10 }, null)).items).toEqual([]);
  });

  it('puts ids into the queue and nothing else', async () => {
    await start();
    const tickets: unknown[] = [];
    const { queue } = world.worker;
    const add = queue.add.bind(queue);
    queue.add = (given) => {
      tickets.push(...given);
      return add(given);
    };
    await world.worker.dispatcher.dispatch();
    expect(tickets.map((ticket) => Object.keys(ticket as object))).toEqual([['jobId', 'epoch']]);
  });
});

/** What of BullMQ's workers the tests break; `lockManager` is their own secret. */
type BullWorker = Pick<Worker, 'pause'> & {
  readonly lockManager: { getTrackedJobIds(): string[]; untrackJob(id: string): void };
};

const bullWorkers = (queue: JobQueue): BullWorker[] => [
  ...(queue as unknown as { consumers: Map<BullWorker, number> }).consumers.keys(),
];
