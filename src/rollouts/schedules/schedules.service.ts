import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { type Author } from '../../auth/keys/authors.service.js';
import { RecurringService } from '../../recurring/recurring.service.js';
import { NO_RIGHTS } from '../../auth/rights/rights.js';
import { systemActor } from '../../platform/actor.js';
import { AppError, isPermanentError } from '../../platform/errors.js';
import { toAppError } from '../../http/problem.js';
import { nextRunAt, rhythmOf } from '../../recurring/recurring.js';
import { CheckSecrets } from '../state/check-secrets.js';
import { type RolloutAuthor, type NewRollout, RolloutDrafts } from '../engine/rollout-drafts.js';
import { RolloutsService } from '../engine/rollouts.service.js';
import { Schedule } from '../state/schedule.entity.js';
import { type ScheduleInput } from './schedules.contract.js';

/** A run that is later than this was missed: the gateway was down, and not only busy. */
const MISSED_MS = 5 * 60_000;

/**
 * Schedules, and the sweep that runs them. A run is one transaction with the next instant: only one of any number of
 * processes makes it, and a process that dies in it has changed nothing. A run starts nothing while the previous rollout
 * is still open.
 */
@Injectable()
export class SchedulesService extends RecurringService<Schedule, ScheduleInput> {
  readonly name = 'schedules';
  readonly isForWorkers = true;

  constructor(
    @Inject(RolloutDrafts) private readonly drafts: RolloutDrafts,
    @Inject(RolloutsService) private readonly rollouts: RolloutsService,
    @Inject(CheckSecrets) private readonly secrets: CheckSecrets,
  ) {
    super('schedule', Schedule);
  }

  protected ownFields({ rollout, missed }: ScheduleInput, found: Schedule | null) {
    return { template: rollout, missed, lastRolloutId: found?.lastRolloutId ?? null };
  }

  protected factsOf(saved: Schedule) {
    return { template: this.secrets.redacted(saved.template), rhythm: rhythmOf(saved) };
  }

  async sweep(): Promise<Record<string, number>> {
    const did = { started: 0, leftOut: 0 };
    await this.runDue(async (id) => {
      const made = await this.run(id).catch((error: unknown) => this.runRefused(id, error));
      if (made === true) did.started++;
      if (made === false) did.leftOut++;
    });
    return did;
  }

  /** A refusal would repeat at each pass: the run counts, and starts nothing. @throws errors that are not a refusal */
  private async runRefused(scheduleId: string, error: unknown): Promise<boolean | null> {
    if (!isPermanentError(error)) throw error;
    return this.run(scheduleId, error.code);
  }

  /** @param refused why it starts nothing. @returns whether it started a rollout; null when another process runs it */
  private async run(scheduleId: string, refused: string | null = null): Promise<boolean | null> {
    const seen = await this.get(scheduleId);
    const author = await this.authors.find(seen);
    const actor = this.makerOf(seen, author);
    const input = { ...seen.template, startsAt: null, scheduleId };
    // A plan reads the complete fleet: it is made before the lock. A process that loses the race made it for nothing.
    const plan = await this.drafts.planFor(input, actor).catch((error: unknown) => toAppError(error));
    return this.db.transaction(async (tx) => {
      const schedule = await tx.findOne(Schedule, {
        where: { id: scheduleId, version: seen.version },
        lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
      });
      if (!schedule) return null;
      const now = this.clock.now();
      const dueAt = schedule.nextRunAt;
      // Another process may have run it before it was read here.
      if (!schedule.enabled || dueAt === null || dueAt > now) return null;
      const error =
        refused ??
        (author === null ? 'author_gone' : null) ??
        (await this.obstacle(tx, schedule, dueAt, now)) ??
        (plan instanceof AppError ? plan.code : null);
      const rollout = error === null && !(plan instanceof AppError) ? await this.begin(tx, input, plan, actor) : null;
      schedule.nextRunAt = nextRunAt(schedule, now);
      schedule.lastRunAt = now;
      schedule.lastError = error;
      schedule.lastRolloutId = rollout ?? schedule.lastRolloutId;
      await tx.save(Schedule, schedule);
      await this.recordRun(tx, 'run', schedule, actor, { dueAt, rolloutId: rollout, error });
      return rollout !== null;
    });
  }

  private async begin(
    tx: EntityManager,
    input: NewRollout,
    plan: Awaited<ReturnType<RolloutDrafts['planFor']>>,
    actor: RolloutAuthor,
  ): Promise<string> {
    const { id } = await this.drafts.createIn(tx, input, plan, actor);
    await this.rollouts.startIn(tx, id, actor);
    return id;
  }

  /** Why a run starts nothing, as a code; null when it may start. */
  private async obstacle(tx: EntityManager, schedule: Schedule, dueAt: Date, now: Date): Promise<string | null> {
    if (schedule.missed === 'skip' && now.getTime() - dueAt.getTime() > MISSED_MS) return 'run_missed';
    const open = await tx.query<unknown[]>(
      `select from rollout where schedule_id = $1 and state not in ('finished', 'aborted') limit 1`,
      [schedule.id],
    );
    return open.length > 0 ? 'last_rollout_open' : null;
  }

  /** A plan must be possible now. @throws AppError `rights_not_held`, `step_up_required`; those of a plan */
  protected async requireAuthor({ rollout }: ScheduleInput, actor: Principal): Promise<void> {
    await this.rights.requireUnnarrowed(actor);
    await this.rollouts.requireFreshFactor(rollout, Infinity, actor);
    await this.drafts.preview({ ...rollout, startsAt: null }, actor);
  }

  /** A schedule acts in the name of its author, with the author's present rights. */
  private makerOf({ id, name, operatorId, createdByName }: Schedule, author: Author | null): RolloutAuthor {
    return {
      ...systemActor(`schedule:${id}`),
      name: createdByName,
      reason: `schedule ${name}`,
      operatorId,
      keyId: author?.keyId ?? null,
      scope: author?.scope ?? null,
      rights: author?.rights ?? NO_RIGHTS,
    };
  }
}
