import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { Audit } from '../audit/audit.js';
import { type Principal } from '../auth/access.js';
import { type Rights } from '../auth/rights.js';
import { RateLimits } from '../auth/rate-limits.js';
import { StepUp } from '../auth/step-up.js';
import { JobBatches } from '../jobs/job-batches.js';
import { JobsService } from '../jobs/jobs.service.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { cutPage, decodeCursor, type Page, type PageQuery } from '../platform/page.js';
import { type Plan, Planner, type RolloutIntent } from './planner.js';
import { inSight, RolloutRows } from './rollout-rows.js';
import {
  apply,
  bad,
  judged,
  type RolloutState,
  type RolloutVerb,
  statesFor,
  type TargetState,
} from './rollout-state.js';
import { type RolloutPolicy } from './rollout-policy.js';
import { Rollout } from './rollout.entity.js';

/** In whose name and rights a rollout is made: a person's, or a schedule's of that person. */
export type Maker = Actor & Pick<Principal, 'rights'> & { readonly operatorId: string | null };

/** A rollout to be made. */
export interface NewRollout extends RolloutIntent {
  readonly name: string;
  readonly scheduleId?: string;
  readonly rollsBack?: string;
}

/** A target as its list shows it. */
export interface TargetLine {
  readonly deviceId: string;
  readonly position: number;
  readonly wave: number;
}

export interface RolloutFilter extends PageQuery {
  readonly state?: RolloutState | undefined;
}

export interface TargetFilter extends PageQuery {
  readonly state?: TargetState | undefined;
  readonly wave?: number | undefined;
}

/** States in which nothing more begins by itself. */
const ENDED: readonly RolloutState[] = ['paused', 'finished', 'aborted'];

const TARGET_COLUMNS = `
  device_id as "deviceId", device_name as "deviceName", wave, position, state, reason, wake_at as "wakeAt", tries,
  job_id as "jobId", began_at as "beganAt", ended_at as "endedAt"`;

/**
 * What people do with rollouts. Each verb locks the rollout, asks the table of states whether it can be done, and is in
 * the audit with what it changed; the sweeper does the rest.
 */
