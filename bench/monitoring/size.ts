/*
 * C6: does the database carry a large fleet? Devices, latest values, backups and a week of history are put into it by
 * SQL, in the order of time as samples come. A pass is all eight rules over all devices, timed inside the gateway
 * (`timed-gateway.ts`); a chart is the public route.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Client } from 'pg';
import { addHistory } from '../../test/support/monitoring/sampled-fleet.js';
import { type Gateway } from '../gateway.js';
import { median, percentile } from '../measuring.js';
import { significant } from '../report.js';
import { until } from './installation.js';
import { fillDevices, fillSamples, withFilled } from './filled.js';
import { sized, type Bench } from './scene.js';
import { PASSES_FILE, type TimedPass } from './timed-gateway.js';

/** Those that the set-up makes: they name each kind of term, of devices, samples, backups and certificates. */
const RULES = 8;

const WEEK_S = 7 * 86_400;
const EVERY_SECONDS = 240;

/** The day whose rows are older than what is kept. */
const OLD_DAYS = 20;

export async function measureSize(bench: Bench): Promise<void> {
  await withFilled(bench, 'monitoring/timed-gateway.js', async ({ gateway, db }) => {
    const devices = sized(bench, 50_000, 10_000);
    await fillDevices(db, devices);
    await fillSamples({ gateway, db });
    await measurePasses(bench, gateway, db, devices);
    await addHistory(db, { devices: sized(bench, 500, 50), from: WEEK_S, every: EVERY_SECONDS });
    await measureCharts(bench, gateway, db);
    await measureEmptying(bench, db);
  });
}

async function measurePasses(bench: Bench, gateway: Gateway, db: Client, devices: number): Promise<void> {
  const before = (await passes(gateway)).length;
  await db.query('update alert_rule set enabled = true, for_seconds = 0');
  const rounds = sized(bench, 10, 4);
  const whole = async () => (await passes(gateway)).slice(before).filter(({ judged }) => judged === RULES);
  await until(`${rounds} passes over ${RULES} rules`, async () => (await whole()).length >= rounds);
  const found = await whole();
  const opened = found.reduce((sum, pass) => sum + pass.opened, 0);
  const first = found.find((pass) => pass.opened > 0);
  const rest = found.filter((pass) => pass !== first).map(({ ms }) => ms);
  bench.report.add({
    id: 'C6',
    what: `a pass of ${RULES} rules over ${devices.toLocaleString('en-GB')} devices`,
    value: median(rest) / 1_000,
    unit: 's',
    against: '',
    bound: { atMost: sized(bench, 2, 1) },
    detail:
      `inside the gateway, ${rest.length} passes, longest ${significant(Math.max(...rest))} ms; ` +
      `the one that opened ${opened} alerts ${significant(first?.ms ?? Number.NaN)} ms`,
  });
}

async function passes(gateway: Gateway): Promise<TimedPass[]> {
  const text = await readFile(path.join(gateway.dataDir, PASSES_FILE), 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TimedPass);
}

/** Charts of one device, another one each time. */
async function measureCharts({ report, short }: Bench, gateway: Gateway, db: Client): Promise<void> {
  const from = new Date(Date.now() - WEEK_S * 1_000).toISOString();
  const { rows } = await db.query<{ id: string }>(
    'select distinct device_id as id from device_sample_history limit 30',
  );
  const times: number[] = [];
  let points = 0;
  for (const { id } of rows) {
    const startedAt = performance.now();
    const chart = await gateway.call('GET', `/v1/devices/${id}/sample/history?metric=rsrp&points=600&from=${from}`);
    times.push(performance.now() - startedAt);
    points = (chart.body as { points: readonly unknown[] }).points.length;
  }
  const { rows: sizes } = await db.query<{ count: string }>('select count(*) from device_sample_history');
  report.add({
    id: 'C6',
    what: 'history of 7 days of one device',
    value: percentile(times, 0.9),
    unit: 'ms',
    against: '',
    bound: { atMost: 100 },
    detail:
      `${times.length} requests from outside, p50 ${significant(median(times))} ms, ${points} points; ` +
      `${Number(sizes[0]!.count).toLocaleString('en-GB')} rows${short ? '' : ' of 500 devices'}`,
  });
}

/** Rows of a day that is kept no longer go at once: no row of any partition was ever deleted. */
async function measureEmptying({ report }: Bench, db: Client): Promise<void> {
  await addHistory(db, { devices: 50, from: OLD_DAYS * 86_400, every: EVERY_SECONDS, until: (OLD_DAYS - 1) * 86_400 });
  const old = async () =>
    Number(
      (
        await db.query<{ count: string }>(
          `select count(*) from device_sample_history where at < now() - interval '${OLD_DAYS - 2} days'`,
        )
      ).rows[0]!.count,
    );
  const rows = await old();
  if (rows === 0) throw new Error('there are no old rows to empty');
  await until('the old day is empty', async () => (await old()) === 0, 60_000);
  const { rows: stats } = await db.query<{ deleted: string }>(
    `select coalesce(sum(n_tup_del), 0) as deleted from pg_stat_all_tables where relname like 'device_sample_history%'`,
  );
  report.add({
    id: 'C6',
    what: `an old day emptied: rows deleted one by one`,
    value: Number(stats[0]!.deleted),
    unit: 'rows',
    against: '',
    bound: { atMost: 0 },
    detail: `pg_stat_all_tables (n_tup_del) after ${rows} rows of two old days were gone`,
  });
}
