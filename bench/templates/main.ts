/*
 * `npm run bench:templates`, D1 to D11: templates from outside, on simulated routers. Each row says what was counted, where, and how many,
 * or which tests count it.
 */
import { takeRows } from '../monitoring/rows.js';
import { type Bench } from '../monitoring/scene.js';
import { measureByTests, measureEveryOption, measureNewcomer, type TestedRow } from './by-tests.js';
import { measureFleet } from './watched-fleet.js';

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
    what: '`reconcile` begins only in its window and cuts nothing',
    files: ['test/jobs/kinds/reconcile.http.spec.ts', 'test/rollouts/maintenance-window.spec.ts'],
    detail:
      'a rollout of `reconcile` with a window, whose job outlasts it; the arithmetic of windows. a window has no override: a job on the device itself does not wait for it, and its reason is in the audit',
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

await takeRows({
  name: 'templates',
  short: 'some minutes, for CI: 200 routers in the place of 5,000, and the short form of tests',
  rows: [
    { ids: ['D6', 'D10', 'D1'], what: 'a watched fleet', measure: measureFleet },
    { ids: ['D2'], what: 'every option of every service', measure: measureEveryOption },
    ...TESTED.map((row) => ({
      ids: [row.id],
      what: row.what,
      measure: (bench: Bench) => measureByTests(bench, row),
    })),
    { ids: ['D11'], what: 'a newcomer closes a gap', measure: measureNewcomer },
  ],
});
