import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Clock } from '../../platform/clock.js';
import { errorFields } from '../../platform/log.js';
import { LOG } from '../../platform/platform.module.js';
import { type JobRow } from '../rows/job.entity.js';
import { KINDS } from './job-kinds.js';
import { JobRights } from './job-rights.js';
import { JobRows, LeaseLost } from './job-rows.js';
import { type Ticket } from '../rows/job-writes.js';
import {
  hasChanged,
  release,
  settle,
  trip,
  unsent,
  type Intent,
  type Say,
  type StepOutcome,
} from '../rows/job-state.js';
import { failureOf, isNotSent, isRefusal, isStranger, troubleOf } from '../rows/job-trouble.js';
import { type JobKinds } from '../kinds/index.js';
import { type JobKind, type KindOutcome } from '../kind/kind.js';
import { type StepContext } from '../kind/step-context.js';
import { monotonicMs } from '../rows/lease-terms.js';
import { type Hold, Leases } from './leases.js';
import { StepContexts } from './step-contexts.js';
import { JobTurns } from './job-turns.js';

/**
 * Runs one job as long as its next step is near; a longer wait returns the slot.
 *
 * The row is written after every step, never before it, with two exceptions. An effect on the device is written before
 * it is sent (`kind/kind.ts`), and a poll without news is not written.
 */
