import { describe, expect, it } from 'vitest';
import { assignWaves, paceOf, rolloutPolicy, type RolloutPolicy } from '../../src/rollouts/state/rollout-policy.js';
import {
  afterJob,
  stateAfter,
  decide,
  NO_TARGETS,
  ROLLOUT_STATES,
  ROLLOUT_VERBS,
  whenOffline,
  type Counts,
  type JobEnd,
  type RolloutSnapshot,
  type Wave,
} from '../../src/rollouts/state/rollout-state.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const counts = (some: Partial<Counts>): Counts => ({ ...NO_TARGETS, ...some });

function wave(ordinal: number, state: Wave['state'], some: Partial<Counts>, more: Partial<Wave> = {}): Wave {
  return { ordinal, state, counts: counts(some), promoted: false, soakUntil: null, causes: [], unchecked: 0, ...more };
}

function rollout(waves: readonly Wave[], more: Partial<RolloutSnapshot> = {}): RolloutSnapshot {
  const acknowledged = { finished: 0, failed: 0 };
  return { state: 'running', waves, acknowledged, startsAt: null, startedInPace: 0, bytesPerStart: 0, ...more };
}

const policy = (some: object = {}): RolloutPolicy => rolloutPolicy.parse(some);

describe('a rollout that runs', () => {
  it('opens its canary, and begins nothing before it is open', () => {
    const fresh = rollout([wave(0, 'waiting', { waiting: 1 }), wave(1, 'waiting', { waiting: 9 })]);
    expect(decide(fresh, policy(), 0)).toMatchObject({
      waves: [{ ordinal: 0, state: 'running' }],
      startBudget: { count: 0 },
    });
  });

  it('begins as many of the open wave as may be at work, and none of the next', () => {
    const open = rollout([
      wave(0, 'passed', { succeeded: 1 }),
      wave(1, 'running', { waiting: 90, running: 7, queued: 3 }),
    ]);
    expect(decide(open, policy({ concurrency: 25 }), 0).startBudget).toEqual({ upTo: 1, count: 15 });
  });

  it('keeps the pace that it was told, in devices and in bytes', () => {
    const open = rollout([wave(0, 'running', { waiting: 90 })], { startedInPace: 4, bytesPerStart: 6_000_000 });
    expect(decide(open, policy({ perMinute: 10 }), 0).startBudget.count).toBe(6);
    expect(decide(open, policy({ bytesPerSecond: 1_000_000 }), 0).startBudget.count).toBe(6);
  });

  it('keeps a pace of less than a device a minute, and one that is no whole number', () => {
    const begun = (startedInPace: number) => rollout([wave(0, 'running', { waiting: 9 })], { startedInPace });
    expect(paceOf(policy({ perMinute: 0.4 }), 0)).toEqual({ starts: 1, withinMs: 150_000 });
    expect(paceOf(policy({ perMinute: 2.5 }), 0)).toEqual({ starts: 3, withinMs: 72_000 });
    expect(paceOf(policy({ perMinute: 1e-300 }), 0)).toEqual({ starts: 1, withinMs: 365 * 1_440 * MINUTE });
    expect(decide(begun(0), policy({ perMinute: 0.4 }), 0).startBudget.count).toBe(1);
    expect(decide(begun(1), policy({ perMinute: 0.4 }), 0).startBudget.count).toBe(0);
  });

  it('soaks a wave that is worked off, looks at its devices, and lets the next begin', () => {
    const rules = policy({
      waves: [{ take: { count: 1 }, soakMinutes: 10 }, { take: 'rest' }],
      checks: [{ check: 'reachable' }],
    });
    const worked = rollout([wave(0, 'running', { succeeded: 1 }), wave(1, 'waiting', { waiting: 9 })]);
    expect(decide(worked, rules, 5).waves).toEqual([{ ordinal: 0, state: 'soaking', soakUntil: 5 + 10 * MINUTE }]);
    const soaking = (unchecked: number) =>
      rollout([wave(0, 'soaking', { succeeded: 1 }, { soakUntil: 100, unchecked }), worked.waves[1]!]);
    expect(decide(soaking(1), rules, 99)).toMatchObject({ waves: [], check: [] });
    expect(decide(soaking(1), rules, 100)).toMatchObject({ waves: [], check: [0] });
    expect(decide(soaking(0), rules, 100)).toMatchObject({ waves: [{ ordinal: 0, state: 'passed' }] });
  });

  it('pauses when a wave did not succeed as asked, and says so in one sentence', () => {
    const failed = rollout([wave(0, 'running', { failed: 1 }), wave(1, 'waiting', { waiting: 9 })]);
    expect(decide(failed, policy(), 0)).toMatchObject({
      state: 'paused',
      pause: {
        cause: 'wave_failed',
        sentence: 'Wave 1 (canary) ended and none of its 1 devices succeeded: 1 failed.',
      },
      waves: [{ ordinal: 0, state: 'failed' }],
    });
    const causes = [
      { state: 'failed', reason: 'health_answer', count: 1 },
      { state: 'cancelled', reason: 'cancelled', count: 2 },
    ] as const;
    const short = rollout([wave(0, 'running', { succeeded: 7, failed: 1, cancelled: 2 }, { causes })]);
    expect(decide(short, policy({ stop: { failures: 2 } }), 0).pause?.sentence).toBe(
      'Wave 1 (canary) ended with 7 of 10 devices succeeded (70 %), and 100 % are required: ' +
        '1 failed (health_answer), 2 cancelled (cancelled).',
    );
  });

  it.each([
    ['was cancelled', 'cancelled', 'cancelled', '1 cancelled (cancelled)'],
    ['was left out by a person', 'skipped', 'operator', '1 skipped (operator)'],
    ['was away too long', 'skipped', 'offline_too_long', '1 skipped (offline_too_long)'],
    ['was removed', 'skipped', 'device_removed', '1 skipped (device_removed)'],
    ['refused the password', 'skipped', 'device_credentials_refused', '1 skipped (device_credentials_refused)'],
  ] as const)('pauses after a canary whose only device %s', (_words, state, reason, what) => {
    for (const successPercent of [0, 100]) {
      const rules = policy({ waves: [{ take: { count: 1 }, successPercent }, { take: 'rest' }] });
      const canary = wave(0, 'running', { [state]: 1 }, { causes: [{ state, reason, count: 1 }] });
      expect(decide(rollout([canary, wave(1, 'waiting', { waiting: 9 })]), rules, 0)).toMatchObject({
        state: 'paused',
        pause: { cause: 'wave_failed', sentence: `Wave 1 ended and none of its 1 devices succeeded: ${what}.` },
        waves: [{ ordinal: 0, state: 'failed' }],
        startBudget: { count: 0 },
      });
    }
  });

  it('counts devices that were to run and did not against the share, and not those that were taken out', () => {
    const rules = policy({ waves: [{ take: { count: 10 }, successPercent: 80 }, { take: 'rest' }] });
    const after = (succeeded: number, skipped: number, reason: string) =>
      decide(
        rollout([
          wave(0, 'running', { succeeded, skipped }, { causes: [{ state: 'skipped', reason, count: skipped }] }),
          wave(1, 'waiting', { waiting: 90 }),
        ]),
        rules,
        0,
      ).state;
    expect(after(8, 2, 'offline_too_long')).toBe('running');
    expect(after(7, 3, 'offline_too_long')).toBe('paused');
    for (const reason of ['operator', 'left_selector', 'device_removed']) expect(after(7, 3, reason)).toBe('running');
  });

  it('passes a wave without devices', () => {
    const waves = [wave(0, 'running', {}), wave(1, 'waiting', { waiting: 9 })];
    expect(decide(rollout(waves), policy(), 0)).toMatchObject({ state: 'running', waves: [{ state: 'soaking' }] });
  });

  it('pauses at a share of failures, but not before enough have finished', () => {
    const after = (failed: number, succeeded: number) =>
      decide(
        rollout([wave(0, 'running', { failed, succeeded, waiting: 50 })]),
        policy({ stop: { percent: 20, minimum: 10 } }),
        0,
      );
    expect(after(3, 6).state).toBe('running');
    expect(after(1, 9).state).toBe('running');
    expect(after(2, 8)).toMatchObject({
      state: 'paused',
      pause: { cause: 'error_threshold', sentence: '2 of 10 devices failed (20 %), and 20 % stop this rollout.' },
    });
  });

  it('pauses at a number of failures, and does not hold those against it that were acknowledged', () => {
    const rules = policy({ stop: { failures: 3 } });
    const waves = [wave(0, 'running', { failed: 2, unknown: 1, succeeded: 5, waiting: 50 })];
    expect(decide(rollout(waves), rules, 0).pause?.sentence).toBe(
      '3 of 8 devices failed, and 3 failures stop this rollout.',
    );
    expect(decide(rollout(waves, { acknowledged: { finished: 8, failed: 3 } }), rules, 0).state).toBe('running');
  });

  it('waits for a person at a manual gate', () => {
    const rules = policy({ waves: [{ take: { count: 1 } }, { take: 'rest', gate: 'manual' }] });
    const at = (promoted: boolean) =>
      decide(
        rollout([wave(0, 'passed', { succeeded: 1 }), wave(1, 'waiting', { waiting: 9 }, { promoted })]),
        rules,
        0,
      );
    expect(at(false).waves).toEqual([]);
    expect(at(true).waves).toEqual([{ ordinal: 1, state: 'running', soakUntil: null }]);
  });

  it('is not held up by devices that are away once enough have succeeded, and ends only when they have', () => {
    const rules = policy({ waves: [{ take: { count: 10 }, successPercent: 80 }] });
    const away = (succeeded: number, offline: number) =>
      decide(rollout([wave(0, 'running', { succeeded, offline })]), rules, 0);
    expect(away(7, 3).waves).toEqual([]);
    expect(away(8, 2).waves).toMatchObject([{ state: 'soaking' }]);
    const passed = (offline: number) =>
      decide(rollout([wave(0, 'passed', { succeeded: 8, offline, skipped: 2 - offline })]), rules, 0);
    expect(passed(1)).toMatchObject({ state: 'running', startBudget: { upTo: 0 } });
    expect(passed(0)).toMatchObject({ state: 'finished' });
  });

  it('begins nothing after its end, cancels the rest, and is finished when what was under way has ended', () => {
    const rules = policy({ endsAt: '2026-11-23T04:00:00Z' });
    const at = (running: number) =>
      decide(rollout([wave(0, 'running', { running, waiting: 5 })]), rules, Date.parse('2026-11-23T04:00:00Z'));
    expect(at(1)).toMatchObject({ state: 'running', cancelRest: 'rollout_ended', startBudget: { count: 0 } });
    expect(at(0)).toMatchObject({ state: 'finished', cancelRest: 'rollout_ended' });
  });
});

