import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { type FaultInput } from '../../../src/simulator/device/faults.js';
import { judge, startPatiently } from './judge.js';
import { KIND_CASES, type KindCase } from './kind-cases.js';
import { startKindWorld, type JobView, type KindWorld } from './kind-world.js';
import { ended, startReady, startWorker, type WorkerDeath } from './law-workers.js';
import { queueBackends, type QueueBackend } from './queue-backends.js';

/*
 * The laws that every kind of job keeps, on both queue backends:
 *
 *   whichever one answer is lost     the job ends, tells the truth, and no effect takes place twice
 *   whichever one request is lost    the same
 *   a SIGKILL at every save          the same: a worker dies before and after the commit of each save of the intent
 *   a SIGKILL, a clean stop          another worker goes on within 45 s, or 5 s
 *
 * The truth is what the ledger of the simulated device says. A kind gives its spec and says what the ledger must hold.
 */

/** How soon another worker must go on with a job: a lease and what it takes to notice, and next to nothing. */
const RESUMED_WITHIN_MS = { SIGKILL: 45_000, SIGTERM: 5_000 } as const;

/** The chances of the fleet; a run that failed is made again with its seed. */
const SEED = Number(process.env['LAWS_SEED'] ?? Date.now() % 1_000_000);

/** Declares the tests of a kind. Call it at the top of a spec file. */
export function describeLaws(kind: string): void {
  const given = KIND_CASES.find((one) => one.kind === kind)!;
  describe.each(queueBackends())(`the kind ${given.kind} on a $backend queue`, (backend) => {
    let kills = 0;
    const resumedMs: string[] = [];
    afterAll(() => {
      const resumed = resumedMs.length === 0 ? '' : `, resumed ${resumedMs.join(', ')}`;
      process.stderr.write(`${given.kind} on ${backend.backend}: ${kills} kills, seed ${SEED}${resumed}\n`);
    });

    it.each(['lost-answer', 'reset-before'] as const)('ends with the truth after any one %s', async (fault) => {
      const plain = await requestsOf(given, backend);
      const faults = Array.from({ length: plain }, (_, skip): FaultInput => ({ kind: fault, skip, count: 1 }));
      const world = await open(given, backend, faults.length);
      try {
        const jobs = await Promise.all(faults.map((rule, index) => run(given, world, index, rule)));
        expect(plain).toBeGreaterThan(1);
        jobs.forEach((job, index) => judge(given, world, index, job, `${fault} ${index}`));
        if (fault === 'lost-answer') expect(jobs.filter(({ outcome }) => outcome === 'succeeded')).not.toEqual([]);
      } finally {
        await world.close();
      }
    });

    it('goes on after a SIGKILL before and after each save, and has its effects once', async () => {
      const world = await open(given, backend, 1, { ROLE: 'api' });
      try {
        const { job, deaths } = await runAmongDeaths(given, world, ['before', 'after']);
        kills += deaths;
        expect(deaths).toBeGreaterThan(3);
        judge(given, world, 0, job, 'killed at every save');
        expect(job).toMatchObject({ outcome: 'succeeded' });
      } finally {
        await world.close();
      }
    });

    it('tells the truth of an effect that was noted as sent and never went out', async () => {
      const world = await open(given, backend, 1, { ROLE: 'api' });
      try {
        const { job, deaths } = await runAmongDeaths(given, world, ['sent']);
        kills += deaths;
        expect(deaths).toBeGreaterThan(0);
        judge(given, world, 0, job, 'killed after sent');
      } finally {
        await world.close();
      }
    });

    it('is gone on with by another worker, soon after a SIGKILL and at once after a clean stop', async () => {
      const world = await open(given, backend, 2, { ROLE: 'api' });
      const workers: ChildProcess[] = [];
      try {
        workers.push(await startReady(world), await startReady(world));
        for (const [index, signal] of (['SIGKILL', 'SIGTERM'] as const).entries()) {
          const ms = await resumedAfter(given, world, index, workers, signal);
          resumedMs.push(`${(ms / 1000).toFixed(1)} s after a ${signal}`);
          if (signal === 'SIGKILL') kills++;
          expect(ms).toBeLessThan(RESUMED_WITHIN_MS[signal]);
        }
      } finally {
        for (const worker of workers) await ended(worker, 'SIGKILL');
        await world.close();
      }
    });
  });
}

/**
 * Ends the worker that has a job in its hands, and lets the job come to its end.
 * @returns milliseconds until another one had the job: since the worker was killed, or was told to stop, however long it
 *   takes for that
 */
