import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { Authors, keyIdOf } from '../../auth/keys/authors.service.js';
import { NO_RIGHTS } from '../../auth/rights/rights.js';
import { Locks } from '../../auth/access/locks.service.js';
import { isMovedSince } from '../../devices/registry/device-addresses.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { REFUSED_STATES } from '../../devices/fleet-files/fleet-preview.service.js';
import { EventLoopTurns } from '../../platform/event-loop.js';
import { type BatchItem, JobBatches } from '../../jobs/engine/job-batches.js';
import { isOfflineCode, isRetryableCode } from '../../jobs/rows/step-error.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { type SpecChecker, SpecRights } from '../../jobs/engine/spec-rights.js';
import { systemActor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError, isPermanentError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { eachRow, type Sweeper } from '../../platform/sweeper.js';
import { WorkMarks } from '../../database/work-marks.js';
import { HealthChecks } from './health-checks.js';
import { isWindowOpen } from '../state/maintenance-window.js';
import { Membership } from './membership.js';
import { authoredRowOf, specFor } from './rollout-rights.js';
import { type EndedTarget, neededMs, type ReadyTarget, RolloutRows } from './rollout-rows.js';
import { afterJob, decide, type Decision, whenOffline, type TargetChange } from '../state/rollout-state.js';
import { Rollout } from '../state/rollout.entity.js';

/*
 * Advances rollouts. One transaction advances a rollout and starts its jobs, under a lock on the row of the rollout. So a
 * process that dies in the middle has changed nothing, and any number of processes may sweep. The steps of `advanceOnce`:
 *
 *   collectResults -> locks, author -> updateMembership -> decideAndAct (`decide`, waves, startNext, state) -> jobs to cancel
 */

const ACTOR = systemActor('rollouts');

/** The most jobs that one decision starts, and the most results that one transaction reads. */
const BATCH = 500;

/** Consecutive transactions for one rollout with a large amount of work; then other rollouts continue. */
const MAX_TRANSACTIONS = 20;

/** A target whose device is locked waits this long. */
const LOCKED_RETRY_MS = 60_000;

/** Consecutive decisions for one rollout: an empty wave passes at once, and so may the next one. */
const MAX_DECISIONS = 60;

@Injectable()
export class RolloutSweeper implements Sweeper {
  readonly name = 'rollouts';
  readonly everyMs = 500;
  /** Only in workers: the health checks after a soak call devices. */
  readonly isForWorkers = true;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(RolloutRows) private readonly rows: RolloutRows,
    @Inject(JobBatches) private readonly batches: JobBatches,
    @Inject(JobsService) private readonly jobs: JobsService,
    @Inject(HealthChecks) private readonly checks: HealthChecks,
    @Inject(Membership) private readonly membership: Membership,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(SpecRights) private readonly specs: SpecRights,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** A job that has ended lets the next one start. */
  onWork(wake: () => void): void {
    this.batches.onEnd(wake);
  }

  async sweep(): Promise<Record<string, number>> {
    const did = { begun: 0, ended: 0, paused: 0, finished: 0 };
    const ids = await this.rows.active(this.db.manager);
    const work = (some: readonly string[]) =>
      eachRow(some, (id) =>
        this.advanceRepeatedly(id, did).catch((error: unknown) => this.pauseOnPermanentError(id, error)),
      );
    await this.marks.during('rollout', ids, work, (id) => this.quarantine(id));
    return did;
  }

  /** Advances one rollout until a transaction did less than a full batch. */
  private async advanceRepeatedly(
    id: string,
    did: Record<'begun' | 'ended' | 'paused' | 'finished', number>,
  ): Promise<void> {
    for (let round = 0; round < MAX_TRANSACTIONS; round++) {
      const progress = await this.advanceOnce(id);
      if (!progress) return;
      did.begun += progress.started;
      did.ended += progress.ended;
      if (progress.newState === 'paused') did.paused++;
      if (progress.newState === 'finished' || progress.newState === 'aborted') did.finished++;
      if (progress.started > 0) this.batches.notifyAfterCommit();
      await this.cancelJobs(progress.jobsToCancel);
      for (const wave of progress.checks) this.checks.start(id, wave, (checked) => this.quarantine(checked));
      if (progress.started < BATCH && progress.ended < BATCH) return;
    }
  }

  /**
   * Pauses a rollout after a permanent error, which would repeat at each pass: a person must resume it.
   * @throws the error, unless it is permanent and the rollout is scheduled, running, or locked by another process
   */
  private pauseOnPermanentError(id: string, error: unknown): Promise<void> {
    if (!isPermanentError(error)) throw error;
    return this.db.transaction(async (tx) => {
      if (!(await this.rows.lockRow(tx, id))) return;
      const rollout = await tx.findOneByOrFail(Rollout, { id });
      if (rollout.state !== 'scheduled' && rollout.state !== 'running') throw error;
      const sentence = `It cannot continue (${error.code}): ${error.message}.`;
      await this.transitionTo(tx, rollout, { state: 'paused', pause: { cause: 'refused', sentence } });
    });
  }

  /** Stops a rollout that crashed its processes: an aborting one is aborted, any other is paused until a person resumes it. */
  private async quarantine(id: string): Promise<void> {
    const found = await this.db.manager.findOneBy(Rollout, { id });
    // Now, since afterwards the rollout has ended. A job past its point of no return goes on to a verified end.
    if (found?.state === 'aborting') await this.cancelJobs(await this.rows.listOpenJobs(this.db.manager, id));
    await this.db.transaction(async (tx) => {
      const rollout = await tx.findOne(Rollout, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!rollout || rollout.endedAt !== null) return;
      if (rollout.state === 'aborting') {
        // An abort by a person is not undone.
        await this.rows.cancelRest(tx, id, 'aborted');
        await this.rows.markUnknown(tx, id, 'quarantined');
        return this.transitionTo(tx, rollout, { state: 'aborted', pause: null });
      }
      const sentence =
        'Three processes ended or stopped answering while they worked on it. Look at their logs, then resume it.';
      await this.transitionTo(tx, rollout, { state: 'paused', pause: { cause: 'quarantined', sentence } });
    });
  }

  /** Advances one rollout, in one transaction; null when it is not active any more, or another process has the lock. */
  private async advanceOnce(id: string): Promise<RolloutProgress | null> {
    return this.db.transaction(async (tx) => {
      if (!(await this.rows.lockRow(tx, id))) return null;
      const rollout = await tx.findOneByOrFail(Rollout, { id });
      const before = rollout.state;
      const progress: RolloutProgress = { started: 0, ended: 0, newState: null, jobsToCancel: [], checks: new Set() };
      progress.ended = await this.collectResults(tx, rollout);
      const lock = before === 'running' ? await this.lockOf(tx, rollout) : null;
      if (lock !== null)
        await this.transitionTo(tx, rollout, { state: 'paused', pause: { cause: 'locked', sentence: lock } });
      else if (before === 'running' && (await this.hasLostAuthor(tx, rollout))) {
        const sentence = `${rollout.createdByName}, its author, was disabled, or their key was revoked.`;
        await this.transitionTo(tx, rollout, { state: 'paused', pause: { cause: 'author_gone', sentence } });
      }
      if (rollout.state === 'running') await this.updateMembership(tx, rollout);
      await this.decideAndAct(tx, rollout, progress);
      if (rollout.state !== before) progress.newState = rollout.state;
      if (rollout.state === 'running' || rollout.state === 'paused') {
        progress.jobsToCancel = await this.rows.recallOfflineJobs(tx, id, BATCH);
      }
      if (rollout.state === 'aborting') progress.jobsToCancel = await this.rows.markForCancel(tx, id, BATCH);
      return progress;
    });
  }

  /** Applies the selector of a rollout; an unreadable one pauses it. */
  private async updateMembership(tx: EntityManager, rollout: Rollout): Promise<void> {
    try {
      await this.membership.update(tx, rollout);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'invalid_selector')) throw error;
      const { expected, near } = error.facts as { expected?: string; near?: string };
      const sentence = `Its selector can no longer be read${near ? ` at ${near}` : ''}: expected ${expected}.`;
      await this.transitionTo(tx, rollout, { state: 'paused', pause: { cause: 'selector_unreadable', sentence } });
    }
  }

  /** The lock that stops the rollout, in a sentence; null when there is none. */
  private async lockOf(tx: EntityManager, rollout: Rollout): Promise<string | null> {
    const { operatorId } = rollout;
    const keyId = operatorId === null ? null : keyIdOf(await authoredRowOf(tx, rollout));
    const lock = this.locks.lockOfAuthor(operatorId === null ? null : { operatorId, keyId });
    if (lock === null) return null;
    const what = lock.kind === 'writes' ? 'all writes' : 'its author';
    return `${lock.createdByName} locked ${what}: ${lock.reason}`;
  }

  /** Whether the author of a rollout, or of its schedule, is disabled or their key revoked. */
  private async hasLostAuthor(tx: EntityManager, rollout: Rollout): Promise<boolean> {
    if (rollout.operatorId === null) return false; // the gateway's own
    return (await this.authors.orphansOf([await authoredRowOf(tx, rollout)])).size > 0;
  }

  /** Checks the artifacts and sealed values that specs name, with the present rights of the author. */
  private async checkerFor(tx: EntityManager, rollout: Rollout): Promise<SpecChecker> {
    const rights = (await this.authors.rightsOf(await authoredRowOf(tx, rollout))) ?? NO_RIGHTS;
    return this.specs.checkerFor({ operatorId: rollout.operatorId, rights });
  }

  /** Reads the results of started jobs. @returns how many have ended */
  private async collectResults(tx: EntityManager, rollout: Rollout): Promise<number> {
    const now = this.clock.now().getTime();
    await this.rows.markRunning(tx, rollout.id);
    const ended = await this.rows.ended(tx, rollout.id, BATCH);
    await this.rows.changeTargets(
      tx,
      rollout.id,
      ended.map((target) => ({ deviceId: target.deviceId, change: changeOf(target, rollout, now) })),
    );
    return ended.length;
  }

  /** Decides and acts until a decision changes nothing. */
  private async decideAndAct(tx: EntityManager, rollout: Rollout, progress: RolloutProgress): Promise<void> {
    await this.rows.skipRemoved(tx, rollout.id);
    for (let round = 0; round < MAX_DECISIONS; round++) {
      const decision = decide(await this.rows.snapshot(tx, rollout), rollout.policy, this.clock.now().getTime());
      for (const wave of decision.check) progress.checks.add(wave);
      await this.rows.changeWaves(tx, rollout.id, decision.waves);
      const cancelled = decision.cancelRest ? await this.rows.cancelRest(tx, rollout.id, decision.cancelRest) : 0;
      const begun = await this.startNext(tx, rollout, decision);
      progress.started += begun.jobs;
      const hasNewState = decision.state !== rollout.state;
      if (hasNewState) await this.transitionTo(tx, rollout, decision);
      if (!hasNewState && decision.waves.length === 0 && cancelled === 0 && begun.notStarted === 0) return;
    }
  }

  /** Starts the next jobs. @returns how many, and how many targets were offline, locked or skipped */
  private async startNext(
    tx: EntityManager,
    rollout: Rollout,
    { startBudget }: Decision,
  ): Promise<{ jobs: number; notStarted: number }> {
    if (startBudget.count === 0) return { jobs: 0, notStarted: 0 };
    const now = this.clock.now().getTime();
    const open = await this.openZones(tx, rollout, now);
    const ready = await this.rows.ready(
      tx,
      rollout,
      { ...startBudget, count: Math.min(startBudget.count, BATCH) },
      open,
    );
    const offline = ready.filter(({ deviceState }) => deviceState === 'offline');
    await this.rows.changeTargets(
      tx,
      rollout.id,
      offline.map((target) => ({ deviceId: target.id, change: whenOffline(historyOf(target), rollout.policy, now) })),
    );
    const online = ready.filter(({ deviceState }) => deviceState !== 'offline');
    const jobs = await this.startJobs(tx, rollout, online);
    return { jobs, notStarted: ready.length - jobs };
  }

  /** Time zones in which work may start now; null when it may start anywhere. */
  private async openZones(tx: EntityManager, rollout: Rollout, now: number): Promise<string[] | null> {
    const { windows } = rollout.policy;
    if (windows.length === 0) return null;
    const turns = new EventLoopTurns();
    const open: string[] = [];
    for (const zone of await this.rows.zones(tx, rollout)) {
      if (turns.isOver) await turns.next();
      if (isWindowOpen(windows, zone, now, neededMs(rollout.policy))) open.push(zone);
    }
    return open;
  }

  private async startJobs(tx: EntityManager, rollout: Rollout, targets: readonly ReadyTarget[]): Promise<number> {
    const kind = this.batches.kind(rollout.kind);
    if (!kind)
      throw new Error(`The rollout ${rollout.id} is of the kind ${rollout.kind}, which this version does not know`);
    const items: (BatchItem & { readonly firmware: string | null })[] = [];
    const notStarted: { deviceId: string; change: TargetChange }[] = [];
    const known = await this.devices.getMany(targets.map(({ id }) => id));
    const checker = await this.checkerFor(tx, rollout);
    for (const target of targets) {
      const device = known.get(target.id)?.device;
      if (!device) continue; // removed at this moment: `skipRemoved` handles it next
      if (this.locks.deviceLock(device) !== null) {
        const wakeAt = this.clock.now().getTime() + LOCKED_RETRY_MS;
        notStarted.push({ deviceId: target.id, change: { state: 'waiting', wakeAt, reason: 'locked' } });
        continue;
      }
      const own = specFor(kind, target.spec ?? rollout.spec, target);
      const reason =
        REFUSED_STATES[target.deviceState] ??
        (isOther(device, rollout) ? 'device_replaced' : null) ??
        ('reason' in own ? own.reason : await checker.reason(kind, own.spec, target.id));
      if (reason !== null) notStarted.push({ deviceId: target.id, change: { state: 'skipped', reason } });
      else if ('spec' in own) items.push({ deviceId: target.id, spec: own.spec, firmware: target.firmware });
    }
    await this.rows.changeTargets(tx, rollout.id, notStarted);
    if (items.length === 0) return 0;
    const author = {
      actorId: rollout.createdBy,
      name: rollout.createdByName,
      operatorId: rollout.operatorId,
      requestId: rollout.requestId,
      address: null,
      reason: rollout.reason ?? `rollout ${rollout.name}`,
    };
    const jobIds = await this.batches.start(tx, kind, items, author);
    await this.rows.markQueued(
      tx,
      rollout.id,
      items.map(({ deviceId, firmware }, index) => ({ deviceId, firmware, jobId: jobIds[index]! })),
    );
    return items.length;
  }

  /** Changes the state of the rollout, with its audit entry. */
  private async transitionTo(
    tx: EntityManager,
    rollout: Rollout,
    { state, pause }: Pick<Decision, 'state' | 'pause'>,
  ): Promise<void> {
    const now = this.clock.now();
    const from = rollout.state;
    rollout.state = state;
    rollout.pauseCause = pause?.cause ?? null;
    rollout.pauseSentence = pause?.sentence ?? null;
    if (state === 'running') rollout.startedAt ??= now;
    if (state === 'finished' || state === 'aborted') rollout.endedAt = now;
    await tx.save(Rollout, rollout);
    await this.audit.record(tx, {
      actor: ACTOR,
      action: `rollout.${AUDIT_VERB[state] ?? 'move'}`,
      subject: `rollout:${rollout.id}`,
      facts: {
        from,
        to: state,
        ...(pause ? { why: pause.sentence } : {}),
        counts: await this.rows.counts(tx, rollout.id),
      },
    });
  }

  /**
   * Cancels jobs that only wait for an offline device; their targets are retried with growing pauses. Also cancels the
   * remaining jobs of an aborting rollout.
   */
  private async cancelJobs(jobs: readonly { jobId: string }[]): Promise<void> {
    for (const { jobId } of jobs) {
      await this.jobs.cancel(jobId, ACTOR).catch((error: unknown) => {
        // The job has just found its device, or is past the point of no return, and continues.
        if (!(error instanceof AppError))
          this.log.warn({ jobId, ...errorFields(error) }, 'A job could not be cancelled');
      });
    }
  }
}

