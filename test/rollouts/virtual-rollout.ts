import { maintenanceWindow, OpeningsAhead } from '../../src/rollouts/state/maintenance-window.js';
import { assignWaves, paceOf, rolloutPolicy, type RolloutPolicy } from '../../src/rollouts/state/rollout-policy.js';
import {
  afterJob,
  stateAfter,
  failedCount,
  decide,
  inFlight,
  finishedCount,
  NO_TARGETS,
  totalCount,
  sum,
  whenOffline,
  type Counts,
  type RolloutSnapshot,
  type RolloutState,
  type TargetState,
  type Wave,
} from '../../src/rollouts/state/rollout-state.js';

/*
 * A random rollout on a virtual clock. The shell here does what the real one does with rows: it counts targets, asks
 * `decide`, and begins targets whose window is open. Persons pause, resume, promote and abort at random. The rules it is
 * held to are written a second time, without the code under test: the clock on the wall is asked of `Intl`, the threshold
 * is counted target by target.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Target {
  readonly wave: number;
  readonly zone: string;
  state: TargetState;
  tries: number;
  offlineSince: number | null;
  offlineChecks: number;
  wakeAt: number;
  endsAt: number;
  /** Why it was skipped, where a person or a change of the fleet took it out: it is not meant to run any more. */
  takenOut: string | null;
}

/** What takes a target out that has not begun, and reasons to skip one that was to run. */
const TAKEN_OUT = ['operator', 'left_selector', 'device_removed'] as const;
const LOST = ['device_credentials_refused', 'offline_too_long', 'spec_invalid'] as const;

const ZONES = ['UTC', 'Europe/Vilnius', 'America/New_York', 'Asia/Kathmandu'];

/** Before clocks change: in Europe and in New York, in autumn and in spring. */
const EVES = ['2026-10-24T00:00Z', '2026-10-31T12:00Z', '2026-03-28T00:00Z', '2026-03-07T12:00Z'];

/** Windows, and what the clock on the wall must show at the beginning and at the end of work: minutes of the day. */
const WINDOWS = [
  { from: '01:30', to: '05:30', holds: (at: number) => at >= 90 && at <= 330 },
  { from: '22:00', to: '04:00', holds: (at: number) => at >= 1_320 || at <= 240 },
];

const EXPECTED_MINUTES = 10;

/** Longer than any of them lasts. */
const LONGEST_MS = 60 * 24 * HOUR;

/** Where a target may go; what has ended stays, unless the look after the soak finds it unhealthy. */
const MOVES: Readonly<Record<TargetState, readonly TargetState[]>> = {
  waiting: ['offline', 'running', 'skipped', 'cancelled'],
  offline: ['offline', 'running', 'skipped', 'cancelled'],
  queued: [],
  running: ['waiting', 'offline', 'succeeded', 'failed', 'unknown', 'skipped', 'cancelled'],
  succeeded: ['failed'],
  failed: [],
  unknown: [],
  skipped: [],
  cancelled: [],
};

export class VirtualRollout {
  /** How often something happened in this run. */
  readonly seen: Record<string, number> = {};
  private state: RolloutState = 'scheduled';
  private now: number;
  private readonly window: (typeof WINDOWS)[number] | null;
  private readonly policy: RolloutPolicy;
  private readonly targets: Target[];
  private waves: Wave[];
  private acknowledged = { finished: 0, failed: 0 };
  private readonly begun: number[] = [];
  /** Waves whose devices were looked at after the soak. */
  private readonly looked = new Set<number>();
  /** Waves that a person let count as passed. */
  private readonly accepted = new Set<number>();
  private readonly openings = new Map<string, { at: number; closesAt: number }>();
  /** Failures, and devices that could still fail, when the threshold was last found not to be reached. */
  private safe = { failed: 0, exposed: 0 };
  private readonly badShare: number;
  private readonly awayShare: number;
  /** How many targets end without having run. */
  private readonly lostShare: number;
  private seed: number;