describe('a rollout that does not run', () => {
  it.each(['draft', 'awaiting_approval', 'paused', 'finished', 'aborted'] as const)(
    'does nothing by itself in %s',
    (state) => {
      const waves = [wave(0, 'running', { waiting: 5, failed: 50 })];
      expect(decide(rollout(waves, { state }), policy(), 1e15)).toMatchObject({
        state,
        waves: [],
        startBudget: { count: 0 },
        cancelRest: null,
      });
    },
  );

  it('starts when its time has come', () => {
    const scheduled = rollout([wave(0, 'waiting', { waiting: 5 })], { state: 'scheduled', startsAt: 100 });
    expect(decide(scheduled, policy(), 99).state).toBe('scheduled');
    expect(decide(scheduled, policy(), 100).state).toBe('running');
  });

  it('runs by the clock alone: no verb of a person makes one run that did not', () => {
    for (const verb of ROLLOUT_VERBS)
      for (const state of ROLLOUT_STATES) {
        if (stateAfter(verb, state) === 'running') expect([verb, state]).toEqual([expect.any(String), 'running']);
      }
    expect(stateAfter('retry', 'running')).toBe('running');
    expect(stateAfter('retry', 'paused')).toBe('scheduled');
  });

  it('is aborted when what was under way has ended', () => {
    const at = (running: number) =>
      decide(rollout([wave(0, 'running', { running, waiting: 2 })], { state: 'aborting' }), policy(), 0);
    expect(at(1)).toMatchObject({ state: 'aborting', cancelRest: 'aborted' });
    expect(at(0)).toMatchObject({ state: 'aborted', cancelRest: 'aborted' });
  });

  it.each([
    ['approve', 'draft'],
    ['pause', 'paused'],
    ['resume', 'running'],
    ['abort', 'finished'],
    ['start', 'awaiting_approval'],
    ['retry', 'aborted'],
  ] as const)('refuses to %s in %s', (verb, state) => {
    expect(stateAfter(verb, state)).toBeNull();
  });
});

