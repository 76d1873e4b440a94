import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type AuditAction } from '../../audit/entries/audit-actions.js';
import { type Principal } from '../../auth/access/access.js';
import { inSight } from '../../auth/rights/in-sight.js';
import { RateLimits } from '../../auth/limits/rate-limits.js';
import { StepUp } from '../../auth/people/step-up.js';
import { JobBatches } from '../../jobs/engine/job-batches.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { SpecRights } from '../../jobs/engine/spec-rights.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { EXAMPLE_DEVICE, fillIn } from './device-values.js';
import { type RequestedRollout } from './planner.js';
import { type RolloutPolicy } from '../state/rollout-policy.js';
import { RolloutRights } from './rollout-rights.js';
import { RolloutRows } from './rollout-rows.js';
import {
  stateAfter,
  failedCount,
  finishedCount,
  type RolloutVerb,
  statesFor,
  type TargetState,
} from '../state/rollout-state.js';
import { RolloutViews } from '../state/rollout-views.js';
import { Rollout } from '../state/rollout.entity.js';

/**
 * The actions of people on existing rollouts (`RolloutDrafts` creates them). Each locks the rollout, checks its state
 * where it changes it, and writes its change with an audit entry; the sweeper does the rest.
 */
@Injectable()
export class RolloutsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'APPROVAL_DEVICES' | 'FIRMWARE_STEP_UP_DEVICES'>,
    @Inject(RolloutViews) private readonly views: RolloutViews,
    @Inject(RolloutRows) private readonly rows: RolloutRows,
    @Inject(RolloutRights) private readonly rights: RolloutRights,
    @Inject(JobsService) private readonly jobs: JobsService,
    @Inject(JobBatches) private readonly batches: JobBatches,
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(SpecRights) private readonly specs: Pick<SpecRights, 'needsSecondFactor'>,
  ) {}

  /**
   * Starts a draft: at once, at its time, or after a second person has approved it.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`, `step_up_required`, `rate_limited`; as `RolloutRights`
   */
  start(rolloutId: string, actor: Principal): Promise<Rollout> {
    return this.db.transaction(async (tx) => {
      const rollout = await this.views.get(rolloutId);
      await this.rights.requireContinue(tx, rollout, actor);
      const devices = await this.countParticipants(tx, rolloutId);
      await this.requireFreshFactor(rollout, possibleDevices(devices, rollout.policy), actor);
      // The request itself was charged as one call.
      if (devices > 1) await this.limits.take(actor, devices - 1);
      return this.startIn(tx, rolloutId, actor);
    });
  }

  /** As `start`, in the transaction of the caller. */
  startIn(tx: EntityManager, rolloutId: string, actor: Actor): Promise<Rollout> {
    return this.changeIn(tx, rolloutId, 'rollout.start', actor, async (_tx, rollout) => {
      const total = await this.countParticipants(tx, rolloutId);
      return this.transition(rollout, this.needsApproval(total, rollout.policy) ? 'submit' : 'start');
    });
  }

  /**
   * A second person approves it.
   * @param planDigest of the plan that this person has read
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`, `approval_own`, `approval_mismatch`
   */
  approve(rolloutId: string, planDigest: string, actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.approve', actor, async (tx, rollout) => {
      if (rollout.operatorId === actor.operatorId) throw new AppError('approval_own');
      if (rollout.planDigest !== planDigest)
        throw new AppError('approval_mismatch', { planDigest: rollout.planDigest });
      await this.rights.requireApproval(tx, rollout, actor);
      rollout.approvedBy = actor.actorId;
      rollout.approvedByName = actor.name;
      this.transition(rollout, 'approve');
    });
  }

  /** A second person rejects it. @throws AppError `rollout_not_found`, `rollout_wrong_state` */
  reject(rolloutId: string, actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.reject', actor, (_tx, rollout) => this.transition(rollout, 'reject'));
  }

  /** Pauses it: starts no more devices; running jobs finish. @throws AppError `rollout_not_found`, `rollout_wrong_state` */
  pause(rolloutId: string, actor: Actor): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.pause', actor, (_tx, rollout) => {
      this.transition(rollout, 'pause');
      rollout.pauseCause = 'operator';
      rollout.pauseSentence = `${actor.name} paused it${actor.reason ? `: ${actor.reason}` : '.'}`;
    });
  }

  /**
   * Resumes it. Failures so far are acknowledged: the thresholds count from now on.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`; as `RolloutRights`
   */
  resume(rolloutId: string, actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.resume', actor, async (tx, rollout) => {
      this.transition(rollout, 'resume');
      await this.rights.requireContinue(tx, rollout, actor);
      await this.acknowledge(tx, rollout);
      await tx.query(
        `update rollout_wave set state = 'accepted', ended_at = $2 where rollout_id = $1 and state = 'failed'`,
        [rolloutId, this.clock.now()],
      );
    });
  }

  /**
   * Aborts it. Targets that have not started are cancelled, and so are jobs before their point of no return; the others
   * finish with a verified end. If the process or the database fails here, the sweeper cancels the remaining jobs.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`
   */
  async abort(rolloutId: string, actor: Actor): Promise<Rollout> {
    const rollout = await this.change(rolloutId, 'rollout.abort', actor, async (tx, found) => {
      this.transition(found, 'abort');
      await this.rows.cancelRest(tx, rolloutId, 'aborted');
    });
    for (const { jobId } of await this.rows.listOpenJobs(this.db.manager, rolloutId)) {
      await this.jobs.cancel(jobId, actor).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error; // it has ended or is past the point of no return
      });
    }
    return rollout;
  }

  /**
   * Retries ended targets. Devices that the plan skipped may join now; no approval covered them, so a large rollout is
   * then refused.
   * @throws AppError `rollout_not_found`, `rollout_wrong_state`, `step_up_required`, `rollout_not_approved`; as
   * `RolloutRights`
   */
  retry(rolloutId: string, states: readonly TargetState[], actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.retry', actor, async (tx, rollout) => {
      this.transition(rollout, 'retry');
      rollout.endedAt = null;
      const addedDevices = await this.skippedByPlan(tx, rollout, states);
      await tx.query(
        `update rollout_target set state = 'waiting', reason = 'retry', wake_at = $3, ended_at = null, tries = 0,
                offline_since = null, offline_looks = 0, changed_at = $3
          where rollout_id = $1 and state = any ($2::text[])`,
        [rolloutId, states, this.clock.now()],
      );
      await this.rights.requireContinue(tx, rollout, actor);
      const devices = await this.countParticipants(tx, rolloutId);
      await this.requireFreshFactor(rollout, possibleDevices(devices, rollout.policy), actor);
      const isApproved = rollout.approvedBy !== null && addedDevices === 0;
      if (!isApproved && this.needsApproval(devices, rollout.policy)) {
        throw new AppError('rollout_not_approved', { limit: this.config.APPROVAL_DEVICES });
      }
      await tx.query(
        `update rollout_wave wave set state = 'running', ended_at = null, soak_until = null
          where rollout_id = $1 and (state = 'failed' or state in ('passed', 'accepted', 'soaking')
            and exists (select from rollout_target target
                         where target.rollout_id = $1 and target.wave = wave.ordinal and target.state = 'waiting'))`,
        [rolloutId],
      );
      await this.acknowledge(tx, rollout);
    });
  }

  /**
   * Excludes a target that has not started.
   * @throws AppError `rollout_not_found`, `rollout_target_not_found`, `rollout_wrong_state`
   */
  skip(rolloutId: string, deviceId: string, actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.skip', actor, async (tx) => {
      const values: unknown[] = [rolloutId, deviceId];
      const seen = inSight(actor.rights, 'device_id', values, this.clock.now());
      const [found] = await tx.query<{ state: TargetState }[]>(
        `select state from rollout_target where rollout_id = $1 and device_id = $2 and ${seen} for update`,
        values,
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
   * Lets a wave with a manual gate start.
   * @throws AppError `rollout_not_found`, `rollout_wave_not_found`; as `RolloutRights`
   */
  promote(rolloutId: string, ordinal: number, actor: Principal): Promise<Rollout> {
    return this.change(rolloutId, 'rollout.promote', actor, async (tx, rollout) => {
      await this.rights.requireContinue(tx, rollout, actor);
      const [, count] = await tx.query<[unknown[], number]>(
        'update rollout_wave set promoted = true where rollout_id = $1 and ordinal = $2',
        [rolloutId, ordinal],
      );
      if (count === 0) throw new AppError('rollout_wave_not_found');
      return { wave: ordinal };
    });
  }

  /** Whether this number of devices, or its possible number, needs the approval of a second person. */
  needsApproval(devices: number, policy: Pick<RolloutPolicy, 'membership'>): boolean {
    const { APPROVAL_DEVICES: limit } = this.config;
    return limit > 0 && possibleDevices(devices, policy) > limit;
  }

  /**
   * Requires a second factor if the kind needs one, or for firmware for more devices than the setting.
   * @param devices its possible number
   * @throws AppError `step_up_required`
   */
  async requireFreshFactor(
    { kind, spec }: Pick<RequestedRollout, 'kind' | 'spec'>,
    devices: number,
    actor: Principal,
  ): Promise<void> {
    const isLargeUpgrade = kind === 'firmware' && devices > this.config.FIRMWARE_STEP_UP_DEVICES;
    if (isLargeUpgrade || (await this.needsSecondFactor(kind, spec))) await this.stepUp.require(actor);
  }

  /** Whether the kind needs a second factor, or a direct read of what the spec names would. */
  private async needsSecondFactor(kindName: string, spec: unknown): Promise<boolean> {
    const kind = this.batches.kind(kindName);
    if (!kind) return false;
    if (kind.stepUp(spec)) return true;
    const parsed = kind.spec.safeParse(fillIn(spec, EXAMPLE_DEVICE).spec);
    return parsed.success && this.specs.needsSecondFactor(kind, parsed.data);
  }

  /** The number of targets in these states that the plan skipped: no approval covered them. */
  private async skippedByPlan(tx: EntityManager, rollout: Rollout, states: readonly TargetState[]): Promise<number> {
    const [row] = await tx.query<[{ count: number }]>(
      `select count(*)::int as count from rollout_target
        where rollout_id = $1 and state = 'skipped' and state = any ($2::text[]) and ended_at = $3`,
      [rollout.id, states, rollout.createdAt], // the plan was stored at that moment, with the devices that it skips
    );
    return row.count;
  }

  private async countParticipants(tx: EntityManager, rolloutId: string): Promise<number> {
    const { skipped: _left, ...others } = await this.rows.counts(tx, rolloutId);
    return Object.values(others).reduce((total, count) => total + count, 0);
  }

  private async acknowledge(tx: EntityManager, rollout: Rollout): Promise<void> {
    const counts = await this.rows.counts(tx, rollout.id);
    rollout.acknowledgedFinished = finishedCount(counts);
    rollout.acknowledgedFailed = failedCount(counts);
  }

  /** @throws AppError `rollout_wrong_state` */
  private transition(rollout: Rollout, verb: RolloutVerb): void {
    const to = stateAfter(verb, rollout.state);
    if (to === null) throw new AppError('rollout_wrong_state', { state: rollout.state, possibleIn: statesFor(verb) });
    rollout.state = to;
    rollout.pauseCause = null;
    rollout.pauseSentence = null;
  }

  private change(rolloutId: string, action: RolloutAction, actor: Actor, act: Change): Promise<Rollout> {
    return this.db.transaction((tx) => this.changeIn(tx, rolloutId, action, actor, act));
  }

  private async changeIn(
    tx: EntityManager,
    rolloutId: string,
    action: RolloutAction,
    actor: Actor,
    act: Change,
  ): Promise<Rollout> {
    const rollout = await tx.findOne(Rollout, { where: { id: rolloutId }, lock: { mode: 'pessimistic_write' } });
    if (!rollout) throw new AppError('rollout_not_found');
    const from = rollout.state;
    const facts = (await act(tx, rollout)) ?? {};
    const saved = await tx.save(Rollout, rollout);
    await this.audit.record(tx, {
      actor,
      action,
      subject: `rollout:${rolloutId}`,
      facts: { name: rollout.name, from, to: saved.state, ...facts },
    });
    return saved;
  }
}

type RolloutAction = Extract<AuditAction, `rollout.${string}`>;

/** Changes a locked rollout; its return value goes into the audit beside the states. */
type Change = (tx: EntityManager, rollout: Rollout) => Promise<object | void> | object | void;

/** The possible number of devices: unlimited when the rollout follows its selector. */
const possibleDevices = (devices: number, { membership }: Pick<RolloutPolicy, 'membership'>): number =>
  membership === 'following' ? Infinity : devices;
