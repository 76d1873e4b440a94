/*
 * `npm run bench:jobs`, P7: jobs that poll their device five times with pauses of two seconds, so many in flight, on both
 * backends of the queue, beside a bare loop that makes the same logins, calls and pauses with the same number in flight; and
 * `call`s through a rollout, beside a bare loop that makes them. Product and loop begin with neither connection nor session,
 * each round, in processes that know the devices; these are the simulator's, in a process of their own.
 *
 * The jobs are put into the database by SQL, all due at one moment, with the commit that starts the clock: what is measured
 * is the engine, not the API. (The one that the others are made like has begun by then.) The loop, and the gateway where it has
 * thousands in flight, have the young memory that `docs/explanation/performance.md` advises for that.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startLoops, type Loops } from './baselines/fan-out-loop.js';
import { fanOut, STATUS_PATH } from './fan-out-client.js';
import { startSimulatedFleet, type FleetDevice, type SimulatedFleet } from './fleet.js';
import { Gateway, type GatewayOptions } from './gateway.js';
import { FIGURES_FILE, PAUSE_MS, POLLS, type InsideFigures } from './jobs-gateway.js';
import { alternate, median, ratio } from './measuring.js';
import { cpuMicros, treeCpuMicros } from './processes.js';
import { startRedis, type BenchRedis } from './redis.js';
import { Report, significant } from './report.js';

const HELP = `Usage: npm run bench:jobs -- [--short] [--only jobs,rollout] [--jobs <n>] [--in-flight <n,n>] [--rounds <n>] [--output <folder>]
                             [--profile <folder>]

  --short            about two minutes, for CI: 200 devices, 100 in flight
  --only jobs        these parts alone
  --jobs <n>         devices, each with one job (10,000)
  --in-flight <n,n>  jobs at once (1,000 and 10,000)
  --rounds <n>       so often, in turns (1)
  --profile <folder> processor profiles of the gateway, a file for each of its starts
`;

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: 'jobs,rollout' },
    jobs: { type: 'string' },
    'in-flight': { type: 'string' },
    rounds: { type: 'string', default: '1' },
    output: { type: 'string', default: path.join('.data', 'bench') },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const JOBS = Number(flags.jobs ?? (flags.short ? 200 : 10_000));
const IN_FLIGHT = (flags['in-flight'] ?? (flags.short ? '100' : '1000,10000')).split(',').map(Number);

/** What `docs/explanation/performance.md` advises for thousands of jobs in flight. */
const THOUSANDS = 5_000;
const IN_THOUSANDS = ['--max-semi-space-size=64'];

const flagsFor = (inFlight: number): readonly string[] => (inFlight >= THOUSANDS ? IN_THOUSANDS : []);

type Backend = 'postgres' | 'redis';

/** One round of the product. */
interface Pass extends InsideFigures {
  readonly ms: number;
  readonly nodeCpuS: number;
  readonly databaseCpuS: number;
  readonly redisCpuS: number;
}

interface Scene {
  readonly report: Report;
  readonly fleet: SimulatedFleet;
  readonly devices: readonly FleetDevice[];
  readonly loops: Loops;
  readonly redis: BenchRedis | null;
}

/** P7 names these. */
function boundOf(backend: Backend, inFlight: number): { bound?: { atMost: number } } {
  if (JOBS < 10_000) return {};
  if (inFlight === 10_000) return backend === 'redis' ? { bound: { atMost: 2 } } : {};
  return { bound: { atMost: backend === 'redis' ? 1.2 : 1.35 } };
}

async function measureJobs(scene: Scene, inFlight: number): Promise<void> {
  const { loops, devices, redis, report } = scene;
  const question = { client: 'undici', devices, cold: true, atOnce: inFlight, path: STATUS_PATH } as const;
  const ways = {
    bare: () => loops.ask({ ...question, times: POLLS, pauseMs: PAUSE_MS }),
    postgres: () => pollThrough(scene, 'postgres', inFlight),
    redis: () => (redis ? pollThrough(scene, 'redis', inFlight) : Promise.resolve(null)),
  };
  const runs = await alternate<keyof typeof ways, number | Pass | null>(ways, Number(flags.rounds));
  const bareMs = runs.bare as number[];
  for (const backend of ['postgres', 'redis'] as const) {
    const passes = (runs[backend] as (Pass | null)[]).filter((pass) => pass !== null);
    if (passes.length === 0) report.skip('P7', rowOf(backend, inFlight), 'no redis-server is installed');
    else tell(report, backend, inFlight, passes, bareMs);
  }
}

const rowOf = (backend: Backend, inFlight: number): string =>
  `${count(JOBS)} jobs of ${POLLS} polls, ${count(inFlight)} in flight, ${backend}`;

