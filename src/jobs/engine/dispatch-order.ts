import { leaseEnd } from '../rows/lease-terms.js';
import { ADVISORY_LOCK } from '../../platform/database/advisory-locks.js';

/*
 * Which due jobs are dispatched, as one SQL statement that `JobRows.dispatch` runs: one job per free device, first jobs
 * of people, then those of batches, each in the order in which they became due.
 *
 * A job whose worker was lost is a suspect, because it may have crashed the worker. It is one until it makes progress,
 * or until as many runs as its `trials` have ended without a crash. Suspects run one at a time, so that the next lost
 * worker identifies the job. From 32 suspects on, a sixteenth of them runs together: a crash can make a thousand
 * innocent suspects. If such a group loses its worker, its jobs go to the end. Until their next turn other suspects
 * have cleared themselves, and the groups are smaller.
 *
 * A second loss proves nothing if the worker had other work. Then the suspect runs isolated: it starts when all other
 * work has ended, and other work waits for it. The SQL function `quiet_trial` names that suspect, because sweepers wait
 * for it, too; `is_work_in_hand` tells whether other work still runs. A dispatcher (second argument `true`) also gets a
 * suspect that has waited for more than five minutes, once no other work runs. `is_bulk` marks the jobs of batches.
 */

/** The most jobs of one class, of people or of batches, that one statement dispatches. */
const AT_ONCE = 500;

const SUSPECTS_SHARE = 16;

/**
 * Jobs that are first on their device. A claimed job occupies its device: all others wait for its end, also a person's
 * job behind one of a batch. `offset 0` keeps the planner from reading all devices at once.
 */
const IS_NEXT_ON_ITS_DEVICE = `
  not exists (
    select from job other
     where other.device_id = due.device_id and other.phase <> 'ended' and other.id <> due.id
       and (other.started_at is not null or other.phase = 'dispatched'
            or (due.started_at is null and other.wake_at <= $1
                and (other.is_bulk, other.created_at, other.id) < (due.is_bulk, due.created_at, due.id)))
    offset 0)`;

/**
 * The due jobs of one class to dispatch, in order, up to the free capacity: a scan of `job_due_idx` with a look-up of each
 * device.
 */
const nextDue = (fromBatch: boolean, capacity: string) => `
  select due.id from job due
   where due.phase = 'queued' and due.is_bulk = ${fromBatch} and due.wake_at <= $1 and due.trials = 0
     and (select is_held from dispatch_lock) and not exists (select from isolated) and ${IS_NEXT_ON_ITS_DEVICE}
   order by due.wake_at, due.id
   limit (select least(${AT_ONCE}, greatest(0, ${capacity})))
   for update skip locked`;

/** $1 now. Asked before each dispatch: an idle gateway polls four times a second, and this costs 0.3 ms, not 1.8 ms. */
export const IS_ANY_DUE = `
  select exists (select from job where phase = 'queued' and is_bulk in (false, true) and wake_at <= $1) as due`;

/** $1 now, $2 owner, $3 free capacity, $4 the lease in milliseconds, $5 the capacity reserved for people. */
export const DISPATCH = `
  with dispatch_lock as materialized (select pg_try_advisory_xact_lock(${ADVISORY_LOCK.jobDispatch}) as is_held),
       capacity as materialized (
         select $3::integer - count(*) as jobs from job where phase = 'dispatched' and owner = $2),
       isolated as materialized (select id from quiet_trial($1, true)),
       suspects as materialized (select id, phase from job where lost_workers > 0 and trials > 0 and phase <> 'ended'),
       suspect_limit as materialized (
         select greatest(1, count(*) / ${SUSPECTS_SHARE}) as at_once, count(*) filter (where phase <> 'queued') as dispatched
           from suspects),
       suspect_runs as materialized (
         select due.id from job due
          where due.id = any (array (select id from suspects where phase = 'queued'
                                        and (id in (select id from isolated) or not exists (select from isolated))))
            and due.phase = 'queued' and due.wake_at <= $1 and (select is_held from dispatch_lock) and ${IS_NEXT_ON_ITS_DEVICE}
          order by due.wake_at, due.id
          limit (select greatest(0, least((select jobs from capacity),
                          case when not exists (select from isolated) then at_once - dispatched
                               when is_work_in_hand() then 0 else 1 end)) from suspect_limit)
          for update skip locked),
       people as materialized (
         ${nextDue(false, '(select jobs from capacity) - (select count(*) from suspect_runs)')}),
       from_batches as materialized (
         ${nextDue(true, '(select jobs from capacity) - (select count(*) from suspect_runs) - (select count(*) from people) - $5::integer')})
  update job set phase = 'dispatched', epoch = epoch + 1, owner = $2, lease_until = ${leaseEnd('$4')},
                 wake_at = case when trials > 0 and wake_at < $1 - interval '5 minutes' then $1 else wake_at end, -- the five minutes for which other work waits (quiet_trial) count from here
                 tried_alone = trials > 0 and (exists (select from isolated) or (select at_once from suspect_limit) = 1)
   where id = any (array (select id from suspect_runs union all select id from people union all select id from from_batches))
  returning id, epoch`;
