/*
 * `npm run bench:monitoring`, C1 to C11: monitoring from outside, on simulated routers, real receivers and a real Prometheus. Each row says
 * what was counted, where, and how many. What falls short is a finding and no failure; a row that could not be taken is one.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Gateway } from '../gateway.js';
import { Report } from '../report.js';
import { Installation } from './installation.js';
import { measureOutage } from './outage.js';
import { measurePrice } from './price.js';
import { type Bench } from './scene.js';
import { measureScrapes } from './scrape.js';
import { Server } from './server.js';
import { measureSize } from './size.js';

const HELP = `Usage: npm run bench:monitoring -- [--short] [--only C1,C3] [--output <folder>]

  --short            about three minutes, for CI: the same rows with smaller fleets, faster clocks and bounds of their own
  --only C1,C3       these rows alone
  --output <folder>  where the JSON goes (.data/bench)
`;

const ROWS: Readonly<Record<string, readonly [what: string, measure: (bench: Bench) => Promise<void>]>> = {
  C2: ['price and budget', measurePrice],
  C3: ['half of the fleet away', measureOutage],
  C6: ['rules and history of a large fleet', measureSize],
  C8: ['scrapes by Prometheus', measureScrapes],
};

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
  try {
    for (const [id, [what, measure]] of Object.entries(ROWS)) {
      if (only.length > 0 && !only.includes(id)) continue;
      const startedAt = performance.now();
      await measure({ report, short: flags.short, server }).catch((error: unknown) =>
        report.fail(id, what, error instanceof Error ? error.message : String(error)),
      );
      process.stderr.write(`    ${what} took ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
    }
  } finally {
    await server.stop();
  }
  return report;
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
// Postgres stops when this process exits; routers and gateways end when it is gone.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(
    signal,
    () => void Promise.all([Gateway.removeAll(), Installation.stopAll()]).finally(() => process.exit(130)),
  );
}
const report = await run(only);
process.stdout.write(`\n${report.table()}\n\n`);
process.stderr.write(`Kept as ${await report.save(flags.output)}\n`);
process.exit(report.failed ? 1 : 0);
