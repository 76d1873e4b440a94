/*
 * What a run of the tests says at its end, for Vitest: the slowest files, the tests that passed only when they were tried
 * again with what failed before, and how many passed and failed. The last line is what `.ci/run` repeats. The names of those that
 * failed are also written to the file that FAILED_TESTS names, for a caller that says them once more.
 */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { relative } from 'node:path/posix';

const SLOWEST = 20;

export default class TestSummary {
  /** @param {readonly import('vitest/node').TestModule[]} files */
  onTestRunEnd(files, errors) {
    const tests = files.flatMap((file) => [...file.children.allTests()]);
    const inState = (state) => tests.filter((test) => test.result().state === state).length;
    if (files.length > SLOWEST) sayTable('Slowest files', files.map(timeOf).toSorted(byTime).slice(0, SLOWEST));
    const flaky = tests.filter((test) => test.diagnostic()?.flaky);
    if (flaky.length > 0) {
      console.log(`\nFlaky, passed when they were tried again: ${flaky.length}`);
      for (const test of flaky) {
        const name = `${nameOf(test.module)} › ${test.fullName} (${test.diagnostic().retryCount})`;
        console.log(describe(name, test.result().errors?.[0]));
      }
    }
    const failures = sayFailures(files, tests, errors);
    if (inState('skipped') > 0) console.log(`\n${inState('skipped')} skipped`);
    console.log(`${inState('passed')} passed, ${failures} failed`);
  }
}

/**
 * @returns how many there are. A file that could not be loaded, and a group whose `beforeAll` or `afterAll` failed, have no test that
 *   failed; each counts as one. So does an error outside of tests.
 */
function sayFailures(files, tests, errors) {
  const failed = tests.filter((test) => test.result().state === 'failed');
  const unloaded = files.filter((file) => file.errors().length > 0);
  const groups = files.flatMap((file) => [...file.children.allSuites()]).filter((group) => group.errors().length > 0);
  const count = failed.length + unloaded.length + groups.length + errors.length;
  const lines = [
    ...failed.map((test) => describe(`${nameOf(test.module)} › ${test.fullName}`, test.result().errors[0])),
    ...unloaded.map((file) => describe(nameOf(file), file.errors()[0])),
    ...groups.map((group) => describe(`${nameOf(group.module)} › ${group.fullName}`, group.errors()[0])),
    ...errors.map((error) => describe('outside of tests', error)),
  ];
  if (count > 0) console.log(`\nFailed: ${count}\n${lines.join('\n')}`);
  if (process.env.FAILED_TESTS) appendFileSync(process.env.FAILED_TESTS, lines.map((line) => `${line}\n`).join(''));
  return count;
}

/** A test that failed, with the first line of why. */
const describe = (name, error) => `  ${name}\n    ${(error?.message ?? '').split('\n')[0].slice(0, 300)}`;

const nameOf = (file) =>
  relative('dist.test', path.relative(process.cwd(), file.moduleId).split(path.sep).join('/')).replace(/\.js$/, '.ts');

/** Seconds that a file took with its modules and hooks. */
function timeOf(file) {
  const { duration, collectDuration, setupDuration, prepareDuration } = file.diagnostic();
  return { name: nameOf(file), seconds: (duration + collectDuration + setupDuration + prepareDuration) / 1000 };
}

const byTime = (a, b) => b.seconds - a.seconds;

function sayTable(title, rows) {
  console.log(`\n${title}`);
  for (const { name, seconds } of rows) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
}
