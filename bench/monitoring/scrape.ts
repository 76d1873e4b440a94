/*
 * C8: what does a scrape of the whole fleet cost the gateway, and do people notice it? Processor time is that of the
 * gateway's process in /proc, while it is scraped again and again, less what it takes in the same time alone. A real
 * Prometheus reads the same address: it says whether it could parse all of it, and how many series it has.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBareDevices } from '../bare-devices.js';
import { type Gateway } from '../gateway.js';
import { requestText, startLoad } from '../load.js';
import { target } from '../passing-through.js';
import { cpuMicros } from '../processes.js';
import { significant } from '../report.js';
import { fillDevices, fillSamples, withFilled, type Filled } from './filled.js';
import { until } from './installation.js';
import { NONE, sized, type Bench } from './scene.js';

const SCRAPE = '/v1/metrics/devices';
const CALLERS = 4;
const PAUSE_MS = 5;

/** Rest between two scrapes: none of them waits for the other. */
const REST_MS = 500;

export async function measureScrapes(bench: Bench): Promise<void> {
  const devices = sized(bench, 5_000, 1_000);
  await withFilled(bench, undefined, async (filled) => {
    await fillDevices(filled.db, devices);
    await fillSamples(filled);
    const bare = await startBareDevices(CALLERS);
    try {
      await filled.gateway.importCsv(bare.csv);
      await measureCost(bench, filled.gateway, devices);
      await measurePeople(
        bench,
        filled.gateway,
        bare.devices.map(({ name }) => name),
      );
      await readByPrometheus(bench, filled);
    } finally {
      await bare.stop();
    }
  });
}

interface Scraped {
  readonly bytes: number;
  readonly series: number;
}

async function scrape(gateway: Gateway): Promise<Scraped> {
  const headers = { ...gateway.headers(), 'accept-encoding': 'gzip' };
  const answer = await fetch(gateway.url + SCRAPE, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`a scrape answered ${answer.status}: ${text.slice(0, 300)}`);
  if (!text.endsWith('# EOF\n')) throw new Error('a scrape has no end');
  return { bytes: text.length, series: Number(answer.headers.get('x-fleetgate-series')) };
}

async function measureCost(bench: Bench, gateway: Gateway, devices: number): Promise<void> {
  for (let round = 0; round < 5; round++) await scrape(gateway);
  const rounds = sized(bench, 20, 4);
  const cpu = async () => (await cpuMicros(gateway.pid)) ?? Number.NaN;
  const start = await cpu();
  const startedAt = performance.now();
  let last: Scraped = { bytes: 0, series: 0 };
  for (let round = 0; round < rounds; round++) {
    last = await scrape(gateway);
    await sleep(REST_MS);
  }
  const busy = (await cpu()) - start;
  const tookMs = performance.now() - startedAt;
  await sleep(sized(bench, 10_000, 2_000));
  const idle = ((await cpu()) - start - busy) * (tookMs / sized(bench, 10_000, 2_000));
  bench.report.add({
    id: 'C8',
    what: `processor time of the gateway for a scrape of ${devices.toLocaleString('en-GB')} devices`,
    value: (busy - idle) / rounds / 1e6,
    unit: 's',
    against: '',
    bound: { atMost: sized(bench, 0.6, 0.12) },
    detail:
      `/proc, ${rounds} scrapes with gzip, less ${significant(idle / 1e6)} s of it alone; ` +
      `${last.series.toLocaleString('en-GB')} series, ${significant(last.bytes / 1e6)} MB of text`,
  });
}