  constructor(seed: number) {
    this.seed = seed;
    this.now = Date.parse(EVES[this.pick(0, EVES.length - 1)]!);
    this.badShare = this.chance(0.3) ? this.random() : this.random() * 0.1;
    this.awayShare = this.random() * 0.3;
    this.lostShare = this.chance(0.3) ? this.random() * 0.5 : 0;
    this.window = this.chance(0.5) ? WINDOWS[this.pick(0, WINDOWS.length - 1)]! : null;
    this.policy = this.makePolicy();
    const candidates = Array.from({ length: this.pick(1, 40) }, (_, n) => ({
      deviceId: String(n),
      tags: [],
      site: '',
    }));
    const dealt = assignWaves(candidates, this.policy.waves);
    this.targets = dealt.flatMap((ids, ordinal) => ids.map(() => this.makeTarget(ordinal)));
    this.waves = dealt.map((_, ordinal) => {
      return {
        ordinal,
        state: 'waiting',
        counts: NO_TARGETS,
        promoted: false,
        soakUntil: null,
        causes: [],
        unchecked: 0,
      };
    });
  }

  /** Lives until it has ended. @throws Error when a rule is broken */
  live(): void {
    const until = this.now + LONGEST_MS;
    while (this.state !== 'finished' && this.state !== 'aborted') {
      if (this.now > until) throw new Error(`It never ended: ${this.state}, ${JSON.stringify(this.count())}`);
      this.act();
      while (this.step());
      this.now = this.next();
      this.endJobs();
    }
    this.note(this.state);
    const total = sum(this.count());
    must(inFlight(total) + total.waiting + total.offline === 0, 'the end');
  }

  private makePolicy(): RolloutPolicy {
    return rolloutPolicy.parse({
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
      ...(this.chance(0.3) ? { perMinute: this.pick(1, 10) / 2 } : {}),
      windows: this.window ? [maintenanceWindow.parse({ from: this.window.from, to: this.window.to })] : [],
      expectedMinutes: EXPECTED_MINUTES,
      offline: { action: this.chance(0.7) ? 'wait' : 'skip', waitHours: this.pick(1, 48) },
      retries: this.pick(0, 2),
      ...(this.chance(0.1) ? { endsAt: new Date(this.now + this.pick(1, 72) * HOUR).toISOString() } : {}),
    });
  }

  private makeTarget(wave: number): Target {
    return {
      wave,
      zone: ZONES[this.pick(0, ZONES.length - 1)]!,
      state: 'waiting',
      tries: 0,
      offlineSince: null,
      offlineChecks: 0,
      wakeAt: 0,
      endsAt: 0,
      takenOut: null,
    };
  }

  /** What persons do. */
  private act(): void {
    if (this.state === 'paused') {
      const verb = this.chance(0.9) ? 'resume' : 'abort';
      const total = sum(this.count());
      this.acknowledged = { finished: finishedCount(total), failed: failedCount(total) };
      for (const { ordinal, state } of this.waves) if (state === 'failed') this.accepted.add(ordinal);
      this.waves = this.waves.map((one) => (one.state === 'failed' ? { ...one, state: 'accepted' } : one));
      this.state = stateAfter(verb, this.state)!;
    } else if (this.chance(0.01)) {
      const to = stateAfter('pause', this.state);
      if (to !== null) this.note('operator');
      this.state = to ?? this.state;
    } else if (this.chance(0.002)) {
      this.state = stateAfter('abort', this.state) ?? this.state;
    }
    this.waves = this.waves.map((one) => (this.chance(0.2) ? { ...one, promoted: true } : one));
  }

  /** One decision, done. @returns whether anything changed */
  private step(): boolean {
    const before = this.snapshot();
    const wasReached = this.isThresholdReached();
    const decision = decide(before, this.policy, this.now);
    this.state = decision.state;
    if (decision.pause) this.note(decision.pause.cause);
    for (const { ordinal, state, soakUntil } of decision.waves) {
      if (state === 'running') this.holdOpening(ordinal);
      this.waves[ordinal] = { ...this.waves[ordinal]!, state, soakUntil };
    }
    if (decision.cancelRest) for (const one of this.targets) if (isIdle(one)) go(one, 'cancelled');
    if (decision.startBudget.count > 0) this.begin(before, decision.startBudget);
    if (before.state === 'running' && wasReached) must(this.state === 'paused', 'the threshold');
    this.hold();
    for (const ordinal of decision.check) this.look(ordinal);
    return decision.waves.length > 0 || decision.check.length > 0 || decision.state !== before.state;
  }

