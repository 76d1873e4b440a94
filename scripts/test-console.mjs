/*
 * The tests of the console in a browser: Debian's `chromium`, or the one that CHROMIUM_PATH names. Prints what was measured
 * beside its limit, by the rows B1 to B13, and ends with 1 where a row falls short. Arguments choose files of test/console.
 * `--long` or TEST_FORM=long or nightly runs the long form. Both forms measure all rows: the short one looks at events and loads for a
 * shorter time, and with those rules of axe alone in the second and third theme that a theme can change. CONSOLE_TIMES=print, as in
 * CI, only prints the times; what failed is said last.
 */
import './ensure.mjs';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { printFigures } from './console-figures.mjs';
import { runTests } from './run-tests.mjs';

const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
process.exitCode = existsSync(chromium) ? await run() : missing();

function missing() {
  console.log(`SKIPPED: the browser tests did not run, since there is no Chromium at ${chromium}.`);
  console.log('Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.');
  return 0;
}

async function run() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-console-'));
  const [figures, failures] = ['figures', 'failures'].map((name) => path.join(folder, name));
  for (const file of [figures, failures]) writeFileSync(file, '');
  const given = process.argv.slice(2);
  const form = given.includes('--long') ? 'long' : (process.env.TEST_FORM ?? 'short');
  const asked = given.filter((argument) => argument !== '--long');
  const chosen = asked.some((argument) => !argument.startsWith('-')) ? asked : [...asked, 'test/console/'];
  try {
    const paths = { CHROMIUM_PATH: chromium, CONSOLE_FIGURES: figures, FAILED_TESTS: failures };
    // Two browsers on two cores would measure each other. Where times are only printed, they save a third of the time.
    const workers = process.env.CONSOLE_TIMES === 'print' ? 2 : 1;
    const failed = await runTests([`--maxWorkers=${workers}`, ...chosen], {
      ...process.env,
      TEST_FORM: form,
      ...paths,
    });
    const lines = readFileSync(figures, 'utf8').split('\n').filter(Boolean);
    const short = printFigures(lines.map((line) => JSON.parse(line)));
    if (failed) console.log(`\nFailed:\n${readFileSync(failures, 'utf8')}`);
    if (short.length > 0) console.log(`\nFall short:\n${short.join('\n')}`);
    return failed || short.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
