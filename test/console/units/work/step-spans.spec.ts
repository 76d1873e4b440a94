import { describe, expect, it } from 'vitest';
import { factLines, factName, toldLines } from '../../../../console/src/screens/jobs/timeline/fact-words.js';
import { lastStepText, waitText } from '../../../../console/src/screens/jobs/standing/waits.js';
import { lengthOf, noReturnAt, stepSpans } from '../../../../console/src/screens/jobs/timeline/step-spans.js';

/* The steps of a job over time, and its facts in words. */

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 2) + seconds * 1_000).toISOString();
const line = (seconds: number, step: string) => ({ ordinal: seconds, at: at(seconds), step, text: '', facts: {} });

const job = {
  kind: 'reboot',
  createdAt: at(0),
  startedAt: at(2),
  endedAt: at(60) as string | null,
  step: 'confirm',
  log: [line(3, 'identify'), line(4, 'restart'), line(40, 'restart'), line(59, 'confirm'), line(60, 'end')],
};
const seconds = (spans: ReturnType<typeof stepSpans>) =>
  spans.map(({ step, from, to }) => [step, (from - Date.parse(at(0))) / 1_000, (to - Date.parse(at(0))) / 1_000]);

describe('the steps of a job', () => {
  it('begin where the step before ended, and the last ends with the job', () => {
    expect(seconds(stepSpans(job, 0))).toEqual([
      ['wait_first', 0, 2], ['identify', 2, 3], ['restart', 3, 40], ['confirm', 40, 60],
    ]); // prettier-ignore
    expect(noReturnAt(job)).toBe(Date.parse(at(4)));
    expect(noReturnAt({ ...job, kind: 'backup' })).toBeNull();
  });

  it('go on until now while the job runs, also in a step that has said nothing yet', () => {
    const open = { ...job, endedAt: null, log: job.log.slice(0, 1), step: 'restart' };
    expect(seconds(stepSpans(open, Date.parse(at(10))))).toEqual([
      ['wait_first', 0, 2], ['identify', 2, 3], ['restart', 3, 10],
    ]); // prettier-ignore
  });

  it('end within a step that has said nothing, where the job failed', () => {
    const failed = { ...job, outcome: 'failed' as const, log: [line(60, 'end')], step: 'read' };
    expect(seconds(stepSpans(failed, 0))).toEqual([
      ['wait_first', 0, 2],
      ['read', 2, 60],
    ]);
    expect(lastStepText(failed, 0)).toBe('At the step “Reads”, after 58 s.');
    expect(lastStepText({ ...failed, startedAt: null }, 0), 'it never began').toBe('');
  });

  it('are a wait alone before the job has started', () => {
    const queued = { ...job, startedAt: null, endedAt: null, log: [], step: 'identify' };
    expect(seconds(stepSpans(queued, Date.parse(at(7))))).toEqual([['wait_first', 0, 7]]);
  });

  it.each([[0, '0.0 s'], [4_230, '4.2 s'], [59_400, '59.4 s'], [65_000, '1 min 5 s'], [3_725_000, '1 h 2 min']])(
    '%d ms are %s', (ms, text) => expect(lengthOf({ from: 0, to: ms }, { from: 0, to: ms })).toBe(text),
  ); // prettier-ignore

  it('are as long together as the whole, as it is shown', () => {
    const ends = [0, 140, 290, 530, 870, 1_020, 11_370, 11_590, 33_240, 33_960];
    const whole = { from: 0, to: ends.at(-1)! };
    const tenths = ends.slice(1).map((to, at) => Math.round(10 * parseFloat(lengthOf({ from: ends[at]!, to }, whole))));
    expect(lengthOf(whole, whole)).toBe('34.0 s');
    expect(tenths.reduce((sum, one) => sum + one, 0)).toBe(340);
  });
});

it.each([
  ['queued', 'device_offline', 'the device to answer'],
  ['queued', null, 'its turn'],
  ['running', 'another_reason', 'another reason'],
  ['running', null, null],
] as const)('a job that is %s with the reason %s waits for %s', (phase, waitReason, text) => {
  expect(waitText({ phase, waitReason })).toBe(text);
});

it('facts have names and values for people', () => {
  expect(factName('freeSpace')).toBe('Free space');
  expect(factLines({ downSeconds: 14 }), 'which reads badly').toEqual([['Without an answer for', '14 s']]);
  expect(toldLines({ certificates: [{ file: 'ca.pem', notAfter: '2027-06-03T12:00:00Z' }], sealedValues: [] })).toEqual(
    [['Certificates', 'ca.pem, until 3 Jun 2027']],
  );
  expect(
    factLines({ moved: false, fw_version: 'x', none: null, list: ['a', 1], many: [{ a: 1 }, {}], of: { upTime: 3, in: {} } }),
  ).toEqual([
    ['Moved', 'no'], ['Fw version', 'x'], ['None', '–'], ['List', 'a, 1'], ['Many', '2 entries'], ['Of', 'up time 3, in none'],
  ]); // prettier-ignore
});