  private begin(before: RolloutSnapshot, { upTo, count }: { upTo: number; count: number }): void {
    const ready = this.targets.filter((one) => one.wave <= upTo && isIdle(one) && one.wakeAt <= this.now);
    const open = new Map(ZONES.map((zone) => [zone, this.isOpen(zone)]));
    for (const one of ready.filter(({ zone }) => open.get(zone)).slice(0, count)) {
      this.holdStart(before, one);
      if (this.chance(this.lostShare)) {
        this.lose(one);
        continue;
      }
      if (this.chance(this.awayShare)) {
        this.move(one, whenOffline(one, this.policy, this.now));
        continue;
      }
      go(one, 'running');
      Object.assign(one, { tries: one.tries + 1, offlineSince: null, offlineChecks: 0 });
      one.endsAt = this.now + this.pick(1, EXPECTED_MINUTES) * MINUTE;
      this.begun.push(this.now);
    }
  }

  /** A wave begins when the one before had its share of those that were meant to run, or a person accepted what was. */
  private holdOpening(ordinal: number): void {
    const before = ordinal - 1;
    if (before < 0 || this.accepted.has(before)) return;
    const targets = this.targets.filter(({ wave }) => wave === before);
    const succeeded = targets.filter(({ state }) => state === 'succeeded').length;
    const meant = targets.filter(({ takenOut }) => takenOut === null).length;
    must(succeeded > 0 || targets.length === 0, 'a wave after one without a success');
    must(succeeded * 100 >= meant * this.policy.waves[before]!.successPercent, 'the share of the wave before');
    if (targets.length > 0) this.note('a wave after a wave');
  }

  /** Said as absences: when nothing may begin. */
  private holdStart(before: RolloutSnapshot, one: Target): void {
    must(before.state === 'running', 'the state');
    must(before.waves[one.wave]!.state !== 'waiting', 'the wave');
    must(
      before.waves.slice(0, one.wave).every(({ state }) => state === 'passed' || state === 'accepted'),
      'the order of waves',
    );
    must(!this.isThresholdReached(), 'a start past the threshold');
    must(one.tries <= this.policy.retries, 'the tries');
    if (!this.window) return;
    must(this.window.holds(onTheWall(this.now, one.zone)), 'the beginning of the window');
    must(this.window.holds(onTheWall(this.now + EXPECTED_MINUTES * MINUTE, one.zone)), 'the end of the window');
    this.note('begun in a window');
  }

  /** A target ends before its job begins. */
  private lose(one: Target): void {
    go(one, 'skipped');
    if (this.chance(0.5)) one.takenOut = TAKEN_OUT[this.pick(0, TAKEN_OUT.length - 1)]!;
    this.note('lost');
  }

  /** Jobs whose time is up end, at random as real ones do. */
  private endJobs(): void {
    for (const one of this.targets) {
      if (one.state !== 'running' || one.endsAt > this.now) continue;
      const outcomes = ['failed', 'unknown', 'not_executed'] as const;
      const ended = this.chance(this.badShare) ? outcomes[this.pick(0, 2)]! : ('succeeded' as const);
      const outcome = this.chance(this.lostShare) ? ('cancelled' as const) : ended;
      const end = { outcome, code: outcome, isRetryable: this.chance(0.5), wasOffline: this.chance(0.3) };
      this.move(one, afterJob(one, end, this.policy, this.now));
    }
  }

  private move(one: Target, to: ReturnType<typeof afterJob>): void {
    if (to.state === 'offline') {
      one.offlineSince ??= this.now;
      one.offlineChecks++;
      if (one.state === 'running') one.tries--; // it was away: this was no try
    }
    go(one, to.state);
    if ('wakeAt' in to) one.wakeAt = to.wakeAt;
  }

  /** The look after the soak: some that succeeded do not hold it. */
  private look(ordinal: number): void {
    for (const one of this.targets) {
      if (one.wave !== ordinal || one.state !== 'succeeded' || !this.chance(this.badShare / 4)) continue;
      go(one, 'failed');
      this.safe.exposed++;
      this.note('unhealthy');
    }
    this.looked.add(ordinal);
  }

