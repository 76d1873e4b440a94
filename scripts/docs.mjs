// `npm run docs`: writes the tables of docs/reference that are made from the code.
import './ensure.mjs';
import { runTests } from './run-tests.mjs';

process.exitCode = await runTests(['test/reference-tables.spec.ts'], { ...process.env, UPDATE_OUTPUT: '1' });
