import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { type PlanAuthor } from './check-needs.js';
import { CheckSecrets } from '../state/check-secrets.js';
import { type Plan, Planner, type RequestedRollout } from './planner.js';
import { type RolloutState } from '../state/rollout-state.js';
import { RolloutViews } from '../state/rollout-views.js';
import { Rollout } from '../state/rollout.entity.js';
import { columnsOf } from '../../database/columns-of.js';

/** The name and the rights for a new rollout: a person's, or those of a person's schedule. */
export type RolloutAuthor = Actor & PlanAuthor;

export interface NewRollout extends RequestedRollout {
  readonly name: string;
  readonly scheduleId?: string;
  readonly rollsBack?: string;
}

/** States in which nothing more starts by itself. */
const STOPPED: readonly RolloutState[] = ['paused', 'finished', 'aborted'];

/**
 * Creates rollouts: plans them and stores them as drafts with the devices of the plan. Nothing starts here;
 * `RolloutsService` does the rest.
 */
@Injectable()
export class RolloutDrafts {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Planner) private readonly planner: Planner,
    @Inject(RolloutViews) private readonly views: RolloutViews,
    @Inject(CheckSecrets) private readonly secrets: CheckSecrets,
  ) {}

  /** Shows what a rollout would do; nothing is stored. @throws AppError as `Planner.plan` */
  preview(requested: RequestedRollout, actor: Principal): Promise<Plan> {
    return this.planner.plan(requested, actor);
  }

  /**
   * Creates a rollout as a draft, with the devices of its plan.
   * @throws AppError as `Planner.plan`; `rollout_is_empty`
   */
  async create(input: NewRollout, actor: RolloutAuthor): Promise<Rollout> {
    const plan = await this.planFor(input, actor);
    return this.db.transaction((tx) => this.createIn(tx, input, plan, actor));
  }

  /** The plan of a rollout with at least one device. @throws AppError as `create` */
  async planFor(input: NewRollout, actor: RolloutAuthor): Promise<Plan> {
    const plan = await this.planner.plan(input, actor);
    requireDevices(plan);
    return plan;
  }

  /** Stores a planned rollout as a draft, in the transaction of the caller. */
  async createIn(tx: EntityManager, input: NewRollout, plan: Plan, actor: RolloutAuthor): Promise<Rollout> {
    const now = this.clock.now();
    const rollout = await tx.save(Rollout, {
      id: randomUUID(),
      name: input.name,
      kind: input.kind,
      spec: input.spec,
      selector: input.selector,
      policy: input.policy,
      state: 'draft' as const,
      pauseCause: null,
      pauseSentence: null,
      planDigest: plan.digest,
      bytesPerStart: plan.bytesPerStart,
      acknowledgedFinished: 0,
      acknowledgedFailed: 0,
      startsAt: input.startsAt,
      createdBy: actor.actorId,
      createdByName: actor.name,
      operatorId: actor.operatorId,
      reason: actor.reason,
      requestId: actor.requestId,
      approvedBy: null,
      approvedByName: null,
      createdAt: now,
      startedAt: null,
      endedAt: null,
      followedAt: now,
      scheduleId: input.scheduleId ?? null,
      rollsBack: input.rollsBack ?? null,
    });
    await insertTargets(tx, rollout.id, plan, now);
    await this.audit.record(tx, {
      actor,
      action: 'rollout.create',
      subject: `rollout:${rollout.id}`,
      facts: {
        name: rollout.name,
        kind: input.kind,
        spec: input.spec,
        selector: input.selector,
        policy: this.secrets.redacted(input).policy,
        planDigest: plan.digest,
        devices: plan.waves.reduce((total, { devices }) => total + devices.length, 0),
        skipped: plan.skipped.length,
      },
    });
    return rollout;
  }

  /**
   * Shows how a rollout would be rolled back.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state` while it runs, `rollout_has_no_way_back`
   */
  async previewRollback(rolloutId: string, actor: RolloutAuthor): Promise<Plan> {
    return (await this.planRollback(rolloutId, actor)).plan;
  }

  /**
   * Creates the rollout that rolls another one back, as a draft.
   * @throws AppError as `previewRollback`; `rollout_is_empty`
   */
  async rollBack(rolloutId: string, actor: RolloutAuthor): Promise<Rollout> {
    const { rollout, requested, plan } = await this.planRollback(rolloutId, actor);
    requireDevices(plan);
    const input = { ...requested, name: `back from ${rollout.name}`.slice(0, 120), rollsBack: rolloutId };
    return this.db.transaction((tx) => this.createIn(tx, input, plan, actor));
  }

  private async planRollback(rolloutId: string, actor: RolloutAuthor) {
    const rollout = await this.views.get(rolloutId);
    if (!STOPPED.includes(rollout.state)) {
      throw new AppError('rollout_wrong_state', { state: rollout.state, possibleIn: STOPPED });
    }
    return { rollout, ...(await this.planner.planRollback(rollout, actor)) };
  }
}

/** @throws AppError `rollout_is_empty` */
function requireDevices({ waves, skipped }: Plan): void {
  if (waves.every(({ devices }) => devices.length === 0)) {
    throw new AppError('rollout_is_empty', { skipped: skipped.length });
  }
}

/** Waves and targets of a plan. Excluded devices are rows too, so that a caller can ask about every device. */
async function insertTargets(tx: EntityManager, rolloutId: string, { waves, skipped }: Plan, now: Date): Promise<void> {
  await tx.query('insert into rollout_wave (rollout_id, ordinal) select $1, generate_series(0, $2::int)', [
    rolloutId,
    waves.length - 1,
  ]);
  const targets = [
    ...waves.flatMap(({ devices }, wave) =>
      devices.map(({ spec, ...device }, position) => ({
        ...device,
        wave,
        position,
        reason: null,
        spec: spec === undefined ? null : JSON.stringify(spec),
      })),
    ),
    ...skipped.map((device, position) => ({ ...device, firmware: null, wave: waves.length - 1, position, spec: null })),
  ];
  await tx.query(
    `insert into rollout_target (rollout_id, device_id, device_name, wave, position, state, reason, before, spec, wake_at, changed_at, ended_at)
     select $1, id, name, wave, position, case when reason is null then 'waiting' else 'skipped' end, reason,
            jsonb_build_object('firmware', firmware), spec, $2, $2, case when reason is not null then $2::timestamptz end
       from unnest($3::uuid[], $4::text[], $5::int[], $6::int[], $7::text[], $8::text[], $9::jsonb[])
            as item (id, name, wave, position, reason, firmware, spec)`,
    [rolloutId, now, ...columnsOf(targets, 'deviceId', 'name', 'wave', 'position', 'reason', 'firmware', 'spec')],
  );
}
