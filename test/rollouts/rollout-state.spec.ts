import { describe, expect, it } from '@jest/globals';
import { maintenanceWindow, mayBegin, nextOpening } from '../../src/rollouts/maintenance-window.js';
import { dealWaves, rolloutPolicy, type RolloutPolicy } from '../../src/rollouts/rollout-policy.js';
import {
  afterJob,
  apply,
  bad,
  decide,
  inFlight,
  judged,
  NO_TARGETS,
  size,
  sum,
  whenAway,
  type Counts,
  type JobEnd,
  type Rollout,
  type RolloutState,
  type TargetState,
  type Wave,
} from '../../src/rollouts/rollout-state.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const counts = (some: Partial<Counts>): Counts => ({ ...NO_TARGETS, ...some });

function wave(ordinal: number, state: Wave['state'], some: Partial<Counts>, more: Partial<Wave> = {}): Wave {
  return { ordinal, state, counts: counts(some), promoted: false, soakUntil: null, unchecked: 0, ...more };
}

function rollout(waves: readonly Wave[], more: Partial<Rollout> = {}): Rollout {
  const acknowledged = { finished: 0, failed: 0 };
  return { state: 'running', waves, acknowledged, startsAt: null, begunLastMinute: 0, bytesPerStart: 0, ...more };
}

const policy = (some: object = {}): RolloutPolicy => rolloutPolicy.parse(some);

describe('a rollout that runs', () => {
  it('opens its canary, and begins nothing before it is open', () => {
    const fresh = rollout([wave(0, 'waiting', { waiting: 1 }), wave(1, 'waiting', { waiting: 9 })]);
    expect(decide(fresh, policy(), 0)).toMatchObject({
      waves: [{ ordinal: 0, state: 'running' }],
      mayStart: { count: 0 },
    });
  });

  it('begins as many of the open wave as may be at work, and none of the next', () => {
    const open = rollout([
      wave(0, 'passed', { succeeded: 1 }),
      wave(1, 'running', { waiting: 90, running: 7, queued: 3 }),
    ]);
    expect(decide(open, policy({ concurrency: 25 }), 0).mayStart).toEqual({ upTo: 1, count: 15 });
  });

  it('keeps the pace that it was told, in devices and in bytes', () => {
    const open = rollout([wave(0, 'running', { waiting: 90 })], { begunLastMinute: 4, bytesPerStart: 6_000_000 });
    expect(decide(open, policy({ perMinute: 10 }), 0).mayStart.count).toBe(6);
    expect(decide(open, policy({ bytesPerSecond: 1_000_000 }), 0).mayStart.count).toBe(6);
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
        sentence: 'Wave 1 ended with 0 of 1 devices succeeded (0 %), and 100 % are asked for: 1 need a look.',
      },
      waves: [{ ordinal: 0, state: 'failed' }],
    });
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
    expect(passed(1)).toMatchObject({ state: 'running', mayStart: { upTo: 0 } });
    expect(passed(0)).toMatchObject({ state: 'finished' });
  });

  it('begins nothing after its end, cancels the rest, and is finished when what was under way has ended', () => {
    const rules = policy({ endsAt: '2026-11-23T04:00:00Z' });
    const at = (running: number) =>
      decide(rollout([wave(0, 'running', { running, waiting: 5 })]), rules, Date.parse('2026-11-23T04:00:00Z'));
    expect(at(1)).toMatchObject({ state: 'running', cancelRest: 'rollout_ended', mayStart: { count: 0 } });
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
        mayStart: { count: 0 },
        cancelRest: null,
      });
    },
  );

  it('starts when its time has come', () => {
    const scheduled = rollout([wave(0, 'waiting', { waiting: 5 })], { state: 'scheduled', startsAt: 100 });
    expect(decide(scheduled, policy(), 99).state).toBe('scheduled');
    expect(decide(scheduled, policy(), 100).state).toBe('running');
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
    ['reopen', 'aborted'],
  ] as const)('refuses to %s in %s', (verb, state) => {
    expect(apply(verb, state)).toBeNull();
  });
});

