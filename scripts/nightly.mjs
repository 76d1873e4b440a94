/*
 * `npm run nightly`: everything in its longest form, some hours on two cores. Each part runs, also after one that failed. Prints the
 * seconds of each, and ends with 1 where a rule is broken. Parts without their server or browser say that they were skipped.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Exit code of a part that could not be tried; it has said why. */
const MISSING = 3;

const PARTS = [
  ['check', 'npm run check'],
  ['tests', 'npm test'],
  ['tests on real servers', 'npm run test:services'],
  ['console in a browser', 'npm run test:console'],
  ['containers', 'bash scripts/test-containers.sh'],
  ['faults', 'npm run faults'],
  ['hostile input', 'npm run fuzz'],
  ['figures', 'npm run bench'],
  ['figures of jobs', 'npm run bench:jobs'],
  ['figures of monitoring', 'npm run bench:monitoring'],
  ['figures of templates', 'npm run bench:templates'],
  ['figures of sizes', 'npm run bench:sizing -- --page .data/sizing.md'],
  ['tests on the other Node', `node scripts/on-other-node.mjs 'TEST_FORM=long npm test'`],
];

const rows = PARTS.map(([name, command]) => {
  console.log(`\n=== ${name}: ${command}`);
  const began = performance.now();
  const { status } = spawnSync(command, {
    cwd: root,
    env: { ...process.env, TEST_FORM: 'nightly' },
    stdio: 'inherit',
    shell: true,
  });
  return { name, status, seconds: Math.round((performance.now() - began) / 1000) };
});

console.log('');
for (const { name, status, seconds } of rows) {
  console.log(`${String(seconds).padStart(6)} s  ${name}: ${{ 0: 'holds', [MISSING]: 'SKIPPED' }[status] ?? 'BROKEN'}`);
}
process.exitCode = rows.every(({ status }) => status === 0 || status === MISSING) ? 0 : 1;
