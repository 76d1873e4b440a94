import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.mjs';
import { keepTemporaryFilesInMemory } from './temporary-folder.mjs';

keepTemporaryFilesInMemory();

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = (...parts) => path.join(root, 'node_modules', ...parts);

/** Options of Vitest that take the next argument as their value. */
const WITH_VALUE = new Set(['-t', '--testNamePattern']);

/** The exit code of a run that a person has ended: no further run follows. */
export const ENDED = 130;

/**
 * Compiles the tests and runs them with Vitest. `N passed, N failed` is the last line. In CI each file with a failure runs once more,
 * from its start and one after the other, and the summary names what passed then as flaky.
 * @param {string[]} asked regular expressions for the paths of files, such as `test/jobs/`, and options of Vitest
 * @param {NodeJS.ProcessEnv} env of the tests
 * @param {RegExp} [except] files that are left out
 * @returns {Promise<number>} the exit code
 */
export async function runTests(asked, env, except) {
  const { files, options } = readArguments(asked);
  const chosen = specFiles().filter((file) => files.some((wanted) => wanted.test(file)) && !except?.test(file));
  if (chosen.length === 0) {
    console.error(`No test file matches ${files.join(' or ')}.`);
    return 1;
  }
  if (env.TESTS_COMPILED !== 'true') {
    await generate();
    compileTests();
  }
  const compiled = chosen.map((file) => path.join('dist.test', file.replace(/\.ts$/, '.js')));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-tests-'));
  try {
    const first = path.join(folder, 'first-run.json');
    const status = await vitest([...options, ...compiled], { ...env, SUMMARY_OF_RUN: first });
    if (status === 0 || status === ENDED || !env.CI || !existsSync(first)) return status;
    const { failedFiles } = JSON.parse(readFileSync(first, 'utf8'));
    if (failedFiles.length === 0) return status;
    console.log(`\nOnce more, one after the other:\n  ${failedFiles.join('\n  ')}\n`);
    const others = options.filter((option) => !option.startsWith('--maxWorkers'));
    return await vitest([...others, '--maxWorkers=1', ...failedFiles], { ...env, SUMMARY_OF_FIRST_RUN: first });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function vitest(args, env) {
  const command = [tool('vitest', 'vitest.mjs'), 'run', ...args];
  return endOf(spawn(process.execPath, command, { cwd: root, env, stdio: 'inherit' }));
}

function readArguments(asked) {
  const files = [];
  const options = [];
  for (let at = 0; at < asked.length; at++) {
    if (!asked[at].startsWith('-')) files.push(new RegExp(asked[at]));
    else if (WITH_VALUE.has(asked[at])) options.push(asked[at], asked[++at] ?? '');
    else options.push(asked[at]);
  }
  return { files: files.length > 0 ? files : [/./], options };
}

const specFiles = () =>
  readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .map((file) => path.posix.join('test', ...file.split(path.sep)))
    .sort();

/** Compiles the tests, and with them all sources. It only translates: `npm run typecheck` looks at types. */
export function compileTests() {
  const compiler = tool('typescript7', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.tests.json', '--noCheck'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Waits for Vitest also through a signal, so that what it started is stopped before this process ends. */
function endOf(child) {
  let isEnded = false;
  process.on('SIGINT', () => (isEnded = true)); // a terminal has sent it to Vitest as well
  for (const signal of ['SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      isEnded = true;
      child.kill(signal);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(isEnded ? ENDED : (code ?? 1)));
  });
}
