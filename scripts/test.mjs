/*
 * Installs and builds where needed, then runs the tests that the arguments of this command choose; all without any.
 * `npm test` runs their short form; `npm run test:full` the long one (`test/support/forms.ts`), with the files whose names
 * end in `.long.spec.ts`. Files whose names end in `.browser.spec.ts` need a browser: `npm run test:console`.
 */
import './ensure.mjs';
import { runTests } from './run-tests.mjs';

const [form, ...asked] = process.argv.slice(2);
const isChosen = asked.some((argument) => !argument.startsWith('-'));
const leftOut = form === 'short' ? /\.(long|browser)\.spec/ : /\.browser\.spec/;
process.exitCode = await runTests(asked, { ...process.env, TEST_FORM: form }, isChosen ? undefined : leftOut);
