import { describe, expect, it } from 'vitest';
import { goesOn, groupState, groupText, jobGroups, timesOf } from '../../../../console/src/screens/jobs/job-groups.js';
import { doingText, groupResultText } from '../../../../console/src/screens/jobs/result-text.js';

const NEWEST = Date.parse('2026-11-28T20:00:00Z');

let count = 0;
const job = (reason: string | null, minutesAgo: number, outcome: 'failed' | 'succeeded' | null = 'succeeded') => ({
  id: `job-${++count}`,
  kind: 'firmware' as const,
  reason,
  startedByName: 'Demo',
  createdAt: new Date(NEWEST - minutesAgo * 60_000).toISOString(),
  phase: outcome === null ? ('running' as const) : ('ended' as const),
  outcome,
});
const told = (jobs: readonly ReturnType<typeof job>[]) =>
  jobGroups(jobs).map((one) => ('jobs' in one ? one.jobs.length : 'alone'));

describe('the jobs of a list', () => {
  it('of one rollout are one row, also where others stand between them', () => {
    const wave = [0, 2, 4, 6, 8].map((minutes) => job('rollout autumn', minutes));
    expect(told([wave[0]!, job(null, 1), ...wave.slice(1)])).toEqual([5, 'alone']);
  });

  it('of few, of other moments, or of another night have their own', () => {
    expect(told([0, 1, 2].map((minutes) => job('rollout autumn', minutes)))).toEqual(['alone', 'alone', 'alone']);
    expect(told([0, 1, 2, 3].map((minutes) => job(null, minutes)))).toHaveLength(4);
    const nights = [0, 1_440].flatMap((night) => [0, 1, 2, 3].map((at) => job('backup policy Nightly', night + at)));
    expect(told(nights)).toEqual([4, 4]);
  });

  it('of one person are one row where they follow each other at once', () => {
    const script = [0, 0.1, 0.2, 0.6].map((minutes) => job(null, minutes));
    expect(told([...script, job(null, 5)])).toEqual([4, 'alone']);
    expect(told([script[0]!, job('rollout autumn', 0.05), ...script.slice(1)])).toEqual([4, 'alone']);
  });

  it('are told by what needs a person first', () => {
    const jobs = [job('r', 0), job('r', 1, 'failed'), job('r', 2, null), job('r', 3)];
    expect(groupState(jobs)).toEqual({ state: 'failed', count: 1 });
    expect(groupState([job('r', 0)])).toEqual({ state: 'succeeded', count: undefined });
    expect(groupText(jobs, (state) => state)).toBe('1 failed, 1 running, 2 succeeded');
  });

  it('of a rollout that runs may become more', () => {
    const wave = [job('rollout autumn', 0), job('rollout autumn', 1)];
    expect([goesOn(wave, ['spring', 'autumn']), goesOn(wave, ['spring']), goesOn([job(null, 0)], ['autumn'])]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('take together as long as from the first start to the last end', () => {
    const at = (minute: number) => new Date(NEWEST + minute * 60_000).toISOString();
    const times = (startedAt: string | null, endedAt: string | null) => ({ createdAt: at(0), startedAt, endedAt });
    expect(timesOf([times(at(2), at(5)), times(at(1), at(3))])).toEqual(times(at(1), at(5)));
    expect(timesOf([times(null, null), times(at(1), at(3))]).endedAt).toBeNull();
  });
});

describe('the result of jobs in one row', () => {
  type Job = Parameters<typeof doingText>[0];
  const ended = (kind: string, result: object) =>
    ({ kind, phase: 'ended', outcome: 'succeeded', failure: null, result, spec: {} }) as Job;

  it('is what all of them say, else how many have it and their size together', () => {
    expect(groupResultText([ended('configure', { changed: 0 }), ended('configure', { changed: 0 })])).toBe(
      'Nothing differed',
    );
    const backups = [ended('backup', { bytes: 20_400_000 }), ended('backup', { bytes: 1_000_000 })];
    expect(groupResultText(backups)).toBe('2 backed up, 21.4 MB');
    const updates = ['RUT9_R_00.07.24', 'RUT9_R_00.07.23'].map((from) =>
      ended('firmware', { from, version: 'RUT9_R_00.07.25' }),
    );
    expect(groupResultText(updates)).toBe('2 updated');
  });

  it('of a job that waits for its next try says when it is', () => {
    const waiting = { waitReason: 'retry', phase: 'queued', failure: null, progress: null, step: 'identify' };
    const wakeAt = new Date(Date.now() + 185_000).toISOString();
    expect(doingText({ ...waiting, wakeAt } as Job)).toBe('Tries again in 3 min');
    const failure = { code: 'device_busy', message: '', facts: {} };
    expect(doingText({ ...waiting, wakeAt, failure } as unknown as Job)).toBe(
      'The device was busy; tries again in 3 min',
    );
  });
});
