/*
 * Rows that tests count: a test has the world that a row needs, and says itself what it found. The figure is the number of tests
 * that failed, or what the tests note in a file (`test/support/templates/figures.ts`).
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { NONE, type Bench } from '../monitoring/scene.js';

export interface TestedRow {
  readonly id: string;
  readonly what: string;
  readonly files: readonly string[];
  /** What they show, and what they do not. */
  readonly detail: string;
  /** The form in a long run; in a short one it is the short form. */
  readonly form?: 'long' | 'nightly';
}

const NEWCOMER = 'test/console/templates/newcomer.browser.spec.ts';

interface TestRun {
  readonly passed: number;
  readonly failed: number;
  /** The names of those that failed. */
  readonly failures: readonly string[];
  readonly figures: readonly Readonly<Record<string, unknown>>[];
}

/** @throws Error where no test ran */
export async function measureByTests({ report, short }: Bench, row: TestedRow): Promise<void> {
  const { passed, failed, failures } = await runTests(row.files, short ? 'short' : (row.form ?? 'long'));
  report.add({
    id: row.id,
    what: `${row.what}: tests that fail`,
    value: failed,
    unit: 'tests',
    ...NONE,
    detail: [`${passed + failed} tests of ${row.files.join(', ')}: ${row.detail}`, ...failures].join('; failed: '),
  });
}

/** D2: each option of each service, set by a template and read again. */
export async function measureEveryOption({ report, short }: Bench): Promise<void> {
  const { figures, failed } = await runTests(['test/templates/every-option.http.spec.ts'], short ? 'short' : 'nightly');
  const sum = (name: string) => figures.reduce((total, row) => total + Number(row[name]), 0);
  const families = new Set(figures.map(({ family }) => family));
  const profiles = new Set(figures.map(({ profile }) => profile));
  report.add({
    id: 'D2',
    what: 'options that differ, or are refused, after a template has set them',
    value: figures.length === 0 ? Number.NaN : sum('differences') + sum('refused'),
    unit: 'options',
    ...NONE,
    detail:
      `${sum('cases')} cases by the job \`reconcile\` on simulated routers: ${families.size} families, ${profiles.size} profiles, each service ` +
      `that they declare; ${failed} of the tests failed. Left out: what only the device sets, and deprecated options of the profile \`spec\``,
  });
}

/** D11: a person at the console of the demo, from its overview to the closed gap. Typing and Enter are no clicks. */
export async function measureNewcomer({ report, short }: Bench): Promise<void> {
  const what = 'adopt 10 routers, change an option, publish, close the gap';
  const chromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(chromium))
    throw new Error(`not taken: a browser counts the clicks, and there is none at ${chromium}; set CHROMIUM_PATH`);
  const { figures, passed } = await runTests([NEWCOMER], short ? 'short' : 'long');
  const [figure] = figures.filter(({ row }) => row === 'D11');
  if (!figure || passed === 0)
    throw new Error(`not taken: ${NEWCOMER} failed; run \`npm run test:console -- ${NEWCOMER}\``);
  const detail = `in Chromium, by ${NEWCOMER}; from the overview, with routers as those of the demo and a watch that has read them; fields are typed`;
  const say = (value: unknown, unit: string, atMost: number) =>
    report.add({
      id: 'D11',
      what: `${what}: ${unit}`,
      value: Number(value),
      unit,
      against: '',
      bound: { atMost },
      detail,
    });
  say(figure['clicks'], 'clicks', 12);
  say(Number(figure['seconds']) / 60, 'min', 5);
}

async function runTests(files: readonly string[], form: string): Promise<TestRun> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-figures-'));
  const noted = path.join(folder, 'figures.ndjson');
  try {
    const { CI: _secondRuns, ...own } = process.env;
    const env = { ...own, TEST_FORM: form, FIGURES_FILE: noted };
    const text = await outputOf(process.execPath, ['scripts/test.mjs', ...files], env);
    const [, passed, failed] = /(?:^|\n)(\d+) passed, (\d+) failed/.exec(text) ?? [];
    if (passed === undefined || Number(passed) + Number(failed) === 0)
      throw new Error(`no test ran: ${text.slice(-300)}`);
    const lines = (await readFile(noted, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const figures = lines.map((line) => JSON.parse(line) as TestRun['figures'][number]);
    const failures = text
      .split('\n')
      .filter((line) => line.includes('.spec.ts › '))
      .map((line) => line.trim());
    return { passed: Number(passed), failed: Number(failed), failures, figures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function outputOf(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(-200_000)));
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