interface RolloutProgress {
  started: number;
  ended: number;
  newState: Rollout['state'] | null;
  jobsToCancel: readonly { jobId: string }[];
  readonly checks: Set<number>;
}

/** A person's start or submission is `rollout.start` too (`rollouts.service.ts`); `facts.to` tells which it was. */
const AUDIT_VERB: Readonly<Partial<Record<Rollout['state'], 'start' | 'pause' | 'finish' | 'abort'>>> = {
  running: 'start',
  paused: 'pause',
  finished: 'finish',
  aborted: 'abort',
};

function changeOf(target: EndedTarget, { policy }: Rollout, now: number): TargetChange {
  if (target.outcome === 'cancelled' && target.reason === 'recalled')
    return whenOffline(historyOf(target), policy, now);
  const code = target.code === 'deadline_passed' ? (target.lastCode ?? target.code) : target.code;
  const end = { outcome: target.outcome, code, isRetryable: isRetryableCode(code), wasOffline: isOfflineCode(code) };
  return afterJob(historyOf(target), end, policy, now);
}

function historyOf({
  tries,
  offlineSince,
  offlineChecks,
}: Pick<EndedTarget, 'tries' | 'offlineSince' | 'offlineChecks'>) {
  return { tries, offlineSince: offlineSince?.getTime() ?? null, offlineChecks };
}

/** Whether a device may no longer be the one that was planned. One that follows its selector takes what matches now. */
const isOther = (device: Pick<Device, 'movedAt'>, { policy, createdAt }: Rollout): boolean =>
  policy.membership === 'frozen' && isMovedSince(device, createdAt);
