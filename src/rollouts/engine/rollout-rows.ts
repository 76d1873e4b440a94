import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { type DeviceValues } from './device-values.js';
import { paceOf, type RolloutPolicy } from '../state/rollout-policy.js';
import { type Rollout } from '../state/rollout.entity.js';
import {
  NO_TARGETS,
  type Counts,
  type RolloutSnapshot,
  type TargetChange,
  type TargetState,
  type Wave,
  type WaveState,
} from '../state/rollout-state.js';
import { columnsOf } from '../../database/columns-of.js';

/*
 * The statements of the sweeper on rollouts, waves and targets. They work on sets: 10,000 targets cost no more statements
 * than ten. Counts are computed and never stored beside the targets, so they cannot become wrong.
 */

interface WaveRow {
  readonly ordinal: number;
  readonly state: WaveState;
  readonly promoted: boolean;
  readonly soak_until: Date | null;
}

/** A target whose job has ended, with the result. */
export interface EndedTarget {
  readonly deviceId: string;
  readonly tries: number;
  readonly offlineSince: Date | null;
  /** Column `offline_looks`. */
  readonly offlineChecks: number;
  readonly reason: string | null;
  readonly outcome: 'succeeded' | 'failed' | 'not_executed' | 'unknown' | 'cancelled';
  readonly code: string | null;
  /** The last problem, when the deadline ended the job. */
  readonly lastCode: string | null;
}

/** A target that may start now. */
export interface ReadyTarget extends DeviceValues {
  readonly deviceState: string;
  readonly tries: number;
  readonly offlineSince: Date | null;
  readonly offlineChecks: number;
  /** The spec for this device, if it differs from the rollout's. */
  readonly spec: unknown;
}

export interface TargetUpdate {
  readonly deviceId: string;
  readonly change: TargetChange;
}

/** A job that could not be cancelled is asked again after this time. */
const ASK_AGAIN_MS = 60_000;

/** What the sweeper advances: no drafts, no approvals that are waited for, and nothing in quarantine. */
const IS_ACTIVE = `state in ('scheduled', 'running', 'paused', 'aborting') and pause_cause is distinct from 'quarantined'`;

@Injectable()
export class RolloutRows {
  constructor(@Inject(Clock) private readonly clock: Clock) {}

