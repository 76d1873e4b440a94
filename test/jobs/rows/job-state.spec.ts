import { describe, expect, it } from 'vitest';
import {
  atDeadline,
  newJob,
  cancel,
  expire,
  KEEP_LEASE_MS,
  LAST_ATTEMPT_MS,
  MAX_ATTEMPTS,
  release,
  applyResult,
  recordError,
  type Intent,
  type JobState,
  type StepError,
} from '../../../src/jobs/rows/job-state.js';

const NOW = new Date('2026-03-02T08:00:00Z');
const HOUR = 3_600_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

const running = (change: Partial<JobState> = {}): JobState => ({
  ...newJob({ at: 'first' }, HOUR, NOW),
  phase: 'running',
  ...change,
});
const intent = (state: Intent['state']): Intent => ({
  effect: 'flash',
  state,
  before: {},
  openedAt: NOW.toISOString(),
});
const trouble = (kind: StepError['class'], retryAfterMs?: number): StepError => ({
  class: kind,
  failure: { code: 'device_unreachable', message: 'No connection', facts: {} },
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

describe('a new job', () => {
  it('is due at once and has its deadline', () => {
    expect(newJob({ at: 'first' }, HOUR, NOW)).toMatchObject({
      phase: 'queued',
      outcome: null,
      wakeAt: NOW,
      deadlineAt: later(HOUR),
      attempts: 0,
    });
  });
});

describe('a step that came to an outcome', () => {
  it('goes on at once with a new cursor, and forgets earlier troubles', () => {
    const job = running({ attempts: 3, failure: trouble('offline').failure });
    expect(applyResult(job, { next: 'go', cursor: { at: 'second' } }, false, later(5))).toMatchObject({
      phase: 'running',
      cursor: { at: 'second' },
      wakeAt: later(5),
      attempts: 0,
      failure: null,
    });
  });

  it.each([
    ['keeps its lease for a pause that is near', KEEP_LEASE_MS, 'running'],
    ['gives its lease back for a longer one', KEEP_LEASE_MS + 1, 'queued'],
  ])('%s', (_name, afterMs, phase) => {
    const next = applyResult(running(), { next: 'wait', cursor: 1, afterMs, reason: 'device_works' }, false, NOW);
    expect(next).toMatchObject({ phase, wakeAt: later(afterMs), waitReason: 'device_works' });
  });

  it.each(['succeeded', 'failed', 'not_executed', 'unknown'] as const)('ends as %s with its evidence', (outcome) => {
    const failure = { code: 'why', message: 'Why', facts: { seen: 1 } };
    expect(applyResult(running(), { next: 'end', outcome, failure }, false, later(9))).toMatchObject({
      phase: 'ended',
      outcome,
      failure,
      endedAt: later(9),
    });
  });

  it('ends as cancelled when that was asked for meanwhile', () => {
    const asked = running({ cancelAskedAt: NOW });
    expect(applyResult(asked, { next: 'go', cursor: 2 }, false, NOW)).toMatchObject({
      phase: 'ended',
      outcome: 'cancelled',
    });
  });

  it('goes on past the point of no return, whoever asked for a cancel', () => {
    const asked = running({ cancelAskedAt: NOW });
    expect(applyResult(asked, { next: 'go', cursor: 2 }, true, NOW)).toMatchObject({ phase: 'running', cursor: 2 });
  });

  it('keeps a success although a cancel was asked for', () => {
    const asked = running({ cancelAskedAt: NOW });
    expect(applyResult(asked, { next: 'end', outcome: 'succeeded' }, false, NOW).outcome).toBe('succeeded');
  });
});

describe('a step that did not work', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 5_000],
    [6, 60_000],
    [20, 300_000],
  ])('is tried again with growing pauses: after trouble %i about %i ms', (attempt, ms) => {
    const least = recordError(running({ attempts: attempt - 1 }), trouble('offline'), false, NOW, 0);
    const most = recordError(running({ attempts: attempt - 1 }), trouble('offline'), false, NOW, 1);
    expect(least.wakeAt.getTime() - NOW.getTime()).toBeCloseTo(ms * 0.8, 0);
    expect(most.wakeAt.getTime() - NOW.getTime()).toBeCloseTo(ms * 1.2, 0);
    expect(least).toMatchObject({ cursor: { at: 'first' }, attempts: attempt, waitReason: 'device_offline' });
  });

  it('waits as long as it was told to', () => {
    expect(recordError(running(), trouble('offline', 90_000), false, NOW, 0).wakeAt).toEqual(later(90_000));
  });

  it('waits for an absent device without a limit of tries', () => {
    expect(recordError(running({ attempts: 50 }), trouble('offline'), false, NOW, 0).phase).toBe('queued');
  });

  it('gives up after a number of other troubles', () => {
    const before = running({ attempts: MAX_ATTEMPTS - 2 });
    expect(recordError(before, trouble('transient'), false, NOW, 0)).toMatchObject({
      phase: 'queued',
      waitReason: 'retry',
    });
    const last = running({ attempts: MAX_ATTEMPTS - 1 });
    expect(recordError(last, trouble('transient'), false, NOW, 0)).toMatchObject({ phase: 'ended', outcome: 'failed' });
  });

  it('ends at once when trying again cannot help', () => {
    expect(recordError(running(), trouble('final'), false, NOW, 0)).toMatchObject({
      phase: 'ended',
      outcome: 'failed',
    });
  });

  it('ends at once when the device cannot be understood and nothing was done to it', () => {
    expect(recordError(running(), trouble('unreadable'), false, NOW, 0)).toMatchObject({
      phase: 'ended',
      outcome: 'failed',
    });
  });

  it.each(['sent', 'executed'] as const)('asks again what it could not read, once an effect was %s', (state) => {
    const job = running({ intent: intent(state) });
    expect(recordError(job, trouble('unreadable'), true, NOW, 0)).toMatchObject({ outcome: null, waitReason: 'retry' });
    const last = { ...job, attempts: MAX_ATTEMPTS - 1 };
    expect(recordError(last, trouble('unreadable'), true, NOW, 0)).toMatchObject({ phase: 'ended' });
  });

  it('ends as unknown when an effect was sent and cannot be probed', () => {
    const job = running({ intent: intent('sent') });
    expect(recordError(job, trouble('final'), true, NOW, 0)).toMatchObject({ phase: 'ended', outcome: 'unknown' });
  });

  it('has done nothing when it kept the effect from being sent, unless an effect before it took place', () => {
    const kept = { ...trouble('final'), isBeforeEffect: true };
    expect(recordError(running(), kept, false, NOW, 0)).toMatchObject({ phase: 'ended', outcome: 'not_executed' });
    const second = running({ intent: { ...intent('not_executed'), follows: true } });
    expect(recordError(second, kept, false, NOW, 0)).toMatchObject({ phase: 'ended', outcome: 'failed' });
  });

  it('is not tried again when a cancel was asked for', () => {
    const asked = running({ cancelAskedAt: NOW });
    expect(recordError(asked, trouble('offline'), false, NOW, 0)).toMatchObject({
      phase: 'ended',
      outcome: 'cancelled',
    });
  });
});

