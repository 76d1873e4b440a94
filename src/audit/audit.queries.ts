import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { AppError } from '../platform/errors.js';
import { cutPage, decodeCursor, type Page } from '../platform/page.js';
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
  entry.device_id as "deviceId", entry.job_id as "jobId", entry.subject, entry.facts,
  coalesce(outcome.facts, '{}') as result`;

const FROM = 'from audit_entry entry left join audit_outcome outcome on outcome.entry_id = entry.id';

/** Reads the audit; newest first. */
@Injectable()
export class AuditQueries {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async list(query: AuditQuery): Promise<Page<AuditLine>> {
    const values: unknown[] = [];
    const conditions: string[] = [];
    const where = (condition: (place: string) => string, value: unknown) => {
      values.push(value);
      conditions.push(condition(`$${values.length}`));
    };
    if (query.actor) where((place) => `entry.actor = ${place}`, query.actor);
    if (query.action?.endsWith('.*'))
      where((place) => `starts_with(entry.action, ${place})`, query.action.slice(0, -1));
    else if (query.action) where((place) => `entry.action = ${place}`, query.action);
    if (query.deviceId) where((place) => `entry.device_id = ${place}::uuid`, query.deviceId);
    if (query.jobId) where((place) => `entry.job_id = ${place}::uuid`, query.jobId);
    if (query.outcome === 'open') conditions.push('outcome.entry_id is null');
    else if (query.outcome) where((place) => `outcome.outcome = ${place}`, query.outcome);
    if (query.since) where((place) => `entry.opened_at >= ${place}::timestamptz`, query.since);
    if (query.until) where((place) => `entry.opened_at < ${place}::timestamptz`, query.until);
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
  async get(entryId: string): Promise<AuditLine> {
    const [row] = await this.db.query<AuditLine[]>(`select ${COLUMNS} ${FROM} where entry.id = $1`, [entryId]);
    if (!row) throw new AppError('audit_entry_not_found');
    return row;
  }
}
