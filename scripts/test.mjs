/* Installs and builds where needed, then runs Jest with the arguments of this command, and says how many tests passed. */
import './ensure.mjs';
import { runTests } from './run-jest.mjs';

process.exitCode = await runTests(process.argv.slice(2), process.env);