describe('the deadline', () => {
  it('gets one last try shortly before it', () => {
    const job = running({ attempts: 20, deadlineAt: later(100_000) });
    expect(recordError(job, trouble('offline'), false, NOW, 0).wakeAt).toEqual(later(100_000 - LAST_ATTEMPT_MS));
  });

  it('ends the job when the next try would come after it', () => {
    const job = running({ attempts: 20, deadlineAt: later(LAST_ATTEMPT_MS) });
    expect(recordError(job, trouble('offline'), false, NOW, 0)).toMatchObject({
      phase: 'ended',
      outcome: 'not_executed',
    });
  });

  it.each([
    ['nothing was sent', null, 'not_executed'],
    ['an effect was only prepared', intent('open'), 'not_executed'],
    ['the effect is known not to have happened', intent('not_executed'), 'not_executed'],
    ['an effect was sent and not probed', intent('sent'), 'unknown'],
    ['the effect happened and the rest did not', intent('executed'), 'failed'],
  ] as const)('says what is known: %s', (_name, journal, outcome) => {
    const job = running({ intent: journal, failure: trouble('offline').failure });
    const ended = atDeadline(job, later(HOUR));
    expect(ended).toMatchObject({ phase: 'ended', outcome, failure: { code: 'deadline_passed' } });
    expect(ended.failure?.facts).toMatchObject({ last: { code: 'device_unreachable' } });
  });
});

