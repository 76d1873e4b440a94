/*
 * What a run of the tests says at its end, for Vitest: the slowest files, the tests that passed only in the second run of their file
 * with what failed before, and how many passed and failed. The last line is what `.ci/run` repeats. The names of those that
 * failed are also written to the file that FAILED_TESTS names, for a caller that says them once more. SUMMARY_OF_RUN and
 * SUMMARY_OF_FIRST_RUN are files with what a second run has to know of the first (`run-tests.mjs`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { relative } from 'node:path/posix';

const SLOWEST = 20;

export default class TestSummary {
  /** @param {readonly import('vitest/node').TestModule[]} files */
  onTestRunEnd(files, errors) {
    const tests = files.flatMap((file) => [...file.children.allTests()]);
    const { SUMMARY_OF_RUN, SUMMARY_OF_FIRST_RUN, FAILED_TESTS } = process.env;
    const before = SUMMARY_OF_FIRST_RUN ? JSON.parse(readFileSync(SUMMARY_OF_FIRST_RUN, 'utf8')) : NOTHING_BEFORE;
    const inState = (state) => tests.filter((test) => test.result().state === state);
    if (files.length > SLOWEST) sayTable('Slowest files', files.map(timeOf).toSorted(byTime).slice(0, SLOWEST));
    const failures = failuresOf(files, tests, errors);
    const names = new Set(failures.map(({ name }) => name));
    say(
      'Flaky, passed when their file ran again',
      before.failures.filter(({ name }) => !names.has(name)),
    );
    say('Failed', failures);
    if (FAILED_TESTS) writeFileSync(FAILED_TESTS, failures.map(lineOf).join('\n'));
    if (inState('skipped').length > 0) console.log(`\n${inState('skipped').length} skipped`);
    console.log(`${before.passedElsewhere + inState('passed').length} passed, ${failures.length} failed`);
    if (SUMMARY_OF_RUN) writeFileSync(SUMMARY_OF_RUN, JSON.stringify(summaryOf(inState('passed'), failures, errors)));
  }
}

const NOTHING_BEFORE = { failures: [], failedFiles: [], passedElsewhere: 0 };

/** An error outside of tests belongs to no file, so no file can show that it was one of chance. */
function summaryOf(passed, failures, errors) {
  const failedFiles = errors.length > 0 ? [] : [...new Set(failures.map(({ file }) => file))];
  const passedElsewhere = passed.filter((test) => !failedFiles.includes(pathOf(test.module))).length;
  return { failures, failedFiles, passedElsewhere };
}

/**
 * A file that could not be loaded, and a group whose `beforeAll` or `afterAll` failed, have no test that failed; each counts as one.
 * So does an error outside of tests.
 */
function failuresOf(files, tests, errors) {
  const failed = tests.filter((test) => test.result().state === 'failed');
  const unloaded = files.filter((file) => file.errors().length > 0);
  const groups = files.flatMap((file) => [...file.children.allSuites()]).filter((group) => group.errors().length > 0);
  return [
    ...failed.map((test) => failure(test.module, ` › ${test.fullName}`, test.result().errors[0])),
    ...unloaded.map((file) => failure(file, '', file.errors()[0])),
    ...groups.map((group) => failure(group.module, ` › ${group.fullName}`, group.errors()[0])),
    ...errors.map((error) => ({ file: null, name: 'outside of tests', why: firstLine(error) })),
  ];
}

const failure = (file, within, error) => ({ file: pathOf(file), name: nameOf(file) + within, why: firstLine(error) });

const firstLine = (error) => (error?.message ?? '').split('\n')[0].slice(0, 300);

const lineOf = ({ name, why }) => `  ${name}\n    ${why}`;

function say(title, failures) {
  if (failures.length > 0) console.log(`\n${title}: ${failures.length}\n${failures.map(lineOf).join('\n')}`);
}

const pathOf = (file) => path.relative(process.cwd(), file.moduleId).split(path.sep).join('/');

const nameOf = (file) => relative('dist.test', pathOf(file)).replace(/\.js$/, '.ts');

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
