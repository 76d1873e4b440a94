import { leaseEnd } from '../rows/lease-terms.js';
import { ADVISORY_LOCK } from '../../database/advisory-locks.js';
import { NONE_IS_RUNNING, ONE_AT_A_TIME_FROM } from '../../database/lost-workers.js';

/*
 * Which due jobs are dispatched, as one SQL statement that `JobRows.dispatch` runs: one job per free device, first jobs
 * of people, then those of batches, each in the order in which they became due. Of the jobs that lost two workers in a
 * row, at most one is among them (`lost-workers.ts`). `is_bulk` marks the jobs of batches.
 */

/** The most jobs of one class, of people or of batches, that one statement dispatches. */
const AT_ONCE = 500;

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

/** The job to run next of those that lost two workers. It has its device, since it ran before. */
const NEXT_ALONE = `
  select id from job
   where phase = 'queued' and lost_workers >= ${ONE_AT_A_TIME_FROM} and wake_at <= $1 and ${NONE_IS_RUNNING}
   order by is_bulk, wake_at, id limit 1`;

/**
 * The due jobs of one class to dispatch, in order, up to the free capacity: a scan of `job_due_idx` with a look-up of each
 * device.
 */
const nextDue = (isBulk: boolean, capacity: string) => `
  select due.id from job due
   where due.phase = 'queued' and due.is_bulk = ${isBulk} and due.wake_at <= $1
     and (due.lost_workers < ${ONE_AT_A_TIME_FROM} or due.id = (${NEXT_ALONE}))
     and (select is_held from dispatch_lock) and ${IS_NEXT_ON_ITS_DEVICE}
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
       people as materialized (
         ${nextDue(false, '(select jobs from capacity)')}),
       from_batches as materialized (
         ${nextDue(true, '(select jobs from capacity) - (select count(*) from people) - $5::integer')})
  update job set phase = 'dispatched', epoch = epoch + 1, owner = $2, lease_until = ${leaseEnd('$4')}
   where id = any (array (select id from people union all select id from from_batches))
  returning id, epoch`;
