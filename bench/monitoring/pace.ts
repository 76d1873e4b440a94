/*
 * C1: does one gateway sample a large fleet in time, and do people notice? How late samples are is looked up in the
 * rows each second: how long the device that waits longest has been due. A person's calls go to bare devices that cost
 * nothing; idle is measured in the same run, before the policy. Logins are those that the routers' own ledger counted
 * after the first sample of each, times the day.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startBareDevices, type BareDevice } from '../bare-devices.js';
import { requestText, startLoad, type LoadResult } from '../load.js';
import { target } from '../passing-through.js';
import { significant } from '../report.js';
import { until, type Installation } from './installation.js';
import { sized, withScene, type Bench, type Scene } from './scene.js';

const EVERY_SECONDS = 240;
const DAY_S = 86_400;
const CALLERS = 4;
const PAUSE_MS = 5;

/** Real seconds of a person's calls at a time. */
const CALLS_S = 3;

/** @param scale 1 in the long form: real time */
export async function measurePace(bench: Bench): Promise<void> {
  const devices = sized(bench, 5_000, 200);
  const scale = sized(bench, 1, 16);
  const bare = await startBareDevices(CALLERS);
  try {
    await withScene(bench, { devices, scale }, async (scene) => {
      const { site } = scene;
      await site.importCsv(bare.csv);
      const idle = await callsOf(site, bare.devices);
      await site.api.post('/v1/monitoring/policies', {
        name: 'simulated',
        selector: '!tag:bare',
        everySeconds: EVERY_SECONDS,
      });
      const sampled = () => site.count('select count(*) from device_sample');
      await until('all routers are sampled', async () => (await sampled()) === devices);
      await site.pass(EVERY_SECONDS); // the first samples of all come at once, with a login each
      await measureRounds(bench, scene, bare.devices, idle);
    });
  } finally {
    await bare.stop();
  }
}

async function callsOf(site: Installation, devices: readonly BareDevice[]): Promise<LoadResult> {
  const load = await startLoad();
  try {
    const headers = { authorization: `Bearer ${site.key}` };
    const requests = devices.map(({ name }) =>
      requestText('GET', target(name, '/api/interfaces/basic/status'), headers),
    );
    const question = { port: Number(new URL(site.url).port), requests, pauseMs: PAUSE_MS };
    await load.ask({ ...question, answers: 1_500 });
    return await load.ask({ ...question, seconds: CALLS_S });
  } finally {
    await load.stop();
  }
}

/** The latest of looks each second: seconds on the clock of the gateway. */
async function watchLag(site: Installation, over: AbortSignal): Promise<{ lag: number; looks: number }> {
  let [lag, looks] = [0, 0];
  for (; !over.aborted; looks++) {
    const late = await site.count(
      `select coalesce(extract(epoch from $1::timestamptz - min(due_at)), 0) as count from monitored_device`,
      [site.now],
    );
    lag = Math.max(lag, late);
    await sleep(1_000);
  }
  return { lag, looks };
}

async function measureRounds(bench: Bench, scene: Scene, bare: readonly BareDevice[], idle: LoadResult): Promise<void> {
  const { site, routers } = scene;
  const over = new AbortController();
  const lags = watchLag(site, over.signal);
  const [before, from] = [await routers.sum(), site.now];
  const busy = [await callsOf(site, bare)];
  await site.pass(sized(bench, 1.5, 1) * EVERY_SECONDS);
  if (!bench.short) busy.push(await callsOf(site, bare));
  const [after, to] = [await routers.sum(), site.now];
  over.abort();
  const seconds = (to.getTime() - from.getTime()) / 1_000;
  const [samples, logins] = [after.samples - before.samples, after.logins - before.logins];
  tell(bench, scene, { ...(await lags), seconds, samples, logins, busy, idle });
}

interface Figures {
  readonly lag: number;
  readonly looks: number;
  /** On the clock of the gateway. */
  readonly seconds: number;
  readonly samples: number;
  readonly logins: number;
  readonly busy: readonly LoadResult[];
  readonly idle: LoadResult;
}

function tell({ report }: Bench, { site, routers }: Scene, { seconds, busy, idle, ...figures }: Figures): void {
  const devices = routers.all.length;
  const what = `${devices.toLocaleString('en-GB')} routers at ${EVERY_SECONDS} s`;
  const add = (name: string, value: number, unit: string, atMost: number, detail: string) =>
    report.add({ id: 'C1', what: `${what}: ${name}`, value, unit, against: '', bound: { atMost }, detail });
  const pace =
    `simulator's ledger: ${figures.samples} samples in ${significant(seconds)} s of the gateway's clock, ` +
    `${site.scale} × real time; ${significant((seconds / EVERY_SECONDS) * devices)} were due`;
  add('lag of samples', figures.lag, 's', 30, `rows, ${figures.looks} looks; ${pace}`);
  const p99 = Math.max(...busy.map(({ p99Ms }) => p99Ms));
  const answers = busy.reduce((sum, run) => sum + run.answers, 0);
  const callers = `at the callers, ${answers} answers: ${significant(p99)} ms against ${significant(idle.p99Ms)} ms idle`;
  add('p99 of a person beside it, to idle', p99 / idle.p99Ms, '×', 2, callers);
  const perDay = (figures.logins / devices) * (DAY_S / seconds);
  const ledger = `simulator's ledger: ${figures.logins} logins in the same time`;
  add('logins for each router and day, after the first', perDay, 'logins', 2, ledger);
}