function tell(
  report: Report,
  backend: Backend,
  inFlight: number,
  passes: readonly Pass[],
  bareMs: readonly number[],
): void {
  const what = rowOf(backend, inFlight);
  const of = (pick: (pass: Pass) => number) => median(passes.map(pick));
  const times = passes.map(({ ms }) => ms);
  report.add({
    id: 'P7',
    what: `${what}: time`,
    value: ratio(times, bareMs),
    unit: '×',
    against: 'a bare loop',
    ...boundOf(backend, inFlight),
    detail:
      `${significant(median(times) / 1e3)} s against ${significant(median(bareMs) / 1e3)} s; processor time: Node ` +
      `${significant(of(({ nodeCpuS }) => nodeCpuS))} s, database ${significant(of((pass) => pass.databaseCpuS))} s, ` +
      `Redis ${significant(of(({ redisCpuS }) => redisCpuS))} s; ${count(of(({ polls }) => polls))} polls late by ` +
      `${significant(of(({ lateMs }) => lateMs.p50))} ms at p50, ${significant(of(({ lateMs }) => lateMs.p99))} ms at p99, ` +
      `answered ${significant(of(({ answeredMs }) => answeredMs.p50))} and ${significant(of(({ answeredMs }) => answeredMs.p99))} ms ` +
      'after they were due' +
      flagsFor(inFlight)
        .map((flag) => `; ${flag}`)
        .join(''),
  });
  report.add({
    id: 'P7',
    what: `${what}: event loop delay, p99`,
    value: of(({ loopDelayP99Ms }) => loopDelayP99Ms),
    unit: 'ms',
    against: '',
    bound: { atMost: 50 },
    detail: `${passes.length} rounds`,
  });
}

/** A gateway of its own for each round, so that each begins without sessions. */
async function withGateway<Result>(
  scene: Scene,
  options: GatewayOptions,
  work: (gateway: Gateway, db: Client) => Promise<Result>,
): Promise<Result> {
  const profiling = flags.profile ? ['--cpu-prof', `--cpu-prof-dir=${path.resolve(flags.profile)}`] : [];
  const gateway = await Gateway.install({
    ...options,
    program: 'jobs-gateway.js',
    nodeFlags: [...(options.nodeFlags ?? []), ...profiling],
  });
  try {
    await gateway.importCsv(scene.fleet.ready.csv);
    // Each device was called before, so that its key is known; with the restart the sessions are gone.
    await fanOut(gateway, 'tag:bench', JOBS);
    await gateway.restart();
    const db = new Client({ connectionString: await gateway.databaseUrl() });
    await db.connect();
    // Without statistics a database that was filled a moment ago plans for an empty one.
    await db.query('analyze device, device_account');
    try {
      return await work(gateway, db);
    } finally {
      await db.end();
    }
  } finally {
    await gateway.remove();
  }
}

function pollThrough(scene: Scene, backend: Backend, inFlight: number): Promise<Pass> {
  const settings = {
    JOB_CONCURRENCY: String(inFlight),
    ...(backend === 'redis' ? { REDIS_URL: scene.redis!.url, REDIS_PREFIX: `bench-${Date.now()}` } : {}),
  };
  return withGateway(scene, { settings, nodeFlags: flagsFor(inFlight) }, async (gateway, db) => {
    const cpu = async () => ({
      node: (await cpuMicros(gateway.pid)) ?? Number.NaN,
      database: await treeCpuMicros(await gateway.databasePid()),
      redis: backend === 'redis' ? ((await cpuMicros(scene.redis!.pid)) ?? Number.NaN) : 0,
    });
    await preparePolls(gateway, db);
    await readFigures(gateway); // starts them again
    const before = await cpu();
    const startedAt = performance.now();
    await db.query('commit');
    await untilEnded(db, JOBS);
    const ms = performance.now() - startedAt;
    const after = await cpu();
    return {
      ms,
      nodeCpuS: (after.node - before.node) / 1e6,
      databaseCpuS: (after.database - before.database) / 1e6,
      redisCpuS: (after.redis - before.redis) / 1e6,
      ...(await readFigures(gateway)),
    };
  });
}