@Injectable()
export class RolloutsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'APPROVAL_DEVICES' | 'FIRMWARE_STEP_UP_DEVICES'>,
    @Inject(Planner) private readonly planner: Planner,
    @Inject(RolloutRows) private readonly rows: RolloutRows,
    @Inject(JobsService) private readonly jobs: JobsService,
    @Inject(JobBatches) private readonly batches: JobBatches,
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  /** Says what a rollout would do; nothing is kept. @throws AppError as `Planner.plan` */
  preview(intent: RolloutIntent, actor: Principal): Promise<Plan> {
    return this.planner.plan(intent, actor.rights);
  }

  /**
   * Makes a rollout as a draft, with the devices of its plan.
   * @throws AppError as `Planner.plan`; `rollout_is_empty`
   */
  async create(input: NewRollout, actor: Maker): Promise<Rollout> {
    const plan = await this.planFor(input, actor);
    return this.db.transaction((tx) => this.createIn(tx, input, plan, actor));
  }

  /** The plan of a rollout that somebody takes part in. @throws AppError as `create` */
  async planFor(input: NewRollout, actor: Maker): Promise<Plan> {
    const plan = await this.planner.plan(input, actor.rights);
    if (plan.waves.every(({ devices }) => devices.length === 0)) {
      throw new AppError('rollout_is_empty', { skipped: plan.skipped.length });
    }
    return plan;
  }

  /** Keeps a planned rollout as a draft, in the transaction of the caller. */
  async createIn(tx: EntityManager, input: NewRollout, plan: Plan, actor: Maker): Promise<Rollout> {
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
      createdBy: actor.subject,
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
    await this.note(tx, rollout, 'rollout.create', actor, {
      kind: input.kind,
      spec: input.spec,
      selector: input.selector,
      policy: input.policy,
      planDigest: plan.digest,
      devices: plan.waves.reduce((total, { devices }) => total + devices.length, 0),
      skipped: plan.skipped.length,
    });
    return rollout;
  }

  /**
   * Lets a draft go: at once, at its time, or after a second person has approved it.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`, `step_up_required`, `rate_limited`
   */
  start(rolloutId: string, actor: Principal): Promise<Rollout> {
    return this.db.transaction(async (tx) => {
      const rollout = await this.get(rolloutId);
      const devices = await this.taking(tx, rolloutId);
      await this.requireFreshFactor(rollout, reach(devices, rollout.policy), actor);
      // The request itself was charged as one call.
      if (devices > 1) await this.limits.take(actor, devices - 1);
      return this.startIn(tx, rolloutId, actor);
    });
  }

  /** As `start`, in the transaction of the caller. */
  startIn(tx: EntityManager, rolloutId: string, actor: Actor): Promise<Rollout> {
    return this.changeIn(tx, rolloutId, 'rollout.start', actor, async (_tx, rollout) => {
      const total = await this.taking(tx, rolloutId);
      return this.move(rollout, this.needsApproval(total, rollout.policy) ? 'submit' : 'start');
    });
  }

  /**
   * A second person lets it go.
   * @param planDigest of the plan that this person has looked at
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`, `approval_own`, `approval_mismatch`
   */
  approve(rolloutId: string, planDigest: string, actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.approve', actor, (_tx, rollout) => {
      if (rollout.operatorId === actor.operatorId) throw new AppError('approval_own');
      if (rollout.planDigest !== planDigest)
        throw new AppError('approval_mismatch', { planDigest: rollout.planDigest });
      rollout.approvedBy = actor.subject;
      rollout.approvedByName = actor.name;
      return this.move(rollout, 'approve');
    });
  }

  /** A second person sends it back. @throws AppError `rollout_not_found`, `rollout_wrong_state` */
  reject(rolloutId: string, actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.reject', actor, (_tx, rollout) => this.move(rollout, 'reject'));
  }

  /** Begins nothing more; jobs under way come to their end. @throws AppError `rollout_not_found`, `rollout_wrong_state` */
  pause(rolloutId: string, actor: Actor): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.pause', actor, (_tx, rollout) => {
      this.move(rollout, 'pause');
      rollout.pauseCause = 'operator';
      rollout.pauseSentence = `${actor.name} paused it${actor.reason ? `: ${actor.reason}` : '.'}`;
    });
  }

  /**
   * Goes on. Failures so far are acknowledged: the thresholds count from here.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`
   */
  resume(rolloutId: string, actor: Actor): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.resume', actor, async (tx, rollout) => {
      this.move(rollout, 'resume');
      await this.acknowledge(tx, rollout);
      await tx.query(
        `update rollout_wave set state = 'passed', ended_at = $2 where rollout_id = $1 and state = 'failed'`,
        [rolloutId, this.clock.now()],
      );
    });
  }

  /**
   * Ends it. What has not begun is cancelled, a job before its point of no return too; the others come to a verified end.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`
   */
  async abort(rolloutId: string, actor: Actor): Promise<Rollout> {
    const rollout = await this.change(rolloutId, 'rollout.abort', actor, async (tx, found) => {
      this.move(found, 'abort');
      await this.rows.cancelRest(tx, rolloutId, 'aborted');
    });
    const atWork = await this.db.query<{ id: string }[]>(
      `select job_id as id from rollout_target where rollout_id = $1 and state in ('queued', 'running')`,
      [rolloutId],
    );
    for (const { id } of atWork) {
      await this.jobs.cancel(id, actor).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error; // past its return, or ended: it goes to its end
      });
    }
    return rollout;
  }

  /**
   * Tries targets again that have ended. With those that were skipped it can come to be larger than when it was started.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`, `step_up_required`, `rollout_not_approved`
   */
  retry(rolloutId: string, states: readonly TargetState[], actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.retry', actor, async (tx, rollout) => {
      this.move(rollout, 'reopen');
      rollout.endedAt = null;
      await tx.query(
        `update rollout_target set state = 'waiting', reason = 'retry', wake_at = $3, ended_at = null, tries = 0,
                offline_since = null, offline_looks = 0, changed_at = $3
          where rollout_id = $1 and state = any ($2::text[])`,
        [rolloutId, states, this.clock.now()],
      );
      const devices = await this.taking(tx, rolloutId);
      await this.requireFreshFactor(rollout, reach(devices, rollout.policy), actor);
      if (rollout.approvedBy === null && this.needsApproval(devices, rollout.policy)) {
        throw new AppError('rollout_not_approved', { devices, limit: this.config.APPROVAL_DEVICES });
      }
      await tx.query(
        `update rollout_wave wave set state = 'running', ended_at = null, soak_until = null
          where rollout_id = $1 and state in ('passed', 'failed', 'soaking')
            and exists (select from rollout_target target
                         where target.rollout_id = $1 and target.wave = wave.ordinal and target.state = 'waiting')`,
        [rolloutId],
      );
      await this.acknowledge(tx, rollout);
    });
  }

  /**
   * Says how what a rollout has changed would be taken back.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state` while it goes on, `rollout_has_no_way_back`
   */
  async previewBack(rolloutId: string, actor: Maker): Promise<Plan> {
    return (await this.planBack(rolloutId, actor)).plan;
  }

  /**
   * Makes the rollout that takes another one back, as a draft.
   * @throws AppError as `previewBack`; `rollout_is_empty`
   */
  async rollBack(rolloutId: string, actor: Maker): Promise<Rollout> {
    const { rollout, intent, plan } = await this.planBack(rolloutId, actor);
    if (plan.waves.every(({ devices }) => devices.length === 0)) {
      throw new AppError('rollout_is_empty', { skipped: plan.skipped.length });
    }
    const input = { ...intent, name: `back from ${rollout.name}`.slice(0, 120), rollsBack: rolloutId };
    return this.db.transaction((tx) => this.createIn(tx, input, plan, actor));
  }

  private async planBack(rolloutId: string, actor: Maker) {
    const rollout = await this.get(rolloutId);
    if (!ENDED.includes(rollout.state)) {
      throw new AppError('rollout_wrong_state', { state: rollout.state, possibleIn: ENDED });
    }
    return { rollout, ...(await this.planner.planBack(rollout, actor.rights)) };
  }

  /**
   * Leaves a target out that has not begun.
   * @throws AppError `rollout_not_found`, `rollout_target_not_found`, `rollout_wrong_state`
   */
  skip(rolloutId: string, deviceId: string, actor: Actor): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.skip', actor, async (tx) => {
      const [found] = await tx.query<{ state: TargetState }[]>(
        'select state from rollout_target where rollout_id = $1 and device_id = $2 for update',
        [rolloutId, deviceId],
      );
      if (!found) throw new AppError('rollout_target_not_found');
      if (found.state !== 'waiting' && found.state !== 'offline') {
        throw new AppError('rollout_wrong_state', { state: found.state, possibleIn: ['waiting', 'offline'] });
      }
      await tx.query(
        `update rollout_target set state = 'skipped', reason = 'operator', ended_at = $3, changed_at = $3
          where rollout_id = $1 and device_id = $2`,
        [rolloutId, deviceId, this.clock.now()],
      );
      return { deviceId };
    });
  }

  /**
   * Lets a wave with a manual gate begin.
   * @throws AppError `rollout_not_found`, `rollout_wave_not_found`
   */
  promote(rolloutId: string, ordinal: number, actor: Actor): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.promote', actor, async (tx) => {
      const [, count] = await tx.query<[unknown[], number]>(
        'update rollout_wave set promoted = true where rollout_id = $1 and ordinal = $2',
        [rolloutId, ordinal],
      );
      if (count === 0) throw new AppError('rollout_wave_not_found');
      return { wave: ordinal };
    });
  }

  /** @throws AppError `rollout_not_found` */
  async get(rolloutId: string): Promise<Rollout> {
    const rollout = await this.db.manager.findOneBy(Rollout, { id: rolloutId });
    if (!rollout) throw new AppError('rollout_not_found');
    return rollout;
  }

  /** Newest first. @throws AppError `invalid_cursor` */
  async list(filter: RolloutFilter): Promise<Page<Rollout>> {
    const rows = this.db.manager
      .createQueryBuilder(Rollout, 'rollout')
      .orderBy('rollout.created_at', 'DESC')
      .addOrderBy('rollout.id', 'DESC');
    if (filter.state) rows.andWhere('rollout.state = :state', { state: filter.state });
    if (filter.cursor) {
      const [at, id] = decodeCursor(filter.cursor, z.tuple([z.iso.datetime(), z.uuid()]));
      rows.andWhere('(rollout.created_at, rollout.id) < (:at, :id)', { at, id });
    }
    const found = await rows.limit(filter.limit + 1).getMany();
    return cutPage(found, filter.limit, (rollout) => [rollout.createdAt.toISOString(), rollout.id]);
  }

  /**
   * Wave by wave, in the order in which they are taken; those in sight.
   * @throws AppError `rollout_not_found`, `invalid_cursor`
   */
  async targets(rolloutId: string, filter: TargetFilter, rights: Rights): Promise<Page<TargetLine>> {
    await this.get(rolloutId);
    const after = filter.cursor
      ? decodeCursor(filter.cursor, z.tuple([z.string().regex(/^\d{1,9}$/), z.string().regex(/^\d{1,9}$/), z.uuid()]))
      : [null, null, null];
    const values: unknown[] = [rolloutId, filter.state ?? null, filter.wave ?? null, ...after, filter.limit + 1];
    const seen = inSight(rights, 'device_id', values, this.clock.now());
    const rows = await this.db.query<TargetLine[]>(
      `select ${TARGET_COLUMNS} from rollout_target
        where rollout_id = $1 and ($2::text is null or state = $2) and ($3::int is null or wave = $3)
          and ($4::int is null or (wave, position, device_id) > ($4::int, $5::int, $6::uuid)) and ${seen}
        order by wave, position, device_id limit $7`,
      values,
    );
    return cutPage(rows, filter.limit, (row) => [String(row.wave), String(row.position), row.deviceId]);
  }

  /** Whether so many devices, or as many as it may come to, want the approval of a second person. */
  needsApproval(devices: number, policy: Pick<RolloutPolicy, 'membership'>): boolean {
    const { APPROVAL_DEVICES: limit } = this.config;
    return limit > 0 && reach(devices, policy) > limit;
  }

  /**
   * Asks for a second factor where the kind says so, or for firmware for more devices than the setting says.
   * @param devices how many it may come to
   * @throws AppError `step_up_required`
   */
  async requireFreshFactor(
    { kind, spec }: Pick<RolloutIntent, 'kind' | 'spec'>,
    devices: number,
    actor: Principal,
  ): Promise<void> {
    const isMuch = kind === 'firmware' && devices > this.config.FIRMWARE_STEP_UP_DEVICES;
    if (isMuch || this.batches.kind(kind)?.stepUp(spec)) await this.stepUp.require(actor);
  }

  private async taking(tx: EntityManager, rolloutId: string): Promise<number> {
    const { skipped: _left, ...others } = await this.rows.counts(tx, rolloutId);
    return Object.values(others).reduce((total, count) => total + count, 0);
  }

  private async acknowledge(tx: EntityManager, rollout: Rollout): Promise<void> {
    const counts = await this.rows.counts(tx, rollout.id);
    rollout.acknowledgedFinished = judged(counts);
    rollout.acknowledgedFailed = bad(counts);
  }

  /** @throws AppError `rollout_wrong_state` */
  private move(rollout: Rollout, verb: RolloutVerb): void {
    const to = apply(verb, rollout.state);
    if (to === null) throw new AppError('rollout_wrong_state', { state: rollout.state, possibleIn: statesFor(verb) });
    rollout.state = to;
    rollout.pauseCause = null;
    rollout.pauseSentence = null;
  }

  private change(rolloutId: string, action: `rollout.${string}`, actor: Actor, act: Change): Promise<Rollout> {
    return this.db.transaction((tx) => this.changeIn(tx, rolloutId, action, actor, act));
  }

  private async changeIn(
    tx: EntityManager,
    rolloutId: string,
    action: `rollout.${string}`,
    actor: Actor,
    act: Change,
  ): Promise<Rollout> {
    const rollout = await tx.findOne(Rollout, { where: { id: rolloutId }, lock: { mode: 'pessimistic_write' } });
    if (!rollout) throw new AppError('rollout_not_found');
    const from = rollout.state;
    const facts = (await act(tx, rollout)) ?? {};
    const saved = await tx.save(Rollout, rollout);
    await this.note(tx, rollout, action, actor, { from, to: saved.state, ...facts });
    return saved;
  }

  private note(tx: EntityManager, { id, name }: Rollout, action: `rollout.${string}`, actor: Actor, facts: object) {
    return this.audit.record(tx, { actor, action, subject: `rollout:${id}`, facts: { name, ...facts } });
  }
}

