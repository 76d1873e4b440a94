/*
 * `npm run check`: what a change must pass before it is committed, without tests and servers. The parts share the cores, two
 * at a time. Prints the seconds of each, then what the failed ones said, and ends with 1 where one failed.
 * `.githooks/pre-commit` and `.ci/run` run it, too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = (...parts) => path.join('node_modules', ...parts);
const compiler = tool('typescript7', 'bin', 'tsc');

/** Not where Prettier keeps it by itself: it removes that one when it runs without a cache, as in editors. */
const FORMATTED = tool('.cache', 'check', 'formatted');

const AT_ONCE = 2;

/** Compiles the tests, too: later parts use what it wrote. */
const TYPES = ['types', compiler, '-p', 'tsconfig.tests.json'];

const PARTS = [
  ['lint', tool('oxlint', 'bin', 'oxlint'), '--type-aware', '--deny-warnings'],
  // Only files whose content differs from the last check are read again.
  [
    'format',
    tool('prettier', 'bin', 'prettier.cjs'),
    '--check',
    '--cache',
    '--cache-strategy',
    'content',
    '--cache-location',
    FORMATTED,
    '.',
  ],
  ['unused code', tool('knip', 'bin', 'knip.js')],
  ['types of the console', compiler, '--noEmit', '-p', 'console/tsconfig.json'],
  ['documents', 'scripts/check-documents.mjs'],
  ['changes of the API', 'scripts/api-changes.mjs'],
  ['migrations', 'scripts/check-migrations.mjs'],
];

const PARTS_AFTER_TYPES = [
  ['architecture', 'scripts/check-architecture.mjs'],
  ['what is made from the code', 'scripts/docs.mjs', '--check'],
];

await generate();
const failed = [];
const waiting = [...PARTS];
const types = run(TYPES).then(() => waiting.push(...PARTS_AFTER_TYPES));
await Promise.all([types.then(work), ...Array.from({ length: AT_ONCE - 1 }, work)]);

for (const { name, said } of failed) console.log(`\n=== ${name}\n${said.trimEnd()}`);
console.log(
  failed.length === 0
    ? `Everything holds, after ${seconds(0)} s.`
    : `\nFailed: ${failed.map(({ name }) => name).join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs waiting parts, one after the other, until none is left. */
async function work() {
  for (let part = waiting.shift(); part; part = waiting.shift()) await run(part);
}

async function run([name, program, ...args]) {
  const began = performance.now();
  const env = { ...process.env, TESTS_COMPILED: 'true' };
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => said.push(text));
  const [status] = await once(child, 'close');
  console.log(`${seconds(began).padStart(6)} s  ${name}${status === 0 ? '' : ': FAILED'}`);
  if (status !== 0) failed.push({ name, said: Buffer.concat(said).toString() });
}

function seconds(began) {
  return ((performance.now() - began) / 1000).toFixed(1);
}