@Injectable()
export class JobRunner {
  private readonly turns = new JobTurns();

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(StepContexts) private readonly contexts: StepContexts,
    @Inject(Leases) private readonly leases: Leases,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
    @Inject(JobRights) private readonly rights: Pick<JobRights, 'requireGoOn'>,
  ) {}

  /**
   * Works on the job of a ticket; never throws. It drops a ticket that is no longer valid.
   * @param stop aborts when the process stops: the job is returned in its present state
   */
  async run(ticket: Ticket, stop: AbortSignal): Promise<void> {
    try {
      const askedAtMs = monotonicMs();
      const job = await this.rows.claim(ticket, this.leases.owner);
      if (!job) return;
      const hold = this.leases.take(ticket, stop, askedAtMs);
      try {
        await this.carry(forgetUnsent(job), hold);
      } finally {
        hold.drop();
      }
    } catch (error) {
      const level = error instanceof LeaseLost ? 'debug' : 'warn';
      this.log[level](
        { ...ticket, ...errorFields(error) },
        'A job was dropped; the worker with its lease continues it',
      );
    }
  }

  private async carry(first: JobRow, hold: Hold): Promise<void> {
    const kind = this.kinds.get(first.kind);
    if (!kind) throw new Error(`This process does not know the kind ${first.kind}`);
    let job = first;
    for (let isFresh = true; job.phase === 'running'; isFresh = false) {
      await this.clock.sleep(job.wakeAt.getTime() - this.clock.now().getTime(), hold.signal);
      await this.turns.take(isFresh);
      const why = hold.why();
      if (why === 'lost') return;
      job = why ? await this.letGo(kind, job, why) : await this.wake(kind, job, hold, isFresh);
    }
    this.log.debug({ jobId: job.id, phase: job.phase, outcome: job.outcome }, 'A job left its slot');
  }

  /** One wake-up: a step of the kind, or the next part of an effect. An error leads to the same wake-up again. */
  private async wake(kind: JobKind, job: JobRow, hold: Hold, isFresh: boolean): Promise<JobRow> {
    try {
      if (!kind.isPastReturn(job.cursor, job.intent)) await this.rights.requireGoOn(job);
      const context = await this.contexts.of(job, hold.signal, () => hold.requireSure(), !isFresh);
      if (job.intent?.state === 'open') return await this.send(kind, job, job.intent, context, hold);
      if (job.intent?.state === 'sent') return await this.conclude(kind, job, job.intent, context);
      return await this.step(kind, job, context);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      if (hold.why()) return job; // it was aborted on purpose: it counts as not done
      return this.trip(kind, job, error);
    }
  }

  private async step(kind: JobKind, job: JobRow, context: StepContext): Promise<JobRow> {
    const outcome = await kind.step(job.cursor, context);
    switch (outcome.next) {
      case 'effect': {
        const { effect, before, cursor, say } = outcome;
        const follows = hasChanged(job.intent) ? { follows: true as const } : {};
        const intent: Intent = { effect, state: 'open', before, ...follows, openedAt: this.clock.now().toISOString() };
        return this.settle(kind, job, { next: 'go', cursor, ...(say ? { say } : {}) }, { intent });
      }
      case 'keep':
        return this.keep(kind, job, outcome);
      default:
        return this.settle(kind, job, outcome);
    }
  }

  /** The effect itself. Once `sent` is committed it is never sent again, even after a crash. */
  private async send(kind: JobKind, job: JobRow, open: Intent, context: StepContext, hold: Hold): Promise<JobRow> {
    const intent: Intent = { ...open, state: 'sent', sentAt: this.clock.now().toISOString() };
    const askedAtMs = monotonicMs();
    const sent = await this.settle(kind, job, { next: 'go', cursor: job.cursor }, { intent });
    if (sent.phase !== 'running') return sent; // cancelled at the last moment
    hold.confirm(askedAtMs);
    try {
      hold.requireSure(); // the process may have been stopped since the save
      const answer = await kind.effect(intent.effect).send(sent.cursor, context);
      return { ...sent, intent: { ...this.sentNow(intent), answer } };
    } catch (error) {
      if (isNotSent(error)) {
        const before = { ...sent, intent: unsent(intent) };
        return hold.why() ? before : await this.trip(kind, before, error, true); // aborted on purpose: it counts as not begun
      }
      if (isRefusal(error)) return { ...sent, intent: { ...intent, refusal: failureOf(error) } };
      this.log.info(
        { jobId: job.id, ...errorFields(error) },
        'The answer to an effect was lost; the worker asks the device',
      );
      return { ...sent, intent: this.sentNow(intent) };
    }
  }

  /** The call may have waited in queues. By now the device has begun, so times are measured from now. */
  private sentNow(intent: Intent): Intent {
    return { ...intent, sentAt: this.clock.now().toISOString() };
  }

  private async conclude(kind: JobKind, job: JobRow, intent: Intent, context: StepContext): Promise<JobRow> {
    const verdict = await kind.effect(intent.effect).conclude(
      job.cursor,
      {
        before: intent.before,
        answer: intent.answer,
        refusal: intent.refusal ?? null,
        sentForMs: this.clock.now().getTime() - Date.parse(intent.sentAt ?? intent.openedAt),
      },
      context,
    );
    if (verdict.is === 'undecided') {
      const { afterMs, cursor = job.cursor } = verdict;
      return this.settle(kind, job, { next: 'wait', cursor, afterMs, reason: 'device_works' });
    }
    const concluded: Intent = { ...intent, state: verdict.is, after: verdict.after };
    return this.settle(kind, job, verdict.outcome, { intent: concluded });
  }

  private keep(kind: JobKind, job: JobRow, outcome: Extract<KindOutcome<unknown>, { next: 'keep' }>): Promise<JobRow> {
    const { artifacts, result, say } = outcome;
    return this.rows.save(
      job,
      (current) => settle(current, { next: 'end', outcome: 'succeeded', result }, false, this.clock.now()),
      { step: kind.at(job.cursor), say, artifacts },
    );
  }

  /** @param change fields of the job to change besides its cursor */
  private async settle(
    kind: JobKind,
    job: JobRow,
    outcome: StepOutcome,
    change: { intent?: Intent } = {},
  ): Promise<JobRow> {
    const isPastReturn = kind.isPastReturn(job.cursor, job.intent);
    const decide = (current: JobRow) => settle({ ...current, ...change }, outcome, isPastReturn, this.clock.now());
    if (outcome.next === 'wait' && !outcome.say && isUnmoved(job, outcome.cursor)) {
      const waiting = decide(job);
      if (waiting.phase === 'running') return waiting;
    }
    return this.rows.save(job, decide, { step: kind.at(job.cursor), say: outcome.say });
  }

  private async trip(kind: JobKind, job: JobRow, thrown: unknown, isBeforeEffect = false): Promise<JobRow> {
    const trouble = { ...troubleOf(thrown), isBeforeEffect: isBeforeEffect || isStranger(thrown) };
    if (trouble.failure.code === 'internal_error') {
      this.log.error(
        { jobId: job.id, kind: job.kind, ...errorFields(thrown) },
        'A step failed with an error of the gateway',
      );
    }
    const isPastReturn = kind.isPastReturn(job.cursor, job.intent);
    const { code, message, facts } = trouble.failure;
    const say: Say = { text: `The step failed: ${message}`, facts: { code, ...facts } };
    return this.rows.save(job, (current) => trip(current, trouble, isPastReturn, this.clock.now(), Math.random()), {
      step: kind.at(job.cursor),
      say,
    });
  }

  /** `settle` handles a requested cancellation; a stopping process returns the job. */
  private letGo(kind: JobKind, job: JobRow, why: 'cancel' | 'stop'): Promise<JobRow> {
    if (why === 'cancel')
      return this.rows.save(job, (current) => this.cancelled(current), { step: kind.at(job.cursor) });
    const say = { text: 'The worker stops and hands the job back' };
    return this.rows.save(job, release, { step: kind.at(job.cursor), say });
  }

  /** A cancellation is accepted only before the point of no return, so nothing can have happened since. */
  private cancelled(job: JobRow): JobRow {
    return settle(job, { next: 'go', cursor: job.cursor }, false, this.clock.now());
  }
}

/** Drops an intent that was never sent: its probe may be stale by now. */
function forgetUnsent(job: JobRow): JobRow {
  return job.intent?.state === 'open' ? { ...job, intent: unsent(job.intent) } : job;
}

/** Whether a wait would write an unchanged row. */
function isUnmoved(job: JobRow, cursor: unknown): boolean {
  return job.attempts === 0 && job.trials === 0 && isDeepStrictEqual(job.cursor, cursor);
}
