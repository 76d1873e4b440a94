// `npm run docs`: writes what is made from the code: tables of docs/reference, the OpenAPI document, the client's
// types, the operations of the command line.
import './ensure.mjs';
import { runTests } from './run-tests.mjs';

const MAKERS = ['test/reference-tables.spec.ts', 'test/app/openapi.spec.ts', 'test/cli/operations.spec.ts'];

// Twice: the tables are made from compiled operations, which the first run writes.
for (let pass = 1; pass <= 2 && !process.exitCode; pass++) {
  process.exitCode = await runTests(MAKERS, { ...process.env, UPDATE_OUTPUT: '1' });
}
