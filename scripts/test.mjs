/*
 * Installs and builds where needed, then runs Jest with the arguments of this command, and says how many tests passed.
 * Without any it runs every test but most laws of the kinds of jobs (`npm run test:laws`): those kill or freeze a worker at
 * each save of a journal, for minutes. One kind stands for all.
 */
import './ensure.mjs';
import { runTests } from './run-jest.mjs';

const asked = process.argv.slice(2);
process.exitCode = await runTests(
  asked.length > 0 ? asked : ['--testPathIgnorePatterns=(?<!call-)laws\\.spec'],
  process.env,
);
