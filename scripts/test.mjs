/*
 * Installs and builds where needed, then runs the tests that the arguments of this command choose; all without any.
 * `npm test` runs their short form; `TEST_FORM=long npm test` the long one (`test/support/forms.ts`), with the files whose
 * names end in `.long.spec.ts`; `TEST_FORM=nightly`, as `npm run nightly` gives it, those that end in `.nightly.spec.ts` too. Only
 * `npm run test:console` those that end in `.browser.spec.ts`; an argument that names files runs any.
 */
import './ensure.mjs';
import { runTests } from './run-tests.mjs';

const LEFT_OUT = {
  short: /\.(long|nightly|browser)\.spec/,
  long: /\.(nightly|browser)\.spec/,
  nightly: /\.browser\.spec/,
};

const form = process.env.TEST_FORM ?? 'short';
if (!(form in LEFT_OUT)) {
  console.error(`TEST_FORM is short, long or nightly, not ${form}.`);
  process.exit(2);
}
const asked = process.argv.slice(2);
const isChosen = asked.some((argument) => !argument.startsWith('-'));
process.exitCode = await runTests(asked, { ...process.env, TEST_FORM: form }, isChosen ? undefined : LEFT_OUT[form]);
