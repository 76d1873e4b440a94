/*
 * P12: does a person who calls one device notice that a fan-out over the complete fleet runs and that jobs do? Four
 * callers send a request every few milliseconds, each to a device that no other caller uses; first alone, then beside the
 * work. The gateway was started again, so that the fan-out opens a connection and logs in on each device, which costs it ten
 * times as much as a call and takes longer than the measurement.
 */
import { fanOut } from './fan-out-client.js';
import { MANY, startCold, type Scene } from './fan-out-scene.js';
import { requestText } from './load.js';
import { median, percentile } from './measuring.js';
import { target, warmUpAnswers } from './passing-through.js';
import { significant } from './report.js';

const CALLERS = 4;
const PAUSE_MS = 5;

/** Jobs are asked for so many at once. */
const STARTS_AT_ONCE = 32;

export async function measureInteractive(scene: Scene): Promise<void> {
  const { gateway, bare, load, report, count, short } = scene;
  const requests = bare.devices
    .slice(0, CALLERS)
    .map(({ name }) => requestText('GET', target(name, '/api/interfaces/basic/status'), gateway.headers()));
  const ask = (seconds: number) => load.ask({ port: gateway.port, requests, seconds, pauseMs: PAUSE_MS });
  const seconds = short ? 1 : 5;
  await startCold(scene);
  await load.ask({ port: gateway.port, requests, answers: warmUpAnswers(short) });
  const idle = await rounds(short ? 2 : 3, () => ask(seconds));

  await startJobs(scene);
  const [selector, devices] = short ? ['tag:bench', count] : ['tag:bench | tag:many', MANY];
  const over = new AbortController();
  const fanOuts = repeat(over.signal, () => fanOut(gateway, selector, devices));
  fanOuts.catch(() => undefined); // looked at when the callers have ended
  const busy = await rounds(short ? 2 : 3, () => ask(seconds));
  const running = await jobsRunning(scene);
  over.abort();
  const done = await fanOuts;

  const p99s = (runs: typeof idle) => runs.map(({ p99Ms }) => p99Ms);
  const p99 = (runs: typeof idle) => median(p99s(runs));
  const what = `GET of a person beside fan-outs over ${devices.toLocaleString('en-GB')} and ${count.toLocaleString('en-GB')} jobs, p99`;
  report.add({
    id: 'P12',
    what,
    value: p99(busy),
    unit: 'ms',
    against: '',
    bound: { atMost: 60 },
    detail: `lower quartile of ${busy.length} runs ${significant(percentile(p99s(busy), 0.25))} ms`,
  });
  report.add({
    id: 'P12',
    what,
    value: p99(busy) / p99(idle),
    unit: '×',
    against: 'the same alone',
    detail: `${significant(p99(busy))} ms against ${significant(p99(idle))} ms; ${done} fan-outs, ${running} jobs running at the end`,
  });
}

async function rounds<Result>(count: number, work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < count) results.push(await work());
  return results;
}

/** One after the other until it is told to stop; returns how many. */
async function repeat(stop: AbortSignal, work: () => Promise<unknown>): Promise<number> {
  let done = 0;
  for (; !stop.aborted; done++) await work();
  return done;
}

/** A backup of each device of the usual number. */
async function startJobs({ gateway, count }: Scene): Promise<void> {
  const page = `/v1/devices?selector=${encodeURIComponent('tag:bench')}&limit=${count}`;
  const { items } = (await gateway.call('GET', page)).body as { items: { id: string }[] };
  const waiting = items.values();
  const starter = async () => {
    for (const { id } of waiting) await gateway.call('POST', `/v1/devices/${id}/jobs`, { kind: 'backup' });
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, starter));
}

async function jobsRunning({ gateway }: Scene): Promise<number> {
  const answer = await fetch(`${gateway.url}/metrics`, { headers: gateway.headers() });
  // Of each process of the machine, where there are several.
  const found = [...(await answer.text()).matchAll(/^fleetgate_jobs_running(?:\{[^}]*\})? (\d+)$/gm)];
  if (found.length === 0) throw new Error('the metrics do not say how many jobs run');
  return found.reduce((sum, [, running]) => sum + Number(running), 0);
}
