/*
 * `npm run bench:monitoring`, C1 to C11: monitoring from outside, on simulated routers, real receivers and a real
 * Prometheus. Each row says what was counted, where, and how many. What falls short is a finding and no failure; a row
 * that could not be taken is one.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Gateway } from '../gateway.js';
import { Report } from '../report.js';
import { measureCrashes } from './crashes.js';
import { measureFirmware } from './firmware.js';
import { measureHandshakes } from './handshakes.js';
import { playHistories } from './histories.js';
import { Installation } from './installation.js';
import { measureOutage } from './outage.js';
import { measurePace } from './pace.js';
import { measurePlug } from './plug.js';
import { measurePrice } from './price.js';
import { measureRights } from './rights.js';
import { type Bench } from './scene.js';
import { measureScrapes } from './scrape.js';
import { Server } from './server.js';
import { measureSize } from './size.js';

const HELP = `Usage: npm run bench:monitoring -- [--short] [--only C1,C3] [--output <folder>]

  --short            about three minutes, for CI: the same rows with smaller fleets, faster clocks and bounds of their own
  --only C1,C3       these rows alone
  --output <folder>  where the JSON goes (.data/bench)
`;

interface Row {
  readonly what: string;
  readonly measure: (bench: Bench) => Promise<void>;
  /** It measures no times, so in the short form it may share the cores. */
  readonly counts?: true;
}

const ROWS: Readonly<Record<string, Row>> = {
  C1: { what: 'pace of samples', measure: measurePace },
  C2: { what: 'price and budget', measure: measurePrice, counts: true },
  C3: { what: 'half of the fleet away', measure: measureOutage, counts: true },
  C4: { what: 'deaths at any moment', measure: measureCrashes, counts: true },
  C5: { what: 'histories of a device', measure: playHistories, counts: true },
  C6: { what: 'rules and history of a large fleet', measure: measureSize },
  C7: { what: 'rollout of firmware', measure: measureFirmware, counts: true },
  C8: { what: 'scrapes by Prometheus', measure: measureScrapes },
  C9: { what: 'rights of one site', measure: measureRights, counts: true },
  C10: { what: 'handshakes', measure: measureHandshakes },
  C11: { what: 'from the plug to the message', measure: measurePlug, counts: true },
};

/** Rows of counts that share the cores, in the short form. */
const TOGETHER = 3;

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: path.join('.data', 'bench') },
    help: { type: 'boolean', default: false },
  },
});

async function run(only: readonly string[]): Promise<Report> {
  const report = new Report(flags.short ? 'monitoring, short form' : 'monitoring, long form');
  const server = await Server.start();
  const bench = { report, short: flags.short, server };
  const rows = Object.entries(ROWS).filter(([id]) => only.length === 0 || only.includes(id));
  const isShared = ([, { counts }]: [string, Row]) => flags.short && counts === true;
  try {
    for (const row of rows.filter((one) => !isShared(one))) await take(bench, ...row);
    const waiting = rows.filter(isShared).values();
    const taker = async () => {
      for (const row of waiting) await take(bench, ...row);
    };
    await Promise.all(Array.from({ length: TOGETHER }, taker));
  } finally {
    await server.stop();
  }
  return report;
}

/** Takes one row; what it throws is written down, and the others go on. */
async function take(bench: Bench, id: string, { what, measure }: Row): Promise<void> {
  const startedAt = performance.now();
  await measure(bench).catch((error: unknown) =>
    bench.report.fail(id, what, error instanceof Error ? error.message : String(error)),
  );
  process.stderr.write(`    ${what} took ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}

const only = flags.only.split(',').filter((id) => id !== '');
const unknown = only.filter((id) => !(id in ROWS));
if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (unknown.length > 0) {
  process.stderr.write(`There is no row ${unknown.join(', ')}.\n\n${HELP}`);
  process.exit(2);
}
// Nothing stays behind: routers end when this process is gone.
const stopAll = async () => {
  await Promise.all([Gateway.removeAll(), Installation.stopAll()]);
  await Server.stopAll();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().finally(() => process.exit(130)));
const report = await run(only);
process.stdout.write(`\n${report.table()}\n\n`);
process.stderr.write(`Kept as ${await report.save(flags.output)}\n`);
process.exit(report.failed ? 1 : 0);
