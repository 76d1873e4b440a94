/*
 * `npm run test:steady -- 5`: runs the short form of the tests so many times beside two busy loops, without second runs, and
 * prints each failure. Ends with 1 where a run was not green. Further arguments choose files, as for `npm test`.
 */
import './ensure.mjs';
import { spawn } from 'node:child_process';
import { ENDED, runTests } from './run-tests.mjs';

const BUSY_LOOPS = 2;

const [count = '5', ...asked] = process.argv.slice(2);
const rounds = Number(count);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`How often? npm run test:steady -- 5; not ${count}.`);
  process.exit(2);
}

const { CI: _secondRuns, ...env } = process.env;
const loops = Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ['-e', 'while (true);']));
process.on('exit', () => loops.forEach((loop) => loop.kill('SIGKILL')));

const results = [];
for (let round = 1; round <= rounds; round++) {
  const began = performance.now();
  const status = await runTests(
    asked,
    { ...env, TEST_FORM: 'short', TESTS_COMPILED: String(round > 1) },
    /\.(long|browser|nightly)\.spec/,
  );
  results.push(
    `run ${round}: ${status === 0 ? 'green' : 'NOT GREEN'}, ${Math.round((performance.now() - began) / 1000)} s`,
  );
  if (status !== 0) process.exitCode = 1;
  if (status === ENDED) break;
}
console.log(results.join('\n'));
process.exit();
