import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { type Author, Authors } from '../../auth/keys/authors.service.js';
import { NO_RIGHTS } from '../../auth/rights/rights.js';
import { RightsService } from '../../auth/rights/rights.service.js';
import { type Actor, systemActor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { lockRow, lockVersion } from '../../platform/http/edits.js';
import { AppError, isRefusal } from '../../platform/errors.js';
import { translated } from '../../platform/database/constraints.js';
import { toAppError } from '../../platform/http/problem.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { eachRow, WorkMarks } from '../../platform/database/work-marks.js';
import {
  authorFields,
  dueIds,
  nextRunAt,
  quarantined,
  rhythmFields,
  rhythmOf,
} from '../../platform/database/recurring.js';
import { CheckSecrets } from '../state/check-secrets.js';
import { type Maker, type NewRollout, RolloutDrafts } from '../engine/rollout-drafts.js';
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
export class SchedulesService implements Sweeper {
  readonly name = 'schedules';
  readonly everyMs = 1_000;
  readonly isForWorkers = true;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(RolloutDrafts) private readonly drafts: RolloutDrafts,
    @Inject(RolloutsService) private readonly rollouts: RolloutsService,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(CheckSecrets) private readonly secrets: CheckSecrets,
  ) {}

  /**
   * Creates a schedule; its rollouts act in the name of the actor, with their rights at each run.
   * @throws AppError `schedule_exists`, `rights_not_held`, `step_up_required`; those of a rollout's plan: a plan that is
   * not possible now is refused now
   */
  async create(input: ScheduleInput, actor: Principal): Promise<Schedule> {
    await this.requireAuthor(input, actor);
    await this.drafts.preview({ ...input.rollout, startsAt: null }, actor);
    const now = this.clock.now();
    const made: Schedule = {
      id: randomUUID(),
      ...fieldsOf(input, now, now),
      lastRunAt: null,
      lastRolloutId: null,
      lastError: null,
      ...authorFields(actor),
      createdAt: now,
      version: 1,
    };
    return this.keep('schedule.create', actor, () => made);
  }

  /**
   * Replaces a schedule; from now on it acts in the name of the new author.
   * @throws AppError `schedule_not_found`, `version_changed`; as `create`
   */
  async replace(scheduleId: string, input: ScheduleInput, ifMatch: number | null, actor: Principal): Promise<Schedule> {
    await this.requireAuthor(input, actor);
    await this.drafts.preview({ ...input.rollout, startsAt: null }, actor);
    return this.keep('schedule.change', actor, async (tx) => {
      const found = await lockVersion(tx, Schedule, { id: scheduleId }, ifMatch, 'schedule_not_found');
      return Object.assign(found, fieldsOf(input, this.clock.now(), found.createdAt), authorFields(actor));
    });
  }

  /** @throws AppError `schedule_not_found` */
  async remove(scheduleId: string, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      const found = await lockRow(tx, Schedule, { id: scheduleId }, 'schedule_not_found');
      await tx.delete(Schedule, { id: scheduleId });
      await this.note(tx, 'schedule.remove', found, actor);
    });
  }

  /** @throws AppError `schedule_not_found` */
  async get(scheduleId: string): Promise<Schedule> {
    const schedule = await this.db.manager.findOneBy(Schedule, { id: scheduleId });
    if (!schedule) throw new AppError('schedule_not_found');
    return schedule;
  }

  list(): Promise<Schedule[]> {
    return this.db.manager.find(Schedule, { order: { name: 'asc' } });
  }

  /** Those of the given schedules whose author is disabled or revoked: they start nothing. */
  orphansOf(schedules: readonly Schedule[]): Promise<ReadonlySet<Schedule>> {
    return this.authors.orphansOf(schedules);
  }

  async sweep(): Promise<Record<string, number>> {
    const did = { started: 0, leftOut: 0 };
    const ids = await dueIds(this.db, 'schedule', this.clock.now());
    const work = (some: readonly string[]) =>
      eachRow(some, async (id) => {
        const made = await this.run(id).catch((error: unknown) => this.runRefused(id, error));
        if (made === true) did.started++;
        if (made === false) did.leftOut++;
      });
    await this.marks.during('schedule', ids, work, (id) => this.quarantine(id));
    return did;
  }

  private quarantine(id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      await tx.update(Schedule, { id, enabled: true }, quarantined(this.clock.now()));
      const schedule = await tx.findOneBy(Schedule, { id });
      if (schedule) await this.note(tx, 'schedule.quarantine', schedule, systemActor('schedules'));
    });
  }

  /** A refusal would repeat at each pass: the run counts, and starts nothing. @throws errors that are not a refusal */
  private async runRefused(scheduleId: string, error: unknown): Promise<boolean | null> {
    if (!isRefusal(error)) throw error;
    return this.run(scheduleId, error.code);
  }

  /**
   * Runs one schedule.
   * @param refused why it starts nothing
   * @returns whether it started a rollout; null when another process runs it
   */
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
      await this.note(tx, 'schedule.run', schedule, actor, { dueAt, rolloutId: rollout, error });
      return rollout !== null;
    });
  }

  private async begin(
    tx: EntityManager,
    input: NewRollout,
    plan: Awaited<ReturnType<RolloutDrafts['planFor']>>,
    actor: Maker,
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

  /**
   * No person is present at the run: the author must meet now what a start would require of a person, for any number of
   * devices.
   * @throws AppError `rights_not_held`, `step_up_required`
   */
  private async requireAuthor({ rollout }: ScheduleInput, actor: Principal): Promise<void> {
    await this.rights.requireUnnarrowed(actor);
    await this.rollouts.requireFreshFactor(rollout, Infinity, actor);
  }

  /** A schedule acts in the name of its author, with the author's present rights. */
  private makerOf({ id, name, operatorId, createdByName }: Schedule, author: Author | null): Maker {
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

  private async keep(
    action: `schedule.${string}`,
    actor: Actor,
    edit: (tx: EntityManager) => Schedule | Promise<Schedule>,
  ): Promise<Schedule> {
    return translated({ schedule_name_is_unique: ['schedule_exists'] }, () =>
      this.db.transaction(async (tx) => {
        const saved = await tx.save(Schedule, await edit(tx));
        const template = this.secrets.hide(saved.template);
        await this.note(tx, action, saved, actor, { template, rhythm: rhythmOf(saved) });
        return saved;
      }),
    );
  }

  private note(
    tx: EntityManager,
    action: `schedule.${string}`,
    { id, name }: Schedule,
    actor: Actor,
    facts: object = {},
  ) {
    return this.audit.record(tx, { actor, action, subject: `schedule:${id}`, facts: { name, ...facts } });
  }
}

function fieldsOf({ name, rhythm, rollout, missed, enabled }: ScheduleInput, now: Date, createdAt: Date) {
  return { name, template: rollout, missed, ...rhythmFields(rhythm, enabled, now, createdAt) };
}
