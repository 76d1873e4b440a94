import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Authors } from '../auth/keys/authors.service.js';
import { SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { ADVISORY_LOCK, tryLock } from '../database/advisory-locks.js';
import { withinInterval } from '../database/due-times.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { type Sweeper } from '../platform/sweeper.js';
import { MonitoringPolicy } from './monitoring-policy.entity.js';
import { authoredDevicesSql } from './samples/authored-devices.js';
import { SHARED_SESSION_MAX_S } from './policy-price.js';
import { SampleHistory } from './samples/sample-history.js';
import { newMonthSql } from './samples/sample-store.js';

/*
 * Finds the devices that policies name, in one statement for all of them: `monitored_device`. A device of two policies has the
 * shorter interval and the smaller budget. The selector is read with the present rights of the author; what a sample may read
 * of the device is judged again for each path (`sampler.sweeper.ts`). One process plans at a time, and it locks only rows that change.
 */

/** Logins are shown for the day; the others are for people who look into the database. */
const LOGINS_KEPT_DAYS = 31;

const NOTHING =
  'select null::uuid as device_id, null::uuid as policy_id, 0 as every_seconds, 0 as budget_mb where false';

const IS_AS_BEFORE =
  '(known.every_seconds, known.budget_mb) is not distinct from (excluded.every_seconds, excluded.budget_mb)';

@Injectable()
export class SamplingPlanSweeper implements Sweeper {
  readonly name = 'sampling-plan';
  readonly isLeftToWorker = true;
  readonly everyMs = 10_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Authors) readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(SavedSelectorsService) readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(SampleHistory) private readonly history: Pick<SampleHistory, 'emptyOld'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @returns how many devices got another plan */
  async sweep(): Promise<Record<string, number>> {
    const policies = await this.db.manager.find(MonitoringPolicy, { where: { enabled: true }, order: { id: 'asc' } });
    const values: unknown[] = [];
    const parts: string[] = [];
    for (const policy of policies) {
      const part = await this.devicesOf(policy, values).catch((error: unknown) => error);
      if (typeof part === 'string') parts.push(part);
      else if (!(part instanceof AppError)) throw part;
      await this.noteError(policy, part instanceof AppError ? part.code : null);
    }
    const changed = await this.store(parts.join(' union all ') || NOTHING, values);
    await this.db.query(newMonthSql('monitored_device', 'plan.every_seconds'), [this.clock.now()]);
    await this.db.query(withinInterval('monitored_device', 'due_at', 'interval_seconds'), [this.clock.now()]);
    await this.db.query(
      `delete from device_login where day < ($1::timestamptz at time zone 'UTC')::date - ${LOGINS_KEPT_DAYS}`,
      [this.clock.now()],
    );
    await this.history.emptyOld();
    return { changed };
  }

  /** @throws AppError `author_gone`, `invalid_selector` */
  private async devicesOf(policy: MonitoringPolicy, values: unknown[]): Promise<string> {
    const condition = await authoredDevicesSql(this, policy, values, this.clock.now());
    const policyId = `$${values.push(policy.id)}::uuid`;
    return `select device.id as device_id, ${policyId} as policy_id, ${policy.everySeconds} as every_seconds,
                   ${policy.budgetMb ?? 'null'}::int as budget_mb
              from device where ${condition}`;
  }

  private async noteError(policy: MonitoringPolicy, code: string | null): Promise<void> {
    if (policy.lastError === code) return;
    await this.db.query('update monitoring_policy set last_error = $2 where id = $1', [policy.id, code]);
  }

  /**
   * New devices are spread over the time of one interval, so that a policy does not begin with a burst; one that was sampled
   * before is not sampled sooner than its policy says. A change of selectors or metrics leaves interval and time as they are.
   */
  private async store(matched: string, values: unknown[]): Promise<number> {
    const param = (value: unknown) => `$${values.push(value)}`;
    const now = `${param(this.clock.now())}::timestamptz`;
    const soon = `${now} + random() * least(every_seconds, ${param(SHARED_SESSION_MAX_S)}::int) * interval '1 second'`;
    const later = `sampled_at + every_seconds * interval '1 second'`;
    return this.db.transaction(async (tx) => {
      if (!(await tryLock(tx, ADVISORY_LOCK.samplingPlan))) return 0;
      const [counts] = await tx.query<[{ changed: number }]>(planSql(matched, `greatest(${soon}, ${later})`), values);
      return counts.changed;
    });
  }
}

/** Rows are locked in the order of their ids, as by `sample-store.ts`. */
const planSql = (matched: string, dueAt: string) => `
  with matched as (${matched}),
       plan as (select device_id, array_agg(policy_id order by policy_id) as policies,
                       min(every_seconds) as every_seconds, min(budget_mb) as budget_mb
                  from matched group by device_id),
       changed as (select device_id, plan.policies, plan.every_seconds, plan.budget_mb
                     from plan full join monitored_device known using (device_id)
                    where (plan.policies, plan.every_seconds, plan.budget_mb)
                          is distinct from (known.policies, known.every_seconds, known.budget_mb)),
       locked as materialized (select device_id from monitored_device
                                where device_id in (select device_id from changed) order by device_id for update),
       gone as (delete from monitored_device
                 where device_id in (select device_id from locked join changed using (device_id) where policies is null)
                returning 1),
       stored as (
         insert into monitored_device as known (device_id, policies, every_seconds, interval_seconds, budget_mb, due_at)
         select device_id, policies, every_seconds, every_seconds, budget_mb, ${dueAt}
           from changed left join locked using (device_id) left join device_sample using (device_id)
          where policies is not null order by device_id
         on conflict (device_id) do update
            set policies = excluded.policies, every_seconds = excluded.every_seconds, budget_mb = excluded.budget_mb,
                interval_seconds = case when ${IS_AS_BEFORE} then known.interval_seconds else excluded.interval_seconds end,
                due_at = case when ${IS_AS_BEFORE} or known.interval_seconds <= excluded.interval_seconds then known.due_at
                              else least(known.due_at, excluded.due_at) end
         returning 1)
  select ((select count(*) from gone) + (select count(*) from stored))::int as changed`;
