import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Rights } from '../auth/rights/rights.js';
import { SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { selectorSql } from '../selectors/selector-sql.js';
import { Clock } from '../platform/clock.js';
import { cutPage, decodeCursor, type Page } from '../http/page.js';
import {
  COVERAGE_STATES,
  coverageState,
  type CoverageQuery,
  type CoverageState,
  type coverageView,
} from './backups.contract.js';

type CoveredDevice = z.input<typeof coverageView>['items'][number];

/** From the worst to the best. */
const PLACE = `array_position(array['${COVERAGE_STATES.join("','")}'], state)`;

/**
 * Which devices have a backup, and its age and state. The worst state counts: no backup, a failed last attempt, an
 * overdue one, a fresh one. A backup that could not be unpacked is a failure too.
 */
@Injectable()
export class BackupCoverage {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
  ) {}

  /** The worst state first, then by name. @throws AppError `invalid_selector`, `invalid_cursor` */
  async read(
    query: CoverageQuery,
    rights: Rights,
  ): Promise<Page<CoveredDevice> & { counts: Record<CoverageState, number> }> {
    const now = this.clock.now();
    const values: unknown[] = [new Date(now.getTime() - query.maxAgeHours * 3_600_000)];
    const chosen = selectorSql(await this.selectors.read(query.selector, rights), values, now, rights);
    const scope = rights.sql('job.read', values, now);
    const where = `${chosen} and ${scope}`;
    const counts = await countCovered(this.db, where, values);
    return { counts, ...(await this.page(query, coveredSql(where), values)) };
  }

  private async page(query: CoverageQuery, covered: string, given: readonly unknown[]): Promise<Page<CoveredDevice>> {
    const values = [...given];
    const param = (value: unknown) => `$${values.push(value)}`;
    const conditions = ['true'];
    if (query.state) conditions.push(`state = ${param(query.state)}`);
    if (query.cursor) {
      const [state, name, id] = decodeCursor('coverage', query.cursor, z.tuple([coverageState, z.string(), z.uuid()]));
      const place = COVERAGE_STATES.indexOf(state) + 1;
      conditions.push(
        `(${PLACE}, lower(name), "deviceId") > (${param(place)}::int, lower(${param(name)}), ${param(id)}::uuid)`,
      );
    }
    const rows = await this.db.query<CoveredDevice[]>(
      `select * from (${covered}) as covered where ${conditions.join(' and ')}
        order by ${PLACE}, lower(name), "deviceId" limit ${param(query.limit + 1)}`,
      values,
    );
    return cutPage('coverage', rows, query.limit, ({ state, name, deviceId }) => [state, name, deviceId]);
  }
}

/** How many devices are in each state; `$1` is the instant before which a backup is overdue. */
export async function countCovered(
  db: DataSource,
  where: string,
  values: readonly unknown[],
): Promise<Record<CoverageState, number>> {
  const counted = await db.query<{ state: CoverageState; count: number }[]>(
    `select state, count(*)::integer as count from (${coveredSql(where)}) as covered group by state`,
    [...values],
  );
  const counts = Object.fromEntries(COVERAGE_STATES.map((state) => [state, 0])) as Record<CoverageState, number>;
  for (const { state, count } of counted) counts[state] = count;
  return counts;
}

/** One row for each device; `$1` is the instant before which a backup is overdue. */
const coveredSql = (where: string) => `
  select device.id as "deviceId", device.name, backup.id as "artifactId", backup.at, backup.opens,
         case when attempt.outcome <> 'succeeded' then coalesce(attempt.code, attempt.outcome) end as "lastFailure",
         case when backup.id is null then 'none'
              when attempt.outcome <> 'succeeded' or backup.opens = false then 'failed'
              when backup.at < $1 then 'overdue'
              else 'fresh' end as state
    from device
    left join lateral (
      select artifact.id, coalesce(artifact.confirmed_at, artifact.created_at) as at,
             case when content.artifact_id is not null then content.failure is null end as opens
        from artifact left join backup_content content on content.artifact_id = artifact.id
       where artifact.device_id = device.id and artifact.kind = 'backup'
       order by artifact.created_at desc limit 1) as backup on true
    left join lateral (
      select job.outcome, job.failure->>'code' as code
        from job where job.device_id = device.id and job.kind = 'backup' and job.phase = 'ended'
         and job.outcome <> 'cancelled'
       order by job.created_at desc, job.id desc limit 1) as attempt on true
   where ${where}`;
