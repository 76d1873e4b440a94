// `npm run docs`: writes what is made from the code: tables of docs/reference, the OpenAPI document, the client's
// types, the operations of the command line.
import './ensure.mjs';
import { runTests } from './run-tests.mjs';

process.exitCode = await runTests(
  ['test/reference-tables.spec.ts', 'test/app/openapi.spec.ts', 'test/cli/operations.spec.ts'],
  {
    ...process.env,
    UPDATE_OUTPUT: '1',
  },
);