async function resumedAfter(
  given: KindCase,
  world: KindWorld,
  index: number,
  workers: ChildProcess[],
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<number> {
  const spec = (await given.spec?.(world, index)) ?? {};
  // The device says nothing for a while, so that the job is in the worker's hands when that one ends.
  world.fleet.devices[index]!.faults.add({ kind: 'hang', count: 1 });
  const jobId = await startPatiently(given, world, index, spec);
  const first = await ownerOf(world, jobId, null);
  const isFirst = ({ pid }: ChildProcess) => first.includes(`:${pid}:`);
  const doomed = workers.find(isFirst)!;
  const toldAt = Date.now();
  const exit = ended(doomed, signal);
  await ownerOf(world, jobId, first);
  const ms = Date.now() - toldAt;
  await exit;
  workers.push(await startReady(world));
  judge(given, world, index, await world.ended(jobId), `gone on with after a ${signal}`);
  return ms;
}

/** Who has the job in hand, once it is somebody else than before. */
async function ownerOf(world: KindWorld, jobId: string, before: string | null): Promise<string> {
  for (;;) {
    const [row] = await world.db.query<{ owner: string | null; phase: string }[]>(
      'select owner, phase from job where id = $1',
      [jobId],
    );
    const { owner, phase } = row!;
    if (phase === 'running' && owner !== null && owner !== before) return owner;
    if (phase === 'ended') throw new Error('The job ended before anybody could be stopped');
    await pause(20);
  }
}

function open(given: KindCase, backend: QueueBackend, devices: number, env: Record<string, string> = {}) {
  const fleet = { family: 'RUTX50', profile: 'rutos', ...given.fleet } as const;
  const queue = { REDIS_URL: backend.redisUrl ?? '' }; // an empty setting is none
  return startKindWorld({ ...fleet, devices, seed: SEED }, { ...queue, ...env });
}

/** How many requests a run without trouble makes. */
async function requestsOf(given: KindCase, backend: QueueBackend): Promise<number> {
  const world = await open(given, backend, 1);
  try {
    const job = await run(given, world, 0);
    expect(job).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(given.isDone(world, 0)).toBe(true);
    return world.fleet.ledger.summary(0).requests;
  } finally {
    await world.close();
  }
}

async function run(given: KindCase, world: KindWorld, index: number, fault?: FaultInput): Promise<JobView> {
  const spec = (await given.spec?.(world, index)) ?? {};
  if (fault) world.fleet.devices[index]!.faults.add(fault);
  return world.ended(await startPatiently(given, world, index, spec));
}

/** Starts a job whose workers die in turn, each in its own way, until it has ended. */
async function runAmongDeaths(given: KindCase, world: KindWorld, ways: readonly WorkerDeath['dies'][]) {
  const spec = (await given.spec?.(world, 0)) ?? {};
  const jobId = await startPatiently(given, world, 0, spec);
  const passes = new Set<string>();
  let deaths = 0;
  for (;;) {
    const hasDied = await untilDeathOrEnd(world, jobId, ways[deaths % ways.length]!, [...passes]);
    const job = await world.get(jobId);
    if (!hasDied || job.phase === 'ended') return { job, deaths: deaths + (hasDied ? 1 : 0) };
    deaths++;
    const [row] = await world.db.query<{ opened: string | null }[]>(
      `select intent->>'effect' as opened from job where id = $1 and intent->>'state' = 'open'`,
      [jobId],
    );
    if (row?.opened) passes.add(row.opened);
    // As if the lease of the dead worker had run out: half a minute that a test need not spend. And as if no worker had been
    // lost before it: two die at each place here, and the intent has to bear more than quarantine lets happen.
    await world.db.query(
      `update job set lease_until = clock_timestamp(), lost_workers = 0 where phase in ('dispatched', 'running') and id = $1`,
      [jobId],
    );
  }
}

/** One worker process. @returns whether it killed itself before the job had ended */
async function untilDeathOrEnd(
  world: KindWorld,
  jobId: string,
  dies: WorkerDeath['dies'],
  passes: readonly string[],
): Promise<boolean> {
  const child = startWorker(world, { dies, passes });
  const said: string[] = [];
  child.stderr!.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const watch = new AbortController();
  const end = untilEnded(world, jobId, watch.signal);
  const first = await Promise.race([exit, end]);
  watch.abort();
  if (first === 'ended') {
    // It may be killing itself right now, after the save that ended the job.
    if (dies === 'after') await Promise.race([exit, pause(1_000)]);
    const isAlive = child.exitCode === null && child.signalCode === null;
    if (isAlive) child.kill('SIGKILL');
    await exit;
    return !isAlive;
  }
  const [code, signal] = await exit;
  if (signal !== 'SIGKILL') throw new Error(`A worker ended by itself (${code}):\n${said.join('')}`);
  return true;
}

async function untilEnded(world: KindWorld, jobId: string, signal: AbortSignal): Promise<'ended' | 'given up'> {
  while (!signal.aborted) {
    if ((await world.get(jobId)).phase === 'ended') return 'ended';
    await pause(100);
  }
  return 'given up';
}