  async active(tx: EntityManager): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(`select id from rollout where ${IS_ACTIVE} order by id`);
    return rows.map(({ id }) => id);
  }

  /**
   * Locks an active rollout until the commit. @returns false when it is not active any more, or another process has the lock
   */
  async lockRow(tx: EntityManager, id: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `select from rollout where id = $1 and ${IS_ACTIVE} for update skip locked`,
      [id],
    );
    return rows.length > 0;
  }

  /** The present input of `decide`. */
  async snapshot(tx: EntityManager, rollout: Rollout): Promise<RolloutSnapshot> {
    const now = this.clock.now();
    const waves = await tx.query<WaveRow[]>(
      'select ordinal, state, promoted, soak_until from rollout_wave where rollout_id = $1 order by ordinal',
      [rollout.id],
    );
    const groups = await tx.query<
      { wave: number; state: TargetState; reason: string | null; count: number; unchecked: number; started: number }[]
    >(
      // Grouped by reason only for ended targets: their reasons are a few codes.
      `select target.wave, target.state, case when target.ended_at is not null then target.reason end as reason, count(*)::int as count,
              count(*) filter (where target.state = 'succeeded' and (checked_at is null or checked_at < soak_until))::int as unchecked,
              count(*) filter (where began_at > $2)::int as started
         from rollout_target target
         join rollout_wave wave on wave.rollout_id = target.rollout_id and wave.ordinal = target.wave
        where target.rollout_id = $1
          and not (target.state = 'skipped' and target.ended_at = $3) -- the plan skipped these: they ended when the rollout was created
        group by 1, 2, 3`,
      [rollout.id, new Date(now.getTime() - paceOf(rollout.policy, rollout.bytesPerStart).withinMs), rollout.createdAt],
    );
    const wantsChecks = rollout.policy.checks.length > 0;
    return {
      state: rollout.state,
      waves: waves.map((wave): Wave => {
        const own = groups.filter((group) => group.wave === wave.ordinal);
        return {
          ordinal: wave.ordinal,
          state: wave.state,
          promoted: wave.promoted,
          soakUntil: wave.soak_until?.getTime() ?? null,
          counts: countsOf(own),
          causes: own.filter(({ reason }) => reason !== null),
          unchecked: wantsChecks ? own.reduce((sum, { unchecked }) => sum + unchecked, 0) : 0,
        };
      }),
      acknowledged: { finished: rollout.acknowledgedFinished, failed: rollout.acknowledgedFailed },
      startsAt: rollout.startsAt?.getTime() ?? null,
      startedInPace: groups.reduce((sum, { started }) => sum + started, 0),
      bytesPerStart: rollout.bytesPerStart,
    };
  }

  /** Targets by state, over all waves. */
  async counts(tx: EntityManager, rolloutId: string): Promise<Counts> {
    return countsOf(
      await tx.query<{ state: TargetState; count: number }[]>(
        'select state, count(*)::int as count from rollout_target where rollout_id = $1 group by state',
        [rolloutId],
      ),
    );
  }

  /** Targets whose job a worker has claimed are running. A job that has already ended is not recorded as running. */
  async markRunning(tx: EntityManager, rolloutId: string): Promise<void> {
    await tx.query(
      `update rollout_target target set state = 'running', changed_at = $2
         from job where target.rollout_id = $1 and target.state = 'queued'
          and job.id = target.job_id and job.started_at is not null and job.phase <> 'ended'`,
      [rolloutId, this.clock.now()],
    );
  }

  /** Targets whose job has ended or was removed. */
  async ended(tx: EntityManager, rolloutId: string, limit: number): Promise<EndedTarget[]> {
    return tx.query(
      `select target.device_id as "deviceId", target.tries, target.offline_since as "offlineSince",
              target.offline_looks as "offlineChecks", target.reason,
              coalesce(job.outcome, 'unknown') as outcome,
              case when job.id is null then 'job_is_gone' else job.failure ->> 'code' end as code,
              job.failure -> 'facts' -> 'last' ->> 'code' as "lastCode"
         from rollout_target target left join job on job.id = target.job_id
        where target.rollout_id = $1 and target.state in ('queued', 'running')
          and (job.id is null or job.phase = 'ended')
        order by target.device_id limit $2`,
      [rolloutId, limit],
    );
  }

  /**
   * Marks jobs that wait for an offline device and have changed nothing on it: their targets get the reason `recalled`,
   * and wait without a job once the caller has cancelled it. @returns these jobs
   */
  async recallOfflineJobs(tx: EntityManager, rolloutId: string, limit: number): Promise<{ jobId: string }[]> {
    const [jobs] = await tx.query<[{ jobId: string }[], number]>(
      `update rollout_target target set reason = 'recalled', changed_at = $3
        where target.rollout_id = $1 and target.state in ('queued', 'running') and target.reason is distinct from 'recalled'
          and target.job_id in (
            select job.id from job join rollout_target own on own.job_id = job.id and own.rollout_id = $1
             where job.phase = 'queued' and job.wait_reason = 'device_offline' and job.intent is null
             limit $2)
        returning target.job_id as "jobId"`,
      [rolloutId, limit, this.clock.now()],
    );
    return jobs;
  }

  /**
   * Marks the targets of jobs that have no cancel request yet, each at most once a minute, because a job past its point of
   * no return refuses again and again. @returns these jobs, for the caller to cancel
   */
  async markForCancel(tx: EntityManager, rolloutId: string, limit: number): Promise<{ jobId: string }[]> {
    const now = this.clock.now();
    const [jobs] = await tx.query<[{ jobId: string }[], number]>(
      `update rollout_target target set reason = 'aborting', changed_at = $3
        where target.rollout_id = $1 and target.state in ('queued', 'running')
          and target.job_id in (
            select job.id from job join rollout_target own on own.job_id = job.id and own.rollout_id = $1
             where job.phase <> 'ended' and job.cancel_asked_at is null
               and (own.reason is distinct from 'aborting' or own.changed_at < $4)
             limit $2)
        returning target.job_id as "jobId"`,
      [rolloutId, limit, now, new Date(now.getTime() - ASK_AGAIN_MS)],
    );
    return jobs;
  }

  /** Changes targets, in one statement. A job that found its device offline does not count as a try. */
  async changeTargets(tx: EntityManager, rolloutId: string, moved: readonly TargetUpdate[]): Promise<void> {
    if (moved.length === 0) return;
    const now = this.clock.now();
    await tx.query(
      `update rollout_target target set
         state = item.state, reason = item.reason, wake_at = coalesce(item.wake_at, target.wake_at), changed_at = $2,
         ended_at = case when item.wake_at is null then $2::timestamptz end,
         offline_since = case when item.state = 'offline' then coalesce(target.offline_since, $2) when item.state = 'waiting' then null else target.offline_since end,
         offline_looks = case when item.state = 'offline' then target.offline_looks + 1 else 0 end,
         tries = target.tries - (item.state = 'offline' and target.state in ('queued', 'running'))::int
       from unnest($3::uuid[], $4::text[], $5::text[], $6::timestamptz[]) as item (device_id, state, reason, wake_at)
       where target.rollout_id = $1 and target.device_id = item.device_id`,
      [
        rolloutId,
        now,
        moved.map(({ deviceId }) => deviceId),
        moved.map(({ change }) => change.state),
        moved.map(({ change }) => change.reason),
        moved.map(({ change }) => ('wakeAt' in change ? new Date(change.wakeAt) : null)),
      ],
    );
  }

  /** Targets that have not started end. */
  async cancelRest(tx: EntityManager, rolloutId: string, reason: string): Promise<number> {
    const [, count] = await tx.query<[unknown[], number]>(
      `update rollout_target set state = 'cancelled', reason = $2, ended_at = $3, changed_at = $3
        where rollout_id = $1 and state in ('waiting', 'offline')`,
      [rolloutId, reason, this.clock.now()],
    );
    return count;
  }

  /** The jobs of a rollout that are not known to have ended. */
  listOpenJobs(manager: EntityManager, rolloutId: string): Promise<{ jobId: string }[]> {
    return manager.query<{ jobId: string }[]>(
      `select job_id as "jobId" from rollout_target where rollout_id = $1 and state in ('queued', 'running')`,
      [rolloutId],
    );
  }

  /** Ends targets whose jobs are no longer read. Their result stays in the job. */
  async markUnknown(tx: EntityManager, rolloutId: string, reason: string): Promise<void> {
    await tx.query(
      `update rollout_target set state = 'unknown', reason = $2, ended_at = $3, changed_at = $3
        where rollout_id = $1 and state in ('queued', 'running')`,
      [rolloutId, reason, this.clock.now()],
    );
  }

  async changeWaves(
    tx: EntityManager,
    rolloutId: string,
    waves: readonly { ordinal: number; state: WaveState; soakUntil: number | null }[],
  ): Promise<void> {
    for (const { ordinal, state, soakUntil } of waves) {
      await tx.query(
        `update rollout_wave set state = $3, soak_until = $4,
           started_at = case when $3 = 'running' then coalesce(started_at, $5) else started_at end,
           ended_at   = case when $3 in ('passed', 'failed') then $5::timestamptz end
         where rollout_id = $1 and ordinal = $2`,
        [rolloutId, ordinal, state, soakUntil === null ? null : new Date(soakUntil), this.clock.now()],
      );
    }
  }

  /** Time zones of the waiting targets, so that windows are computed once for each. */
  async zones(tx: EntityManager, { id, policy }: Rollout): Promise<string[]> {
    const rows = await tx.query<{ zone: string }[]>(
      `select distinct coalesce(device.time_zone, $2) as zone
         from rollout_target target join device on device.id = target.device_id
        where target.rollout_id = $1 and target.state in ('waiting', 'offline')`,
      [id, policy.timeZone],
    );
    return rows.map(({ zone }) => zone);
  }

  /** Skips targets whose device was removed from the registry. */
  async skipRemoved(tx: EntityManager, rolloutId: string): Promise<void> {
    await tx.query(
      `update rollout_target target set state = 'skipped', reason = 'device_removed', ended_at = $2, changed_at = $2
        where rollout_id = $1 and state in ('waiting', 'offline')
          and not exists (select from device where device.id = target.device_id)`,
      [rolloutId, this.clock.now()],
    );
  }

  /**
   * The next targets that may start: due, of a wave that has started, with an open window, a free device and free
   * capacity at the site. An offline one is due as soon as its device was seen again.
   * @param zones time zones whose window is open; null: work needs no window
   */
  async ready(
    tx: EntityManager,
    rollout: Rollout,
    { upTo, count }: { upTo: number; count: number },
    zones: readonly string[] | null,
  ): Promise<ReadyTarget[]> {
    if (count <= 0 || zones?.length === 0) return [];
    return tx.query(
      `with running_at_site as (
         select device.site, count(*) as count
           from rollout_target target join device on device.id = target.device_id
          where target.rollout_id = $1 and target.state in ('queued', 'running') group by device.site),
       due as (
         select target.device_id, target.wave, target.position,
                row_number() over (partition by device.site order by target.wave, target.position) as site_rank, device.site
           from rollout_target target join device on device.id = target.device_id
          where target.rollout_id = $1 and target.state in ('waiting', 'offline') and target.wave <= $2
            and (target.wake_at <= $3 or (target.state = 'offline' and device.state = 'online' and device.seen_at > target.changed_at))
            and ($5::text[] is null or coalesce(device.time_zone, $4) = any ($5))
            and not exists (select from rollout_target other
                             where other.device_id = target.device_id and other.state in ('queued', 'running')))
       select target.device_id as id, device.name, device.serial, device.mac, device.model, device.firmware, device.site, device.fields,
              device.state as "deviceState", target.spec, target.tries, target.offline_since as "offlineSince", target.offline_looks as "offlineChecks"
         from due
         join rollout_target target on target.rollout_id = $1 and target.device_id = due.device_id
         join device on device.id = due.device_id
         left join running_at_site on running_at_site.site = due.site
        where $6::int is null or due.site = '' or due.site_rank + coalesce(running_at_site.count, 0) <= $6
        order by due.wave, due.position limit $7
        for update of target skip locked`,
      [rollout.id, upTo, this.clock.now(), rollout.policy.timeZone, zones, rollout.policy.perSite ?? null, count],
    );
  }

  /** Notes the jobs of targets, which are queued from now on. */
  async markQueued(
    tx: EntityManager,
    rolloutId: string,
    started: readonly { deviceId: string; jobId: string; firmware: string | null }[],
  ): Promise<void> {
    await tx.query(
      `update rollout_target target set
         state = 'queued', reason = null, job_id = item.job_id, tries = tries + 1, began_at = $2, changed_at = $2,
         ended_at = null, checked_at = null, offline_since = null, offline_looks = 0,
         before = target.before || jsonb_build_object('firmware', item.firmware)
       from unnest($3::uuid[], $4::uuid[], $5::text[]) as item (device_id, job_id, firmware)
       where target.rollout_id = $1 and target.device_id = item.device_id`,
      [rolloutId, this.clock.now(), ...columnsOf(started, 'deviceId', 'jobId', 'firmware')],
    );
  }
}

function countsOf(groups: readonly { readonly state: TargetState; readonly count: number }[]): Counts {
  const counts: Record<TargetState, number> = { ...NO_TARGETS };
  for (const { state, count } of groups) counts[state] += count;
  return counts;
}

/** Longest time for one device, in milliseconds. */
export const neededMs = (policy: RolloutPolicy): number => policy.expectedMinutes * 60_000;