describe('a target', () => {
  const facts = { tries: 1, offlineSince: null, offlineLooks: 0 };
  const end = (some: Partial<JobEnd>): JobEnd => ({
    outcome: 'failed',
    code: 'x',
    mayPass: false,
    wasOffline: false,
    ...some,
  });

  it.each([
    ['succeeds with its job', end({ outcome: 'succeeded' }), { state: 'succeeded' }],
    [
      'is unknown with its job, and never tried again',
      end({ outcome: 'unknown', mayPass: true }),
      { state: 'unknown' },
    ],
    ['fails with a job whose failure will not pass', end({}), { state: 'failed', reason: 'x' }],
    ['is tried again when the failure may pass', end({ mayPass: true }), { state: 'waiting', wakeAt: MINUTE }],
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
    expect(afterJob({ ...facts, tries: 2 }, end({ mayPass: true }), policy({ retries: 1 }), 0).state).toBe('failed');
    expect(afterJob(facts, end({ mayPass: true }), policy({ retries: 0 }), 0).state).toBe('failed');
  });

  it('is looked for with doubling pauses, until it is given up', () => {
    const rules = policy({ offline: { waitHours: 5 } });
    let [now, looks] = [0, 0];
    const pauses: number[] = [];
    for (;;) {
      const move = whenAway({ tries: 0, offlineSince: 0, offlineLooks: looks++ }, rules, now);
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
    expect(whenAway(facts, policy({ offline: { action: 'skip' } }), 0)).toEqual({
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
    const dealt = dealWaves(fleet, waves);
    expect(dealt.map(({ length }) => length)).toEqual([4, 2, 6, 5, 3]);
    expect(new Set(dealt.flat()).size).toBe(20);
  });

  it('get one more for devices that none of them takes', () => {
    expect(dealWaves(fleet, policy({ waves: [{ take: { count: 3 } }] }).waves).map(({ length }) => length)).toEqual([
      3, 17,
    ]);
  });
});

/*
 * Random rollouts on a virtual clock. The shell below does what the real one does with rows: it counts targets, asks
 * `decide`, and begins targets whose window is open. Persons pause, resume, promote and abort at random.
 */
describe('10,000 random rollouts', () => {
  const RUNS = Number(process.env['TEST_ROLLOUT_RUNS'] ?? 10_000);
  const SEED = Number(process.env['TEST_SEED'] ?? 20_261_121);

  it(`break no rule (seed ${SEED})`, () => {
    const ends: Record<string, number> = {};
    for (let run = 0; run < RUNS; run++) {
      const world = new World(SEED + run);
      try {
        world.live();
      } catch (error) {
        throw new Error(`Run ${run} of seed ${SEED} (TEST_SEED=${SEED + run} TEST_ROLLOUT_RUNS=1 repeats it)`, {
          cause: error,
        });
      }
      ends[world.state] = (ends[world.state] ?? 0) + 1;
    }
    // Every way to end was taken, so that the rules were really tried.
    expect(Object.keys(ends).toSorted((a, b) => a.localeCompare(b))).toEqual(['aborted', 'finished']);
  });
});

interface Target {
  readonly wave: number;
  readonly zone: string;
  state: TargetState;
  tries: number;
  offlineSince: number | null;
  offlineLooks: number;
  wakeAt: number;
  endsAt: number;
}

const ZONES = ['UTC', 'Europe/Vilnius', 'America/New_York', 'Asia/Kathmandu'];

class World {
  state: RolloutState = 'scheduled';
  private now = Date.parse('2026-10-24T00:00Z'); // the night before clocks change in Europe
  private readonly policy: RolloutPolicy;
  private readonly targets: Target[];
  private waves: Wave[];
  private acknowledged = { finished: 0, failed: 0 };
  private readonly begun: number[] = [];
  private readonly openings = new Map<string, { at: number; closesAt: number }>();
  private readonly badShare: number;
  private readonly awayShare: number;
  private seed: number;

  constructor(seed: number) {
    this.seed = seed;
    const total = this.pick(1, 40);
    this.badShare = this.chance(0.3) ? this.random() : this.random() * 0.1;
    this.awayShare = this.random() * 0.3;
    this.policy = policy({
      waves: [
        { take: { count: this.pick(1, 3) }, successPercent: 100, soakMinutes: this.pick(0, 60) },
        {
          take: { percent: this.pick(5, 50) },
          gate: this.chance(0.2) ? 'manual' : 'auto',
          successPercent: this.pick(0, 100),
        },
        { take: 'rest', soakMinutes: this.pick(0, 30) },
      ],
      checks: this.chance(0.5) ? [{ check: 'reachable' }] : [],
      stop: this.chance(0.5) ? { failures: this.pick(1, 5) } : { percent: this.pick(1, 60), minimum: this.pick(1, 10) },
      concurrency: this.pick(1, 10),
      ...(this.chance(0.3) ? { perMinute: this.pick(1, 5) } : {}),
      windows: this.chance(0.5) ? [maintenanceWindow.parse({ from: '01:30', to: '05:30' })] : [],
      expectedMinutes: 10,
      offline: { action: this.chance(0.7) ? 'wait' : 'skip', waitHours: this.pick(1, 48) },
      retries: this.pick(0, 2),
      ...(this.chance(0.1) ? { endsAt: new Date(this.now + this.pick(1, 72) * HOUR).toISOString() } : {}),
    });
    const candidates = Array.from({ length: total }, (_, n) => ({ deviceId: String(n), tags: [], site: '' }));
    const dealt = dealWaves(candidates, this.policy.waves);
    this.targets = dealt.flatMap((ids, ordinal) =>
      ids.map(() => ({
        wave: ordinal,
        zone: ZONES[this.pick(0, ZONES.length - 1)]!,
        state: 'waiting' as const,
        tries: 0,
        offlineSince: null,
        offlineLooks: 0,
        wakeAt: 0,
        endsAt: 0,
      })),
    );
    this.waves = dealt.map((_, ordinal) => wave(ordinal, 'waiting', {}));
  }

  /** Lives until the rollout has ended; 60 days of the virtual clock are enough for any of them. */
  live(): void {
    const until = this.now + 60 * 24 * HOUR;
    while (this.state !== 'finished' && this.state !== 'aborted') {
      if (this.now > until) throw new Error(`It never ended: ${this.state}, ${JSON.stringify(this.count())}`);
      this.act();
      while (this.step());
      this.now = this.next();
      this.endJobs();
    }
    const total = sum(this.count());
    must(inFlight(total) + total.waiting + total.offline === 0, 'the end');
  }

  private act(): void {
    if (this.state === 'paused') {
      const verb = this.chance(0.9) ? 'resume' : 'abort';
      const total = sum(this.count());
      this.acknowledged = { finished: judged(total), failed: bad(total) };
      this.waves = this.waves.map((one) => (one.state === 'failed' ? { ...one, state: 'passed' } : one));
      this.state = apply(verb, this.state)!;
    } else if (this.chance(0.01)) {
      this.state = apply('pause', this.state) ?? this.state;
    } else if (this.chance(0.002)) {
      this.state = apply('abort', this.state) ?? this.state;
    }
    this.waves = this.waves.map((one) => (this.chance(0.05) ? { ...one, promoted: true } : one));
  }

  /** One decision, done. @returns whether anything changed */
  private step(): boolean {
    const before = this.snapshot();
    const decision = decide(before, this.policy, this.now);
    this.state = decision.state;
    for (const { ordinal, state, soakUntil } of decision.waves) {
      this.waves[ordinal] = { ...this.waves[ordinal]!, state, soakUntil };
    }
    for (const ordinal of decision.check) this.look(ordinal);
    if (decision.cancelRest) for (const one of this.targets) if (isIdle(one)) one.state = 'cancelled';
    if (decision.mayStart.count > 0) this.begin(before, decision.mayStart);
    this.hold(before);
    return decision.waves.length > 0 || decision.check.length > 0 || decision.state !== before.state;
  }

  private begin(before: Rollout, { upTo, count }: { upTo: number; count: number }): void {
    const ready = this.targets.filter((one) => one.wave <= upTo && isIdle(one) && one.wakeAt <= this.now);
    const open = new Map(ZONES.map((zone) => [zone, this.isOpen(zone)]));
    for (const one of ready.filter(({ zone }) => open.get(zone)).slice(0, count)) {
      // Said as absences: nothing begins in a wave that is not open, in a closed window, or in a rollout that does not run.
      must(before.state === 'running', 'the state');
      must(before.waves[one.wave]!.state !== 'waiting', 'the wave');
      must(mayBegin(this.policy.windows, one.zone, this.now, 10 * MINUTE), 'the window');
      if (this.chance(this.awayShare)) {
        this.move(one, whenAway(one, this.policy, this.now));
        continue;
      }
      Object.assign(one, { state: 'running', tries: one.tries + 1, offlineSince: null, offlineLooks: 0 });
      one.endsAt = this.now + this.pick(1, 10) * MINUTE;
      this.begun.push(this.now);
    }
  }

  /** Jobs whose time is up end, at random as real ones do. */
  private endJobs(): void {
    for (const one of this.targets) {
      if (one.state !== 'running' || one.endsAt > this.now) continue;
      const outcomes = ['failed', 'unknown', 'not_executed'] as const;
      const outcome = this.chance(this.badShare) ? outcomes[this.pick(0, 2)]! : ('succeeded' as const);
      const end = { outcome, code: outcome, mayPass: this.chance(0.5), wasOffline: this.chance(0.3) };
      this.move(one, afterJob(one, end, this.policy, this.now));
    }
  }

  private move(one: Target, to: ReturnType<typeof afterJob>): void {
    if (to.state === 'offline') {
      one.offlineSince ??= this.now;
      one.offlineLooks++;
    }
    one.state = to.state;
    if ('wakeAt' in to) one.wakeAt = to.wakeAt;
  }

  private look(ordinal: number): void {
    for (const one of this.targets) {
      if (one.wave === ordinal && one.state === 'succeeded' && this.chance(this.badShare / 4)) one.state = 'failed';
    }
    this.waves[ordinal] = { ...this.waves[ordinal]!, unchecked: 0 };
  }

  /** What must hold at every moment. */
  private hold(before: Rollout): void {
    const total = sum(this.count());
    must(size(total) === this.targets.length, 'the counts');
    must(inFlight(total) <= this.policy.concurrency, 'the concurrency');
    if (this.policy.perMinute !== undefined) {
      must(this.begunLastMinute() <= Math.ceil(this.policy.perMinute), 'the pace');
    }
    // Past a threshold nothing begins: what failed after it was already under way when it was reached.
    const { failures } = this.policy.stop;
    const failed = bad(sum(before.waves.map((one) => one.counts))) - this.acknowledged.failed;
    if (failures !== undefined && failed >= failures && before.state === 'running')
      must(this.state === 'paused', 'the threshold');
  }

  private snapshot(): Rollout {
    const all = this.count();
    return {
      state: this.state,
      waves: this.waves.map((one, ordinal) => {
        const wants = this.policy.checks.length > 0 && one.state === 'soaking' && one.unchecked !== 0;
        return { ...one, counts: all[ordinal]!, unchecked: wants ? all[ordinal]!.succeeded : one.unchecked };
      }),
      acknowledged: this.acknowledged,
      startsAt: null,
      begunLastMinute: this.begunLastMinute(),
      bytesPerStart: 0,
    };
  }

  private count(): Counts[] {
    const all = this.waves.map((): Record<TargetState, number> => ({ ...NO_TARGETS }));
    for (const one of this.targets) all[one.wave]![one.state]++;
    return all;
  }

  /** The next instant at which something can happen. */
  private next(): number {
    const openings = new Map(ZONES.map((zone) => [zone, this.opening(zone)]));
    const moments = this.targets.flatMap((one) => {
      if (one.state === 'running') return [one.endsAt];
      return isIdle(one) ? [Math.max(one.wakeAt, openings.get(one.zone)!)] : [];
    });
    const soaks = this.waves.flatMap(({ soakUntil }) => (soakUntil === null ? [] : [soakUntil]));
    // Where pace held something back, a minute later it may go on.
    const paced = this.policy.perMinute !== undefined && this.begunLastMinute() > 0 ? [this.now + MINUTE] : [];
    const later = [...moments, ...soaks, ...paced].filter((at) => at > this.now);
    // With nothing to wait for, a person acts.
    return later.length > 0 ? Math.min(...later) : this.now + MINUTE;
  }

  private isOpen(zone: string): boolean {
    return this.opening(zone) === this.now;
  }

  /** When work can begin in a zone, at or after now. */
  private opening(zone: string): number {
    const neededMs = this.policy.expectedMinutes * MINUTE;
    let known = this.openings.get(zone);
    if (!known || known.closesAt - neededMs < this.now) {
      known = nextOpening(this.policy.windows, zone, this.now, neededMs)!;
      this.openings.set(zone, known);
    }
    return Math.max(known.at, this.now);
  }

  private begunLastMinute(): number {
    const first = this.begun.findLastIndex((at) => at <= this.now - MINUTE) + 1;
    return this.begun.length - first;
  }

  private pick(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  private chance(of: number): boolean {
    return this.random() < of;
  }

  /** mulberry32: small, and the same everywhere. */
  private random(): number {
    this.seed = (this.seed + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

/** As `expect`, which takes ten times as long as a whole decision. */
function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`Broken: ${rule}`);
}

const isIdle = ({ state }: Target): boolean => state === 'waiting' || state === 'offline';
