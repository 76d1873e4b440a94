import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Clock } from '../../platform/clock.js';
import { errorFields, LOG } from '../../platform/log.js';
import { type JobRow } from '../rows/job.entity.js';
import { KINDS } from './job-kinds.js';
import { JobRights } from './job-rights.js';
import { JobRows, LeaseLost } from './job-rows.js';
import { type Ticket } from '../rows/job-writes.js';
import {
  hasChanged,
  release,
  applyResult,
  recordError,
  unsent,
  type Intent,
  type LogLine,
  type StepResult,
} from '../rows/job-state.js';
import { failureOf, isNotSent, isDeviceRefusal, isOtherDevice, stepErrorOf } from '../rows/step-error.js';
import { type JobKinds } from '../kinds/index.js';
import { type JobKind, type KindResult } from '../kind-api/kind.js';
import { type StepContext } from '../kind-api/step-context.js';
import { monotonicMs } from '../rows/lease-terms.js';
import { type JobLease, Leases } from './leases.js';
import { StepContextFactory } from './step-context-factory.js';
import { WakeUpThrottle } from './wake-up-throttle.js';

/**
 * Runs one job while its next step is near; a longer wait gives the lease back. The loop:
 *
 *   claim -> runSteps: wait until due -> throttle -> runOnce: step | send | conclude -> saveResult | saveError
 *
 * The row is written after every wake-up, never before it, with two exceptions. `send` writes it before it sends the
 * effect, and afterwards only when nothing was sent (`kind-api/kind.ts`). A poll without news is not written.
 */
