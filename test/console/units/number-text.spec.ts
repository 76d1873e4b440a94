import { describe, expect, it } from 'vitest';
import { firstWrong, readNumber, readOptional } from '../../../console/src/api/number-text.js';
import { newJob } from '../../../console/src/screens/job-forms/job-draft.js';
import { formOfRollout } from '../../../console/src/screens/rollouts/plan/form-of-rollout.js';
import { emptyForm, type PlanForm, requestOf } from '../../../console/src/screens/rollouts/plan-form.js';

describe('a typed number', () => {
  it.each([
    ['10', 10], [' 10 ', 10], ['0', 0], ['100', 100], ['9.5', 9.5],
    ['10%', null], ['10 %', null], ['', null], ['  ', null], ['abc', null], ['1e2', null], ['0x10', null], ['+5', null],
    ['1,5', null], ['1 000', null], ['Infinity', null], ['NaN', null], ['٣', null], ['-1', null], ['101', null], ['10.', null],
    ['99999999999999999999', null],
  ])('%j is %j', (text, value) => {
    const read = readNumber(text, { min: 0, max: 100 });
    expect([read.value, read.wrong === null]).toEqual([value, value !== null]);
  }); // prettier-ignore

  it('is whole where parts are no value, and may be missing where the form says so', () => {
    expect(readNumber('1.5', { min: 1, max: 9, isWhole: true }).wrong).toContain('whole');
    expect(readOptional(' ', { min: 1, max: 9 })).toEqual({ value: undefined, wrong: null });
    expect(readOptional('1x', { min: 1, max: 9 }).wrong).toContain('“1x” is not a number');
    expect(
      firstWrong({ Days: readNumber('1', { min: 0, max: 2 }), Hours: readNumber('x', { min: 0, max: 2 }) }),
    ).toMatch(/^Hours: /);
  });
});

describe('the form of a rollout', () => {
  const of = (given: Partial<PlanForm>) => requestOf(emptyForm({ job: newJob('backup'), selector: 'all', ...given }));
  const [canary] = emptyForm({}).waves;

  it.each<[Partial<PlanForm>, string]>([
    [{ stopFailures: '10%' }, 'Pause at failures'],
    [{ stopFailures: '0' }, 'Pause at failures'],
    [{ stopPercent: '10%' }, 'Pause at failures, %'],
    [{ stopPercent: '0' }, 'Pause at failures, %'],
    [{ stopPercent: 'ten' }, 'Pause at failures, %'],
    [{ concurrency: 'abc' }, 'At the same time'],
    [{ concurrency: '' }, 'At the same time'],
    [{ concurrency: '1.5' }, 'At the same time'],
    [{ waves: [{ ...canary!, successPercent: '' }] }, 'Wave 1, must succeed'],
    [{ waves: [{ ...canary!, successPercent: '95%' }] }, 'Wave 1, must succeed'],
    [{ waves: [{ ...canary!, soakMinutes: '1h' }] }, 'Wave 1, soak'],
    [{ waves: [canary!, { ...canary!, of: 'two' }] }, 'Wave 2, number of devices'],
    [{ waves: [{ ...canary!, take: 'percent', of: '0' }] }, 'Wave 1, percent of all'],
  ])('with %j sends nothing, and names the field', (given, field) => {
    const { body, missing } = of(given);
    expect(body).toBeNull();
    expect(missing).toMatch(new RegExp(`^${field}: `));
  });

  it('says that nothing pauses the rollout when both thresholds are empty', () => {
    expect(of({ stopFailures: '', stopPercent: '' }).body?.policy?.stop).toBe('never');
    expect(of({ stopFailures: '3', stopPercent: '' }).body?.policy?.stop).toEqual({ failures: 3 });
    expect(of({}).body?.policy?.stop).toEqual({ percent: 10 });
  });
});

it('plans another rollout as one that exists, with what the form has no fields for', () => {
  const policy = {
    waves: [
      { name: 'one site', take: { site: 'vilnius' }, gate: 'manual' as const, successPercent: 80, soakMinutes: 5 },
      { take: 'rest' as const, gate: 'auto' as const, successPercent: 95, soakMinutes: 0 },
    ],
    checks: [],
    stop: { failures: 3, minimum: 7 },
    concurrency: 4,
    perSite: 2,
    windows: [{ days: ['mon' as const], from: '01:00', to: '03:00', except: [] }],
    timeZone: 'Europe/Vilnius',
    expectedMinutes: 20,
    offline: { action: 'skip' as const, waitHours: 72 },
    held: 'wait' as const,
    retries: 1,
    membership: 'frozen' as const,
  };
  const form = emptyForm({ ...formOfRollout({ name: 'Autumn', policy }), job: newJob('backup'), selector: 'all' });
  const { except: _, ...window } = policy.windows[0]!;
  const [first, { gate: __, ...second }] = policy.waves as [object, { gate: string }]; // what is usual is not said
  const wanted = { ...policy, waves: [first, second], windows: [window] };
  expect(requestOf(form).body).toMatchObject({ name: 'Autumn', policy: wanted });
});
