/*
 * `npm run bench:templates`, D1 to D11: templates from outside, on simulated routers. Each row says what was counted, where, and how many,
 * or which tests count it. What falls short is a finding and no failure; a row that could not be taken is one.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Gateway } from '../gateway.js';
import { Installation } from '../monitoring/installation.js';
import { type Bench } from '../monitoring/scene.js';
import { Server } from '../monitoring/server.js';
import { Report } from '../report.js';
import { measureByTests, measureEveryOption, type TestedRow } from './by-tests.js';
import { measureFleet } from './watched-fleet.js';

const HELP = `Usage: npm run bench:templates -- [--short] [--only D1,D2] [--output <folder>]

  --short            some minutes, for CI: 200 routers in the place of 5,000, and the short form of tests
  --only D1,D2       these rows alone
  --output <folder>  where the JSON goes (.data/bench)
`;

/** In this order: rows that tests count. */
const TESTED: readonly TestedRow[] = [
  {
    id: 'D3',
    what: 'a change behind our back is named to the option, ours with its audit entry',
    files: ['test/templates/watch-pass.http.spec.ts', 'test/templates/observed.http.spec.ts'],
    detail: 'secrets are fingerprints; rows, events and the log of each test are searched for them',
  },
  {
    id: 'D4',
    what: 'windows and their override',
    files: ['test/rollouts/maintenance-window.spec.ts', 'test/jobs/kinds/reconcile.http.spec.ts'],
    detail:
      'the windows are those of every rollout, shown with other kinds; that `reconcile` runs in a rollout is shown, its window is not',
  },
  {
    id: 'D5',
    what: 'a change that would lock us out',
    files: [
      'test/jobs/kinds/reconcile.http.spec.ts',
      'test/jobs/kinds/configure.spec.ts',
      'test/rollouts/threshold-stop.spec.ts',
    ],
    detail:
      'predicted and taken back by the machinery of `configure`; the threshold is that of every rollout, in its pure rules',
  },
  {
    id: 'D7',
    what: 'what is adopted from routers proposes no write to them',
    files: ['test/templates/adopted-routers.http.spec.ts'],
    detail: 'routers of the recorded families, service by service: 50 in the long form, 6 in the short one',
    form: 'nightly',
  },
  {
    id: 'D8',
    what: 'processes killed and answers lost at every step of `reconcile`',
    files: ['test/jobs/laws/reconcile-laws.nightly.spec.ts'],
    detail: 'the laws of every kind: no double effect, and no half that is not reported',
    form: 'nightly',
  },
  {
    id: 'D9',
    what: 'properties of comparing and planning',
    files: ['test/templates/desired.spec.ts', 'test/templates/sync-state.spec.ts'],
    detail: 'random templates and devices: foreign options untouched, publishing twice, order, overlaps',
    form: 'nightly',
  },
];

/** Each in turn, since they share the cores. */
const ROWS: readonly { readonly ids: readonly string[]; readonly measure: (bench: Bench) => Promise<void> }[] = [
  { ids: ['D6', 'D10', 'D1'], measure: measureFleet },
  { ids: ['D2'], measure: measureEveryOption },
  ...TESTED.map((row) => ({ ids: [row.id], measure: (bench: Bench) => measureByTests(bench, row) })),
  {
    ids: ['D11'],
    measure: () => Promise.reject(new Error('not taken: no program counts the clicks of a newcomer so far')),
  },
];

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: path.join('.data', 'bench') },
    help: { type: 'boolean', default: false },
  },
});

const only = flags.only.split(',').filter((id) => id !== '');
const unknown = only.filter((id) => !ROWS.some(({ ids }) => ids.includes(id)));
if (flags.help || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`There is no row ${unknown.join(', ')}.\n\n`);
  process.stdout.write(HELP);
  process.exit(flags.help ? 0 : 2);
}
// Nothing stays behind: routers end when this process is gone.
const stopAll = async () => {
  await Promise.all([Gateway.removeAll(), Installation.stopAll()]);
  await Server.stopAll();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().finally(() => process.exit(130)));
const report = new Report(flags.short ? 'templates, short form' : 'templates, long form');
const server = await Server.start();
try {
  for (const { ids, measure } of ROWS) {
    if (only.length > 0 && !ids.some((id) => only.includes(id))) continue;
    await measure({ report, short: flags.short, server }).catch((error: unknown) => {
      for (const id of ids)
        report.fail(id, 'the row was not taken', error instanceof Error ? error.message : String(error));
    });
  }
} finally {
  await server.stop();
}
process.stdout.write(`\n${report.table()}\n\n`);
process.stderr.write(`Kept as ${await report.save(flags.output)}\n`);
process.exit(report.failed ? 1 : 0);
