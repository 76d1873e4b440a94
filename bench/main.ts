/*
 * `npm run bench`: the gateway from outside, beside bare baselines, in one run. Says what it found as a table of ratios with
 * the targets of docs/performance.md and keeps it as JSON. A missed target is a finding and no failure: the machine may be
 * busy. A figure that could not be taken is a failure.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBareDevices } from './bare-devices.js';
import { Gateway } from './gateway.js';
import { startLoad } from './load.js';
import { CONNECTIONS, measureLatency, measureProxying, type World } from './passing-through.js';
import { Report } from './report.js';

const HELP = `Usage: npm run bench -- [--short] [--only P1,P3] [--output <folder>] [--profile <folder>]

  --short             about a minute, for CI: fewer rounds, 200 devices in place of 1,000
  --only P1,P3        these targets alone
  --output <folder>   where the JSON goes (.data/bench)
  --profile <folder>  processor profiles of the gateway, a file for each of its starts
`;

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: path.join('.data', 'bench') },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const only = flags.only.split(',').filter((id) => id !== '');
const wanted = (...ids: string[]) => only.length === 0 || ids.some((id) => only.includes(id));

/** Makes one measurement; what it throws is written down, and the others go on. */
async function attempt(
  report: Report,
  ids: readonly string[],
  what: string,
  measure: () => Promise<void>,
): Promise<void> {
  if (!wanted(...ids)) return;
  const startedAt = performance.now();
  try {
    await measure();
  } catch (error) {
    report.fail(ids.join(' '), what, error instanceof Error ? error.message : String(error));
  }
  process.stderr.write(`    ${what} took ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

async function run(): Promise<Report> {
  const report = new Report(flags.short ? 'short form' : 'long form');
  const options = flags.profile ? { nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${path.resolve(flags.profile)}`] } : {};
  const gateway = await Gateway.install(options);
  const bare = await startBareDevices(CONNECTIONS + 2);
  const load = await startLoad();
  const world: World = { gateway, bare, load, report, short: flags.short };
  try {
    await gateway.importCsv(bare.csv);
    await attempt(report, ['P1', 'P2'], 'passing through', () => measureProxying(world));
    await attempt(report, ['P6'], 'latency', () => measureLatency(world));
  } finally {
    await Promise.all([gateway.remove(), bare.stop(), load.stop()]);
  }
  return report;
}

if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const report = await run();
process.stdout.write(`\n${report.table()}\n\n`);
process.stderr.write(`Kept as ${await report.save(flags.output)}\n`);
process.exit(report.failed ? 1 : 0);