describe('a cancel', () => {
  it.each(['queued', 'dispatched'] as const)('ends a %s job at once', (phase) => {
    expect(cancel(running({ phase }), false, NOW)).toMatchObject({ phase: 'ended', outcome: 'cancelled' });
  });

  it('marks a running job, once', () => {
    const marked = cancel(running(), false, NOW);
    expect(marked).toMatchObject({ phase: 'running', outcome: null, cancelAskedAt: NOW });
    expect(cancel(marked!, false, later(5))).toMatchObject({ cancelAskedAt: NOW });
  });

  it.each([
    ['has ended', running({ phase: 'ended' }), false],
    ['is past the point of no return', running(), true],
  ])('is refused for a job that %s', (_name, job, isIrrevocable) => {
    expect(cancel(job, isIrrevocable, NOW)).toBeNull();
  });
});

describe('a worker that goes away', () => {
  it('leaves a job that is due at once when its lease runs out', () => {
    const job = running({ intent: intent('sent') });
    expect(expire(job, true, later(7))).toMatchObject({
      phase: 'queued',
      wakeAt: later(7),
      waitReason: 'worker_lost',
      intent: { state: 'sent' },
    });
  });

  it('leaves an ended job when its lease runs out past the deadline', () => {
    expect(expire(running(), false, later(HOUR))).toMatchObject({ phase: 'ended', outcome: 'not_executed' });
  });

  it('counts a lost worker of a job that it had begun with, and of no other', () => {
    expect(expire(running(), false, NOW)).toMatchObject({ phase: 'queued', wakeAt: NOW, lostWorkers: 1 });
    expect(expire(running({ lostWorkers: 1 }), false, NOW)).toMatchObject({ phase: 'queued', lostWorkers: 2 });
    const dispatched = running({ phase: 'dispatched', lostWorkers: 2 });
    expect(expire(dispatched, false, NOW)).toMatchObject({ phase: 'queued', lostWorkers: 2 });
    expect(release(running({ lostWorkers: 1 }))).toMatchObject({ lostWorkers: 1 });
  });

  it.each([
    ['nothing was sent', null, 'not_executed'],
    ['an effect was only prepared', intent('open'), 'not_executed'],
    ['an effect was sent and not probed', intent('sent'), 'unknown'],
    ['the effect happened and the rest did not', intent('executed'), 'unknown'],
  ] as const)('quarantines a job at the third lost worker in a row: %s', (_name, journal, outcome) => {
    expect(expire(running({ lostWorkers: 2, intent: journal }), true, NOW)).toMatchObject({
      phase: 'ended',
      outcome,
      failure: { code: 'quarantined', facts: { lostWorkers: 3 } },
    });
  });

  it('counts no lost worker any more when a step is saved, but for an effect that was only opened', () => {
    const job = running({ lostWorkers: 2 });
    const go = { next: 'go', cursor: { at: 'second' } } as const;
    expect(applyResult(job, go, false, NOW)).toMatchObject({ phase: 'running', lostWorkers: 0 });
    expect(applyResult({ ...job, intent: intent('open') }, go, false, NOW)).toMatchObject({ lostWorkers: 2 });
  });

  it('keeps the count without progress, and after two losses lets the next job run while it waits', () => {
    const wait = { next: 'wait', cursor: running().cursor, afterMs: 1_000, reason: 'device_works' } as const;
    for (const [lostWorkers, phase] of [
      [1, 'running'],
      [2, 'queued'],
    ] as const) {
      const job = running({ lostWorkers });
      const waiting = { phase, lostWorkers, wakeAt: later(1_000) };
      expect(applyResult(job, wait, false, NOW)).toMatchObject(waiting);
      expect(recordError(job, trouble('offline'), false, NOW, 0.5)).toMatchObject(waiting);
      expect(recordError(job, trouble('locked'), false, NOW, 0)).toMatchObject({ phase: 'queued', lostWorkers });
      expect(applyResult(job, { ...wait, cursor: { at: 'second' } }, false, NOW)).toMatchObject({
        phase: 'running',
        lostWorkers: 0,
      });
    }
  });

  it('cancels a job whose cancel it was asked for', () => {
    expect(expire(running({ cancelAskedAt: NOW }), false, NOW)).toMatchObject({ outcome: 'cancelled' });
  });

  it('hands a job back as it stands when it stops', () => {
    const job = running({ wakeAt: later(20_000), waitReason: 'device_works' });
    expect(release(job)).toMatchObject({ phase: 'queued', wakeAt: later(20_000), waitReason: 'device_works' });
    expect(release(running())).toMatchObject({ waitReason: 'worker_stopped' });
  });
});