/** P12 beside scrapes without a pause. */
async function measurePeople(bench: Bench, gateway: Gateway, names: readonly string[]): Promise<void> {
  const load = await startLoad();
  try {
    const requests = names.map((name) =>
      requestText('GET', target(name, '/api/interfaces/basic/status'), gateway.headers()),
    );
    const question = { port: gateway.port, requests, pauseMs: PAUSE_MS };
    await load.ask({ ...question, answers: 1_500 });
    const idle = await load.ask({ ...question, seconds: sized(bench, 10, 3) });
    const over = new AbortController();
    const scrapes = repeat(over.signal, () => scrape(gateway));
    const busy = await load.ask({ ...question, seconds: sized(bench, 20, 4) });
    over.abort();
    bench.report.add({
      id: 'C8',
      what: 'GET of a person beside scrapes without a pause, p99',
      value: busy.p99Ms,
      unit: 'ms',
      against: '',
      bound: { atMost: 60 },
      detail:
        `at the callers: ${busy.answers} answers, ${await scrapes} scrapes; alone ${significant(idle.p99Ms)} ms ` +
        `of ${idle.answers} answers`,
    });
  } finally {
    await load.stop();
  }
}

async function repeat(stop: AbortSignal, work: () => Promise<unknown>): Promise<number> {
  let done = 0;
  for (; !stop.aborted; done++) await work();
  return done;
}

/** Its own words about the target, and what is left of a device that is removed. */
async function readByPrometheus({ report }: Bench, { gateway, db }: Filled): Promise<void> {
  const prometheus = await Prometheus.start(gateway);
  try {
    await until('Prometheus has scraped', async () => (await prometheus.value('up')) !== null, 30_000);
    await until(
      'Prometheus has stored a scrape',
      async () => (await prometheus.value('scrape_samples_scraped')) !== null,
    );
    const { series } = await scrape(gateway);
    const isUp = await prometheus.value('up');
    const scraped = (await prometheus.value('scrape_samples_scraped')) ?? 0;
    const offline = (await prometheus.value('count(fleetgate_device_up == 0)')) ?? 0;
    const { rows } = await db.query<{ id: string; name: string; away: string }>(
      `select id, name, (select count(*) from device where state = 'offline') as away from device where name like 'router-%' limit 1`,
    );
    const [gone] = rows;
    await gateway.call('DELETE', `/v1/devices/${gone!.id}`);
    const left = () => prometheus.value(`count({device="${gone!.name}"})`);
    await until('the removed device is gone', async () => (await left()) === null, 60_000).catch(() => undefined);
    const differ = Math.abs(scraped - series) + Math.abs(offline - Number(gone!.away)) + ((await left()) ?? 0);
    report.add({
      id: 'C8',
      what: 'series that a real Prometheus lacks, misread, or has of a removed device',
      value: isUp === 1 ? differ : Number.NaN,
      unit: 'series',
      ...NONE,
      detail:
        `Prometheus' own API: up ${isUp}, ${scraped} samples of ${series} series, ${offline} devices not up of ${gone!.away}; ` +
        'promtool and amtool checks are in the tests of docs/monitoring',
    });
  } finally {
    await prometheus.stop();
  }
}

class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly folder: string,
  ) {}

  /** @throws Error where it is not installed */
  static async start(gateway: Gateway): Promise<Prometheus> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-prometheus-'));
    const address = `127.0.0.1:${await freePort()}`;
    const lines = [
      'global: { scrape_interval: 3s, scrape_timeout: 3s }',
      `scrape_configs: [{ job_name: fleetgate, metrics_path: ${SCRAPE}, authorization: { credentials: ${gateway.key} },`,
      `  static_configs: [{ targets: ['127.0.0.1:${gateway.port}'] }] }]`,
    ];
    await writeFile(path.join(folder, 'prometheus.yml'), `${lines.join('\n')}\n`, { mode: 0o600 });
    const flags = [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${address}`,
    ];
    const child = spawn('prometheus', flags, { stdio: 'ignore' });
    const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
    failed.catch(() => undefined);
    const prometheus = new Prometheus(child, `http://${address}`, folder);
    const answers = () =>
      fetch(`http://${address}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await Promise.race([failed, until('Prometheus answers', answers, 30_000)]);
    return prometheus;
  }

  /** The value of an instant query that has one result; null: it has none. */
  async value(query: string): Promise<number | null> {
    const answer = await fetch(`${this.url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = (await answer.json()) as { data: { result: readonly { value: [number, string] }[] } };
    return data.result[0] ? Number(data.result[0].value[1]) : null;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
