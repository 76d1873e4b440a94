import { defineConfig } from 'vitest/config';

/*
 * Most code of a test runs a few times: with a larger budget before V8 optimizes, a run takes 9 % less processor time on
 * Node 20. The V8 of Node 24 has no such option: it counts calls, and optimizes later by itself.
 */
const laterOptimization = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : [];

/** The long forms have tests of a hundred seconds where the whole suite runs beside them. */
const LIMIT_MS = ['long', 'nightly'].includes(process.env.TEST_FORM) ? 360_000 : 180_000;

/*
 * The tests run as Node runs the product: compiled, as native modules (`scripts/run-tests.mjs` compiles them into dist.test).
 * The files of one process share its modules, so what a file changes in the process it has to put back.
 */
export default defineConfig({
  test: {
    include: ['dist.test/test/**/*.spec.js'],
    setupFiles: ['reflect-metadata'],
    globalSetup: ['test/global-setup.mjs'],
    pool: 'forks',
    isolate: false,
    // Most objects of a test are short-lived: with small spaces for them a fifth of the time goes into collecting.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64', ...laterOptimization],
    // A test waits for sockets, databases and devices half of its time: on two cores six workers take 229 s, four 249 s.
    maxWorkers: 6,
    // Correct code takes no longer for it, and a busy machine needs it: the limit only ends what hangs.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', './scripts/test-summary.mjs'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
