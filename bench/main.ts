/*
 * `npm run bench`: the gateway from outside, beside bare baselines, in one run. Says what it found as a table of ratios with
 * the targets of docs/explanation/performance.md and keeps it as JSON. A missed target is a finding and no failure: the machine may be
 * busy. A figure that could not be taken is a failure.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { measureAllocations } from './allocations.js';
import { measureCost } from './audit-cost.js';
import { measureLog } from './audit-log.js';
import { startBareDevices } from './bare-devices.js';
import { openScene } from './fan-out-scene.js';
import { measureFanOut } from './fan-out.js';
import { measureUpload } from './firmware.js';
import { Gateway, type GatewayOptions } from './gateway.js';
import { measureInteractive } from './interactive.js';
import { measureKills } from './kills.js';
import { measureMany, measureMixed } from './large-fan-out.js';
import { startLoad, type Load } from './load.js';
import { CONNECTIONS, measureGet, measureLatency, measurePut, type World } from './passing-through.js';
import { measureRegistry } from './registry.js';
import { Report } from './report.js';

const HELP = `Usage: npm run bench -- [--short] [--only P1,P3] [--output <folder>] [--profile <folder>] [--node <path>]
                         [--processes <number>]

  --short             about two minutes, for CI: fewer rounds, 100 devices in place of 1,000 and 10,000
  --only P1,P3        these targets alone
  --output <folder>   where the JSON goes (.data/bench)
  --node <path>       another Node for the gateway and the baselines
  --processes <n>     PROCESSES of the gateway (1)
  --profile <folder>  processor profiles of the gateway, a file for each of its starts
`;

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: path.join('.data', 'bench') },
    profile: { type: 'string' },
    processes: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

/** Targets that need devices and calls, and those that need the registry alone. */
const CALLS = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P8', 'P12', 'P14'];
const REGISTRY = ['P9', 'P10', 'P13'];

/** Targets of the audit. */
const AUDIT = ['P11'];

const only = flags.only.split(',').filter((id) => id !== '');
const unknown = only.filter((id) => ![...CALLS, ...REGISTRY, ...AUDIT].includes(id));
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

/** What needs a fleet. P5 is judged by the figures of P3 and P4. */
async function measureFleet(world: World): Promise<void> {
  const scene = await openScene(world);
  const { report } = world;
  try {
    await attempt(report, ['P3', 'P4', 'P5'], 'fan-outs', async () => {
      const passes = await measureFanOut(scene);
      if (world.short) return report.skip('P5', 'large fan-outs', 'in the long form only');
      await measureMixed(scene);
      await measureMany(scene, passes);
    });
    await attempt(report, ['P12'], 'people beside fan-outs', () => measureInteractive(scene));
  } finally {
    await scene.close();
  }
}

/** What needs the gateway and devices that cost nothing. */
async function measureCalls(report: Report, load: Load, options: GatewayOptions): Promise<void> {
  const bare = await startBareDevices(CONNECTIONS + 2);
  const gateway = await Gateway.install(options);
  const world: World = { gateway, bare, load, report, short: flags.short };
  try {
    await gateway.importCsv(bare.csv);
    await attempt(report, ['P1'], 'GET', () => measureGet(world));
    await attempt(report, ['P1'], 'allocations', () => measureAllocations(world));
    await attempt(report, ['P2'], 'PUT', () => measurePut(world));
    await attempt(report, ['P6'], 'latency', () => measureLatency(world));
    await attempt(report, ['P8'], 'upload', () => measureUpload(world));
    await attempt(report, ['P14'], 'killed processes', () => measureKills(world));
    await attempt(report, ['P3', 'P4', 'P5', 'P12'], 'fleet', () => measureFleet(world));
  } finally {
    await Promise.all([gateway.remove(), bare.stop()]);
  }
}

async function run(): Promise<Report> {
  const report = new Report(flags.short ? 'short form' : 'long form');
  const options: GatewayOptions = {
    settings: { PROCESSES: flags.processes },
    ...(flags.profile ? { nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${path.resolve(flags.profile)}`] } : {}),
  };
  const load = await startLoad();
  await attempt(report, CALLS, 'calls', () => measureCalls(report, load, options));
  await attempt(report, REGISTRY, 'registry', () => measureRegistry(report, load, flags.short, options));
  await attempt(report, AUDIT, 'cost of the audit', () => measureCost(report, load, flags.short, options));
  await attempt(report, AUDIT, 'audit log', () => measureLog(report, flags.short, options));
  await load.stop();
  return report;
}

/** Interrupted: nothing stays behind. Helpers end by themselves when this process has. */
function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void Gateway.removeAll().finally(() => process.exit(130)));
  }
}

if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (unknown.length > 0) {
  process.stderr.write(`There is no measurement for ${unknown.join(', ')}.\n\n${HELP}`);
  process.exit(2);
}
stopOnSignals();
const report = await run();
process.stdout.write(`\n${report.table()}\n\n`);
process.stderr.write(`Kept as ${await report.save(flags.output)}\n`);
process.exit(report.failed ? 1 : 0);