/** One job is started as people do it, and the others are made like it, in a transaction that is left open. */
async function preparePolls(gateway: Gateway, db: Client): Promise<void> {
  const { rows } = await db.query<{ id: string }>('select id from device order by id limit 1');
  const made = await gateway.call('POST', `/v1/devices/${rows[0]!.id}/jobs`, { kind: 'poll' });
  await db.query('begin');
  await db.query(
    `insert into job (id, device_id, kind, spec, phase, cursor, wake_at, deadline_at, started_by, started_by_name, operator_id,
                      reason, request_id, created_at)
     select gen_random_uuid(), device.id, first.kind, first.spec, 'queued', first.cursor, now(), first.deadline_at,
            first.started_by, first.started_by_name, first.operator_id, first.reason, first.request_id, now()
       from job first cross join device where first.id = $1 and device.id <> first.device_id`,
    [(made.body as { id: string }).id],
  );
}

async function untilEnded(db: Client, jobs: number): Promise<void> {
  const one = async (sql: string) => (await db.query<{ count: number }>(sql)).rows[0]!.count;
  while ((await one(`select exists (select from job where phase <> 'ended')::int as count`)) > 0) await sleep(200);
  const succeeded = await one(`select count(*)::int as count from job where outcome = 'succeeded'`);
  if (succeeded !== jobs) throw new Error(`of ${jobs} jobs ${succeeded} succeeded`);
}

async function readFigures(gateway: Gateway): Promise<InsideFigures> {
  const file = path.join(gateway.dataDir, FIGURES_FILE);
  const before = await readFile(file, 'utf8').catch(() => '');
  process.kill(gateway.pid, 'SIGUSR2');
  for (;;) {
    await sleep(50);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text !== before && text.endsWith('}')) return JSON.parse(text) as InsideFigures;
  }
}

/** `call`s through a rollout: planned, started and ended by the product, beside the calls alone. */
async function measureRollout(scene: Scene): Promise<void> {
  const { loops, devices, report } = scene;
  const atOnce = Math.min(1_000, JOBS);
  const settings = { JOB_CONCURRENCY: String(Math.ceil(atOnce / 0.9)) };
  const runs = await alternate(
    {
      bare: () => loops.ask({ client: 'undici', devices, cold: true, atOnce, path: STATUS_PATH }),
      rollout: () => withGateway(scene, { settings }, (gateway) => rollOut(gateway, atOnce)),
    },
    Number(flags.rounds),
  );
  report.add({
    id: 'P7',
    what: `${count(JOBS)} calls through a rollout, ${count(atOnce)} at once: time`,
    value: ratio(runs.rollout, runs.bare),
    unit: '×',
    against: 'a bare loop',
    detail: `${significant(median(runs.rollout) / 1e3)} s against ${significant(median(runs.bare) / 1e3)} s`,
  });
}

async function rollOut(gateway: Gateway, concurrency: number): Promise<number> {
  const startedAt = performance.now();
  const made = await gateway.call('POST', '/v1/rollouts', {
    name: 'bench',
    kind: 'call',
    spec: { method: 'GET', path: STATUS_PATH },
    selector: 'tag:bench',
    policy: { waves: [{ take: 'rest' }], concurrency, expectedMinutes: 0 },
  });
  const { id, state } = made.body as { id: string; state: string };
  if (state === 'draft') await gateway.call('POST', `/v1/rollouts/${id}/start`);
  for (;;) {
    const look = (await gateway.call('GET', `/v1/rollouts/${id}`)).body as {
      state: string;
      counts: Record<string, number>;
    };
    if (look.state === 'finished' && look.counts['succeeded'] === JOBS) return performance.now() - startedAt;
    if (!['scheduled', 'running'].includes(look.state)) {
      throw new Error(`the rollout is ${look.state}: ${JSON.stringify(look.counts)}`);
    }
    await sleep(250);
  }
}

const count = (value: number): string => value.toLocaleString('en-GB');

if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Gateway.removeAll().finally(() => process.exit(130)));
}
const report = new Report(flags.short ? 'jobs, short form' : 'jobs, long form');
const [fleet, loops, redis] = await Promise.all([
  startSimulatedFleet({ bench: { devices: JOBS } }),
  startLoops(IN_THOUSANDS),
  startRedis(),
]);
const scene: Scene = { report, fleet, devices: fleet.ready.byTag['bench']!, loops, redis };
const parts = flags.only.split(',');
const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
  await work().catch((error: unknown) =>
    report.fail('P7', what, error instanceof Error ? error.message : String(error)),
  );
};
if (parts.includes('jobs')) {
  for (const inFlight of IN_FLIGHT) await attempt(`${inFlight} in flight`, () => measureJobs(scene, inFlight));
}
if (parts.includes('rollout')) await attempt('rollout', () => measureRollout(scene));
await Promise.all([fleet.stop(), loops.stop(), redis?.stop()]);
process.stdout.write(`\n${report.table()}\n\n`);
process.stderr.write(`Kept as ${await report.save(flags.output)}\n`);
process.exit(report.failed ? 1 : 0);