/** Changes a locked rollout; what it returns goes into the audit beside the states. */
type Change = (tx: EntityManager, rollout: Rollout) => Promise<object | void> | object | void;

/** How many devices it may come to: one that follows its selector, any number. */
const reach = (devices: number, { membership }: Pick<RolloutPolicy, 'membership'>): number =>
  membership === 'following' ? Infinity : devices;

/** Waves and targets of a plan. Those who take no part are rows too, so that everybody can be asked about. */
async function insertTargets(tx: EntityManager, rolloutId: string, { waves, skipped }: Plan, now: Date): Promise<void> {
  await tx.query('insert into rollout_wave (rollout_id, ordinal) select $1, generate_series(0, $2::int)', [
    rolloutId,
    waves.length - 1,
  ]);
  const targets = [
    ...waves.flatMap(({ devices }, wave) =>
      devices.map(({ id, name, firmware, spec }, position) => {
        return {
          id,
          name,
          firmware,
          wave,
          position,
          reason: null,
          spec: spec === undefined ? null : JSON.stringify(spec),
        };
      }),
    ),
    ...skipped.map(({ deviceId, name, reason }, position) => {
      return { id: deviceId, name, firmware: null, wave: waves.length - 1, position, reason, spec: null };
    }),
  ];
  await tx.query(
    `insert into rollout_target (rollout_id, device_id, device_name, wave, position, state, reason, before, spec, wake_at, changed_at, ended_at)
     select $1, id, name, wave, position, case when reason is null then 'waiting' else 'skipped' end, reason,
            jsonb_build_object('firmware', firmware), spec, $2, $2, case when reason is not null then $2::timestamptz end
       from unnest($3::uuid[], $4::text[], $5::int[], $6::int[], $7::text[], $8::text[], $9::jsonb[])
            as item (id, name, wave, position, reason, firmware, spec)`,
    [
      rolloutId,
      now,
      targets.map(({ id }) => id),
      targets.map(({ name }) => name),
      targets.map(({ wave }) => wave),
      targets.map(({ position }) => position),
      targets.map(({ reason }) => reason),
      targets.map(({ firmware }) => firmware),
      targets.map(({ spec }) => spec),
    ],
  );
}
