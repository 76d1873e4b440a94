/*
 * The tests of the console in a browser: Debian's `chromium`, or the one that CHROMIUM_PATH names. Prints what was measured
 * beside its limit, by the rows B1 to B13, and ends with 1 where a row falls short. Arguments choose files of test/console.
 * `--long` or TEST_FORM=long or nightly runs the long form. Both forms measure all rows: the short one looks at events and loads for a
 * shorter time, and with those rules of axe alone in the second and third theme that a theme can change.
 */
import './ensure.mjs';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runTests } from './run-tests.mjs';

const ROWS = {
  B1: 'size of the first load and of each screen',
  B2: '50,000 devices',
  B3: '500 events a second',
  B4: 'accessible in each theme and width, by keyboard alone',
  B5: 'content policy, own origin only',
  B6: 'lists survive a reload and a link',
  B7: 'documented routes only',
  B8: 'a bulk action takes what was previewed, or nothing',
  B9: 'hostile texts are harmless',
  B10: 'a broken event stream is caught up',
  B11: 'clicks of each flow',
  B12: 'the demonstration',
  B13: '5,000 devices with a week of samples',
};

const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
process.exitCode = existsSync(chromium) ? await run() : missing();

function missing() {
  console.log(`SKIPPED: the browser tests did not run, since there is no Chromium at ${chromium}.`);
  console.log('Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.');
  return 0;
}

async function run() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-console-'));
  const figures = path.join(folder, 'figures');
  writeFileSync(figures, '');
  const given = process.argv.slice(2);
  const form = given.includes('--long') ? 'long' : (process.env.TEST_FORM ?? 'short');
  const asked = given.filter((argument) => argument !== '--long');
  const chosen = asked.some((argument) => !argument.startsWith('-')) ? asked : [...asked, 'test/console/'];
  try {
    // One file after the other: they measure, and two browsers on two cores would measure each other.
    const env = { ...process.env, TEST_FORM: form, CHROMIUM_PATH: chromium, CONSOLE_FIGURES: figures };
    const failed = await runTests(['--maxWorkers=1', ...chosen], env);
    const lines = readFileSync(figures, 'utf8').split('\n').filter(Boolean);
    const short = print(lines.map((line) => JSON.parse(line)));
    return failed || short.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line for each figure: of those that were taken several times, the worst. @returns the rows that fall short */
function print(figures) {
  const short = [];
  console.log('');
  for (const [row, title] of Object.entries(ROWS)) {
    const own = figures.filter((figure) => figure.row === row);
    if (own.length === 0) {
      console.log(`${row.padEnd(4)} ${title}: not measured`);
      continue;
    }
    const holds = own.every(({ value, limit, isOnlyPrinted }) => isOnlyPrinted || value <= limit);
    if (!holds) short.push(row);
    console.log(`${row.padEnd(4)} ${title}: ${holds ? 'holds' : 'FALLS SHORT'}`);
    for (const what of new Set(own.map((figure) => figure.what))) {
      const same = own.filter((figure) => figure.what === what);
      const { value, limit } = same.reduce((worst, figure) =>
        figure.value - figure.limit > worst.value - worst.limit ? figure : worst,
      );
      console.log(
        `       ${what}: ${value} (at most ${limit})${same.length > 1 ? `, the worst of ${same.length}` : ''}`,
      );
    }
  }
  return short;
}