  /** What must hold at every moment. */
  private hold(): void {
    const total = sum(this.count());
    must(totalCount(total) === this.targets.length, 'the counts');
    must(inFlight(total) <= this.policy.concurrency, 'the concurrency');
    must(this.startedInPace() <= paceOf(this.policy, 0).starts, 'the pace');
    // Past a threshold by no more than what was in flight, or was looked at, when it was not reached yet.
    if (!this.isThresholdReached()) this.safe = { failed: failedCount(total), exposed: inFlight(total) };
    must(failedCount(total) <= this.safe.failed + this.safe.exposed, 'how far past the threshold');
  }

  /** The rule of the policy, counted from the targets since a person last accepted what is. */
  private isThresholdReached(): boolean {
    let [failed, finished] = [-this.acknowledged.failed, -this.acknowledged.finished];
    for (const { state } of this.targets) {
      if (state === 'failed' || state === 'unknown') failed++;
      if (state === 'failed' || state === 'unknown' || state === 'succeeded') finished++;
    }
    const { stop } = this.policy;
    if (stop === 'never') return false;
    const { failures, percent, minimum } = stop;
    if (failures !== undefined) return failed >= failures;
    return percent !== undefined && failed > 0 && finished >= minimum && failed / finished >= percent / 100;
  }

  private snapshot(): RolloutSnapshot {
    const all = this.count();
    return {
      state: this.state,
      waves: this.waves.map((one, ordinal) => {
        const wants = this.policy.checks.length > 0 && !this.looked.has(ordinal);
        const causes = this.causes(ordinal);
        return { ...one, counts: all[ordinal]!, causes, unchecked: wants ? all[ordinal]!.succeeded : 0 };
      }),
      acknowledged: this.acknowledged,
      startsAt: null,
      startedInPace: this.startedInPace(),
      bytesPerStart: 0,
    };
  }

  private causes(ordinal: number): Wave['causes'] {
    if (!this.seen['lost']) return [];
    return this.targets
      .filter(({ wave, state }) => wave === ordinal && state === 'skipped')
      .map(({ takenOut }) => ({ state: 'skipped', reason: takenOut ?? LOST[ordinal % LOST.length]!, count: 1 }));
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
    // Where pace held something back, it may go on a pace later.
    const paced = this.startedInPace() > 0 ? [this.now + paceOf(this.policy, 0).withinMs] : [];
    const later = [...moments, ...soaks, ...paced].filter((at) => at > this.now);
    // With nothing to wait for, a person acts.
    return later.length > 0 ? Math.min(...later) : this.now + MINUTE;
  }

  private isOpen(zone: string): boolean {
    return this.opening(zone) === this.now;
  }

  /** When work can begin in a zone, at or after now. */
  private opening(zone: string): number {
    const neededMs = EXPECTED_MINUTES * MINUTE;
    let known = this.openings.get(zone);
    if (!known || known.closesAt - neededMs < this.now) {
      known = new OpeningsAhead(this.policy.windows, zone, this.now).next(this.now, neededMs)!;
      this.openings.set(zone, known);
    }
    return Math.max(known.at, this.now);
  }

  private startedInPace(): number {
    const first = this.begun.findLastIndex((at) => at <= this.now - paceOf(this.policy, 0).withinMs) + 1;
    return this.begun.length - first;
  }

  private note(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
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

function go(one: Target, to: TargetState): void {
  must(MOVES[one.state].includes(to), `from ${one.state} to ${to}`);
  one.state = to;
}

const isIdle = ({ state }: Target): boolean => state === 'waiting' || state === 'offline';

const CLOCKS = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  ]),
);

/**
 * Minutes of the day that the clock of a zone shows. In an hour that comes a second time, the last one of the first time:
 * a window that has opened by then does not close because the clock was turned back.
 */
function onTheWall(instant: number, zone: string): number {
  const shown = (at: number) => CLOCKS.get(zone)!.format(at);
  const [hours, minutes] = shown(instant).split(':').map(Number);
  return hours! * 60 + (shown(instant - HOUR) === shown(instant) ? 59 : minutes!);
}