describe('a target', () => {
  const facts = { tries: 1, offlineSince: null, offlineChecks: 0 };
  const end = (some: Partial<JobEnd>): JobEnd => ({
    outcome: 'failed',
    code: 'x',
    isRetryable: false,
    wasOffline: false,
    ...some,
  });

  it.each([
    ['succeeds with its job', end({ outcome: 'succeeded' }), { state: 'succeeded' }],
    [
      'is unknown with its job, and never tried again',
      end({ outcome: 'unknown', isRetryable: true }),
      { state: 'unknown' },
    ],
    ['fails with a job whose failure will not pass', end({}), { state: 'failed', reason: 'x' }],
    ['is tried again when the failure may pass', end({ isRetryable: true }), { state: 'waiting', wakeAt: MINUTE }],
    [
      'is waited for when its device was away',
      end({ outcome: 'not_executed', wasOffline: true }),
      { state: 'offline', wakeAt: MINUTE },
    ],
    ['is cancelled with its job', end({ outcome: 'cancelled' }), { state: 'cancelled' }],
  ])('%s', (_words, how, expected) => {
    expect(afterJob(facts, how, policy({ retries: 1 }), 0)).toMatchObject(expected);
  });

  it('is tried no more often than the policy says', () => {
    expect(afterJob({ ...facts, tries: 2 }, end({ isRetryable: true }), policy({ retries: 1 }), 0).state).toBe(
      'failed',
    );
    expect(afterJob(facts, end({ isRetryable: true }), policy({ retries: 0 }), 0).state).toBe('failed');
  });

  it('is looked for with doubling pauses, until it is given up', () => {
    const rules = policy({ offline: { waitHours: 5 } });
    let [now, looks] = [0, 0];
    const pauses: number[] = [];
    for (;;) {
      const move = whenOffline({ tries: 0, offlineSince: 0, offlineChecks: looks++ }, rules, now);
      if (move.state !== 'offline') {
        expect(move).toEqual({ state: 'skipped', reason: 'offline_too_long' });
        break;
      }
      pauses.push((move.wakeAt - now) / MINUTE);
      now = move.wakeAt;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 57]);
    expect(now).toBe(5 * HOUR);
  });

  it('is skipped at once when the policy does not wait', () => {
    expect(whenOffline(facts, policy({ offline: { action: 'skip' } }), 0)).toEqual({
      state: 'skipped',
      reason: 'offline',
    });
  });
});

