import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Actor } from '../platform/actor.js';
import { AppError } from '../platform/errors.js';
import { cutPage, decodeCursor, type Page } from '../platform/page.js';
import { DeviceFilters } from './audit-filter.js';
import { type AuditQuery } from './audit.contract.js';

/** An entry with its outcome, as SQL joins them. */
export interface AuditLine {
  readonly id: string;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  readonly action: string;
  readonly outcome: string | null;
}

const COLUMNS = `
  entry.id, entry.opened_at as "openedAt", outcome.closed_at as "closedAt", entry.action, outcome.outcome,
  entry.actor, entry.actor_name as "actorName", entry.request_id as "requestId", entry.address, entry.reason,
  entry.device_id as "deviceId", entry.job_id as "jobId", entry.operation_id as "operationId", entry.subject, entry.facts,
  coalesce(outcome.facts, '{}') as result,
  (select sequence::float8 from audit_leaf where row_id = entry.id and kind = 0) as sequence`;

const FROM = 'from audit_entry entry left join audit_outcome outcome on outcome.entry_id = entry.id';

/** Reads the audit; newest first. */
@Injectable()
export class AuditQueries {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DeviceFilters) private readonly devices: DeviceFilters,
  ) {}

  async list(query: AuditQuery, actor: Actor): Promise<Page<AuditLine>> {
    const values: unknown[] = [];
    const conditions = await this.devices.conditions(query, actor, values);
    if (query.cursor) {
      const [at, id] = decodeCursor(query.cursor, z.tuple([z.iso.datetime(), z.uuid()]));
      values.push(at, id);
      conditions.push(`(entry.opened_at, entry.id) < ($${values.length - 1}::timestamptz, $${values.length}::uuid)`);
    }
    values.push(query.limit + 1);
    const rows = await this.db.query<AuditLine[]>(
      `select ${COLUMNS} ${FROM} ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
        order by entry.opened_at desc, entry.id desc limit $${values.length}`,
      values,
    );
    return cutPage(rows, query.limit, (row) => [row.openedAt.toISOString(), row.id]);
  }

  /** @throws AppError `audit_entry_not_found` */
  async get(entryId: string, actor: Actor): Promise<AuditLine> {
    const values: unknown[] = [entryId];
    const conditions = ['entry.id = $1', ...(await this.devices.conditions({}, actor, values))];
    const [row] = await this.db.query<AuditLine[]>(
      `select ${COLUMNS} ${FROM} where ${conditions.join(' and ')}`,
      values,
    );
    if (!row) throw new AppError('audit_entry_not_found');
    return row;
  }
}