@Injectable()
export class JobRunner {
  private readonly throttle = new WakeUpThrottle();

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(StepContextFactory) private readonly contexts: StepContextFactory,
    @Inject(Leases) private readonly leases: Leases,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
    @Inject(JobRights) private readonly rights: Pick<JobRights, 'requireContinue'>,
  ) {}

  /**
   * Runs the job of a ticket. Never throws; an outdated ticket is ignored.
   * @param stop aborts when the process stops: the job is handed back in its present state
   */
  async run(ticket: Ticket, stop: AbortSignal): Promise<void> {
    try {
      const requestedAtMs = monotonicMs();
      const job = await this.rows.claim(ticket, this.leases.owner);
      if (!job) return;
      const lease = this.leases.take(ticket, stop, requestedAtMs);
      try {
        await this.runSteps(dropUnsent(job), lease);
      } finally {
        lease.release();
      }
    } catch (error) {
      const level = error instanceof LeaseLost ? 'debug' : 'warn';
      this.log[level](
        { ...ticket, ...errorFields(error) },
        'A job was dropped; the worker with its lease continues it',
      );
    }
  }

  private async runSteps(first: JobRow, lease: JobLease): Promise<void> {
    const kind = this.kinds.get(first.kind);
    if (!kind) throw new Error(`This process does not know the kind ${first.kind}`);
    let job = first;
    for (let isNew = true; job.phase === 'running'; isNew = false) {
      await this.clock.sleep(job.wakeAt.getTime() - this.clock.now().getTime(), lease.signal);
      await this.throttle.take(isNew);
      const why = lease.stopReason();
      if (why === 'lost') return;
      job = why ? await this.stop(kind, job, why) : await this.runOnce(kind, job, lease, isNew);
    }
    this.log.debug({ jobId: job.id, phase: job.phase, outcome: job.outcome }, 'A job left its worker');
  }

  /**
   * One wake-up: a step of the kind, or the next phase of an effect. After an error the same wake-up is retried.
   * @param isNew whether it is the first one since the claim
   */
  private async runOnce(kind: JobKind, job: JobRow, lease: JobLease, isNew: boolean): Promise<JobRow> {
    try {
      const isRevocable = !kind.isIrrevocable(job.cursor, job.intent);
      const requireContinue = isRevocable ? () => this.rights.requireContinue(job) : () => Promise.resolve();
      await requireContinue();
      const guards = { beforeWrite: () => lease.assertValid(), requireContinue };
      const context = await this.contexts.contextFor(job, lease.signal, guards, !isNew);
      if (job.intent?.state === 'open') return await this.send(kind, job, job.intent, context, lease);
      if (job.intent?.state === 'sent') return await this.conclude(kind, job, job.intent, context);
      return await this.step(kind, job, context);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      if (lease.stopReason()) return job; // aborted on purpose: the step counts as not done
      return this.saveError(kind, job, error);
    }
  }

  private async step(kind: JobKind, job: JobRow, context: StepContext): Promise<JobRow> {
    const result = await kind.step(job.cursor, context);
    switch (result.next) {
      case 'effect': {
        const { effect, before, cursor, logLine } = result;
        const follows = hasChanged(job.intent) ? { follows: true as const } : {};
        const intent: Intent = { effect, state: 'open', before, ...follows, openedAt: this.clock.now().toISOString() };
        return this.saveResult(kind, job, { next: 'go', cursor, ...(logLine ? { logLine } : {}) }, { intent });
      }
      case 'end_with_artifacts':
        return this.saveArtifacts(kind, job, result);
      default:
        return this.saveResult(kind, job, result);
    }
  }

  /** Sends the effect. After the commit of `sent` it is never sent again, even after a crash. */
  private async send(kind: JobKind, job: JobRow, open: Intent, context: StepContext, lease: JobLease): Promise<JobRow> {
    const intent: Intent = { ...open, state: 'sent', sentAt: this.clock.now().toISOString() };
    const requestedAtMs = monotonicMs();
    const sent = await this.saveResult(kind, job, { next: 'go', cursor: job.cursor }, { intent });
    if (sent.phase !== 'running') return sent; // cancelled, or past its deadline, at the last moment
    lease.confirm(requestedAtMs);
    try {
      lease.assertValid(); // the process may have been stopped since the save
      const answer = await kind.effect(intent.effect).send(sent.cursor, context);
      return { ...sent, intent: { ...this.timedFromNow(intent), answer } };
    } catch (error) {
      if (isNotSent(error)) {
        const before = { ...sent, intent: unsent(intent) };
        return lease.stopReason() ? before : await this.saveError(kind, before, error, true); // aborted on purpose: it counts as not begun
      }
      if (isDeviceRefusal(error)) return { ...sent, intent: { ...intent, refusal: failureOf(error) } };
      this.log.info(
        { jobId: job.id, ...errorFields(error) },
        'The answer to an effect was lost; the worker asks the device',
      );
      return { ...sent, intent: this.timedFromNow(intent) };
    }
  }

  /** Times are measured from the answer, or from when the worker gave it up: the call may have waited in queues before. */
  private timedFromNow(intent: Intent): Intent {
    return { ...intent, sentAt: this.clock.now().toISOString() };
  }

  private async conclude(kind: JobKind, job: JobRow, intent: Intent, context: StepContext): Promise<JobRow> {
    const verdict = await kind.effect(intent.effect).conclude(
      job.cursor,
      {
        before: intent.before,
        answer: intent.answer,
        refusal: intent.refusal ?? null,
        settlingMs: this.clock.now().getTime() - Date.parse(intent.sentAt ?? intent.openedAt),
      },
      context,
    );
    if (verdict.is === 'undecided') {
      const { afterMs, cursor = job.cursor } = verdict;
      return this.saveResult(kind, job, { next: 'wait', cursor, afterMs, reason: 'device_works' });
    }
    const concluded: Intent = { ...intent, state: verdict.is, after: verdict.after };
    return this.saveResult(kind, job, verdict.stepResult, { intent: concluded });
  }

  private saveArtifacts(
    kind: JobKind,
    job: JobRow,
    { artifacts, result, logLine }: Extract<KindResult<unknown>, { next: 'end_with_artifacts' }>,
  ): Promise<JobRow> {
    return this.rows.save(
      job,
      (current) => applyResult(current, { next: 'end', outcome: 'succeeded', result }, false, this.clock.now()),
      { step: kind.at(job.cursor), logLine, artifacts },
    );
  }

  /** @param change fields of the job to change besides its cursor */
  private async saveResult(
    kind: JobKind,
    job: JobRow,
    result: StepResult,
    change: { intent?: Intent } = {},
  ): Promise<JobRow> {
    const isIrrevocable = kind.isIrrevocable(job.cursor, job.intent);
    const decide = (current: JobRow) => applyResult({ ...current, ...change }, result, isIrrevocable, this.clock.now());
    if (result.next === 'wait' && !result.logLine && isUnchanged(job, result.cursor)) {
      const waiting = decide(job);
      if (waiting.phase === 'running') return waiting;
    }
    return this.rows.save(job, decide, { step: kind.at(job.cursor), logLine: result.logLine });
  }

  private async saveError(kind: JobKind, job: JobRow, thrown: unknown, isBeforeEffect = false): Promise<JobRow> {
    const stepError = { ...stepErrorOf(thrown), isBeforeEffect: isBeforeEffect || isOtherDevice(thrown) };
    if (stepError.failure.code === 'internal_error') {
      this.log.error(
        { jobId: job.id, kind: job.kind, ...errorFields(thrown) },
        'A step failed with an error of the gateway',
      );
    }
    const isIrrevocable = kind.isIrrevocable(job.cursor, job.intent);
    const { code, message, facts } = stepError.failure;
    const logLine: LogLine = { text: `The step failed: ${message}`, facts: { code, ...facts } };
    return this.rows.save(
      job,
      (current) => recordError(current, stepError, isIrrevocable, this.clock.now(), Math.random()),
      {
        step: kind.at(job.cursor),
        logLine,
      },
    );
  }

  /** `applyResult` ends a cancelled job; a stopping process returns the job. */
  private stop(kind: JobKind, job: JobRow, why: 'cancel' | 'stop'): Promise<JobRow> {
    if (why === 'cancel')
      return this.rows.save(job, (current) => this.cancelled(current), { step: kind.at(job.cursor) });
    const logLine = { text: 'The worker stops and hands the job back' };
    return this.rows.save(job, release, { step: kind.at(job.cursor), logLine });
  }

  /** A cancellation is accepted only before the point of no return, so nothing can have happened since. */
  private cancelled(job: JobRow): JobRow {
    return applyResult(job, { next: 'go', cursor: job.cursor }, false, this.clock.now());
  }
}

/** Drops an intent that was never sent: its probe may be stale by now. */
function dropUnsent(job: JobRow): JobRow {
  return job.intent?.state === 'open' ? { ...job, intent: unsent(job.intent) } : job;
}

/** Whether a wait would write an unchanged row. */
function isUnchanged(job: JobRow, cursor: unknown): boolean {
  return job.attempts === 0 && isDeepStrictEqual(job.cursor, cursor);
}