describe('waves', () => {
  const fleet = Array.from({ length: 20 }, (_, n) => ({
    deviceId: `d${n}`,
    tags: n % 5 === 0 ? ['lab'] : [],
    site: n < 10 ? 'vilnius/north' : 'kaunas',
  }));

  it('are dealt by tag, count, site, share and rest, each device once', () => {
    const { waves } = policy({
      waves: [
        { take: { tag: 'lab' } },
        { take: { count: 2 } },
        { take: { site: 'vilnius/*' } },
        { take: { percent: 25 } },
        { take: 'rest' },
      ],
    });
    const dealt = assignWaves(fleet, waves);
    expect(dealt.map(({ length }) => length)).toEqual([4, 2, 6, 5, 3]);
    expect(new Set(dealt.flat()).size).toBe(20);
  });

  it('give the canary to those that answer, where there are some', () => {
    const { waves } = policy({ waves: [{ take: { count: 2 } }, { take: 'rest' }] });
    const ids = fleet.map(({ deviceId }) => deviceId);
    const away = (count: number) => fleet.map((device, at) => ({ ...device, isAway: at < count }));
    expect(assignWaves(away(3), waves)[0]).toEqual(ids.slice(3, 5));
    expect(assignWaves(away(3), waves)[1]).toEqual([...ids.slice(0, 3), ...ids.slice(5)]);
    expect(assignWaves(away(19), waves)[0]).toEqual([ids[19], ids[0]]);
    expect(assignWaves(away(20), waves)[0]).toEqual(ids.slice(0, 2));
  });

  it('get one more for devices that none of them takes', () => {
    expect(assignWaves(fleet, policy({ waves: [{ take: { count: 3 } }] }).waves).map(({ length }) => length)).toEqual([
      3, 17,
    ]);
  });
});
