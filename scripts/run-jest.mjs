import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The code is ECMAScript modules, which Jest can only run with a flag of Node; a new process is the way to set it. */
const NODE_FLAGS = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning'];

/**
 * Runs Jest and prints `N passed, N failed` as the last line, after everything has been shut down.
 * @param {string[]} args of Jest
 * @param {NodeJS.ProcessEnv} env of the tests
 * @returns {Promise<number>} the exit code
 */
export async function runTests(args, env) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-results-'));
  const results = path.join(folder, 'results.json');
  try {
    const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
    const jestArgs = ['--json', `--outputFile=${results}`, ...args];
    const child = spawn(process.execPath, [...NODE_FLAGS, jest, ...jestArgs], { cwd: root, env, stdio: 'inherit' });
    const status = await endOf(child);
    const failed = summarize(results);
    return status || (failed ? 1 : 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits for Jest also through a signal, so that what it started is stopped before this process ends. */
function endOf(child) {
  process.on('SIGINT', () => {}); // a terminal has sent it to Jest as well
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** @returns {boolean} whether anything failed */
function summarize(file) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return false; // --version, --help and the like run no tests; a crash has its exit code
  }
  // A file that could not be loaded has no tests that could fail; it counts as one.
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const left = results.numPendingTests + results.numTodoTests;
  if (left > 0) console.log(`${left} skipped`);
  console.log(`${results.numPassedTests} passed, ${failed} failed`);
  return failed > 0;
}
