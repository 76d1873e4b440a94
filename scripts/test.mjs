/*
 * Installs and builds where needed, then runs the tests that the arguments of this command choose. Without any it runs every
 * test but most laws of the kinds of jobs (`npm run test:laws`): those kill or freeze a worker at each save of a journal,
 * for minutes. One kind stands for all.
 */
import './ensure.mjs';
import { runTests } from './run-tests.mjs';

const asked = process.argv.slice(2);
const isChosen = asked.some((argument) => !argument.startsWith('-'));
process.exitCode = await runTests(asked, process.env, isChosen ? undefined : /(?<!call-)laws\.spec/);
