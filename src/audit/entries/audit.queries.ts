import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Actor } from '../../platform/actor.js';
import { AppError } from '../../platform/errors.js';
import { cutPage, decodeCursor, type Page } from '../../http/page.js';
import { DeviceFilters } from './audit-filter.js';
import { type AuditLine, type AuditQuery } from './audit.contract.js';

const COLUMNS = `
  entry.id, entry.opened_at as "openedAt", outcome.closed_at as "closedAt", entry.action, outcome.outcome,
  entry.actor, entry.actor_name as "actorName", entry.request_id as "requestId", entry.address, entry.reason,
  entry.device_id as "deviceId", entry.job_id as "jobId", entry.operation_id as "operationId", entry.subject, entry.facts,
  coalesce(outcome.facts, '{}') as result, leaf.sequence::float8 as sequence`;

const FROM = `
  from audit_entry entry left join audit_outcome outcome on outcome.entry_id = entry.id
  left join audit_leaf leaf on leaf.row_id = entry.id and leaf.kind = 0`;

/** A set-back of the clock: the sizes of the checkpoint that records it and of the one before. */
interface SetBack {
  readonly before: string;
  readonly size: string;
  /** Between the two checkpoints there are entries of both clocks; those from this time on are of the old one. */
  readonly middle: Date;
}

/**
 * Reads the audit, newest first by time. Where the clock was set back, all later entries of the log come before all
 * earlier ones, whatever times they claim. The query therefore reads stretch by stretch, from one set-back to the next.
 * Usually there is one stretch.
 */
@Injectable()
export class AuditQueries {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DeviceFilters) private readonly devices: DeviceFilters,
  ) {}

  async list(query: AuditQuery, actor: Actor): Promise<Page<AuditLine>> {
    const setBacks = await this.setBacks();
    const [at, id, from] = query.cursor
      ? decodeCursor('audit', query.cursor, z.tuple([z.iso.datetime(), z.uuid(), z.coerce.number().int().min(0)]))
      : [null, null, setBacks.length];
    const rows: { readonly line: AuditLine; readonly stretch: number }[] = [];
    // Stretches are counted from the oldest, so that a cursor stays valid after a new set-back.
    for (let stretch = Math.min(from, setBacks.length); stretch >= 0 && rows.length <= query.limit; stretch--) {
      const values: unknown[] = [];
      const conditions = await this.devices.conditions(query, actor, values);
      if (at !== null && stretch === from) {
        values.push(at, id);
        conditions.push(`(entry.opened_at, entry.id) < ($${values.length - 1}::timestamptz, $${values.length}::uuid)`);
      }
      conditions.push(...within(setBacks[stretch - 1], setBacks[stretch], values));
      values.push(query.limit + 1 - rows.length);
      const lines = await this.db.query<AuditLine[]>(
        `select ${COLUMNS} ${FROM} ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
          order by entry.opened_at desc, entry.id desc limit $${values.length}`,
        values,
      );
      rows.push(...lines.map((line) => ({ line, stretch })));
    }
    const { items, next } = cutPage('audit', rows, query.limit, ({ line: { openedAt, id: last }, stretch }) => [
      openedAt.toISOString(),
      last,
      String(stretch),
    ]);
    return { items: items.map(({ line }) => line), next };
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

  /** Oldest first. Set-backs in archived segments are removed with them. */
  private setBacks(): Promise<SetBack[]> {
    return this.db.query<SetBack[]>(
      `select coalesce((select max(size) from audit_checkpoint before where before.size < checkpoint.size), 0) as before, size,
              signed_at + (set_back_from - signed_at) / 2 as middle
         from audit_checkpoint checkpoint where set_back_from is not null order by size`,
    );
  }
}

function within(begin: SetBack | undefined, end: SetBack | undefined, values: unknown[]): string[] {
  const param = (value: unknown) => `$${values.push(value)}`;
  const isBehind = ({ size, before, middle }: SetBack) => `(leaf.sequence is null or leaf.sequence >= ${param(size)}
    or (leaf.sequence >= ${param(before)} and entry.opened_at < ${param(middle)}))`;
  return [...(begin ? [isBehind(begin)] : []), ...(end ? [`not ${isBehind(end)}`] : [])];
}
