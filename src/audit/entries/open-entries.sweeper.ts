import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { nearDatabase } from '../../database/database-time.js';
import { type Sweeper } from '../../platform/sweeper.js';

/** Longer than any call without a large body. */
const OPEN_AT_MOST_MS = 60 * 60_000;

/** The slowest link whose upload the gateway waits for (`proxy/calls/call-limits.ts`). */
const SLOWEST_BYTES_PER_SECOND = 64 * 1024;

/** Sweeps are a minute apart. A larger step means that the clock was set forward, or that the host was frozen. */
const STEP_MS = 10 * 60_000;

/** Leaves that one statement searches, and entries that it closes. */
const LEAVES_AT_ONCE = 50_000;
const CLOSED_AT_ONCE = 1_000;

/**
 * Closes entries whose process died between entry and outcome, as `unknown`: the request may have reached the device.
 *
 * The sweeper uses the log: an entry is at least as old as the first checkpoint that contains it, whatever time it
 * claims and however long the gateway was down. The log stores up to which leaf no entry is open, so that no leaf is
 * searched twice.
 *
 * A clock that is set forward makes checkpoints look old during running calls. After that the sweeper closes nothing
 * for the longest duration of a call.
 */
@Injectable()
export class OpenEntriesSweeper implements Sweeper {
  readonly name = 'open-audit-entries';
  readonly everyMs = 60_000;
  private lastMs: number | null = null;
  private restUntilMs = 0;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    const uploadMs = (this.config.DEVICE_BODY_LIMIT_BYTES / SLOWEST_BYTES_PER_SECOND) * 1_000;
    const openMs = OPEN_AT_MOST_MS + uploadMs;
    const [log] = await this.db.query<{ from: number; through: number; now: Date }[]>(
      `select closed_through::float8 as "from", now,
              coalesce((select size from audit_checkpoint where signed_at < now - $3::float8 * interval '1 ms'
                         order by size desc limit 1), 0)::float8 as through
         from audit_log cross join (select ${nearDatabase('$2::timestamptz', 1)} as now) as clock`,
      [this.clock.fromDatabaseMs, this.clock.now(), openMs],
    );
    if (!log || this.isResting(log.now.getTime(), openMs)) return { closed: 0 };
    const { now, through } = log;
    let closed = 0;
    for (let { from } = log; from < through;) {
      const to = Math.min(from + LEAVES_AT_ONCE, through);
      const done = await this.closeBetween(from, to, now);
      closed += done.closed;
      if (done.found === CLOSED_AT_ONCE) continue; // there may be more
      await this.db.query('update audit_log set closed_through = $1 where closed_through < $1', [to]);
      from = to;
    }
    return { closed };
  }

  /** Whether the clock was set forward less than `openMs` ago. */
  private isResting(nowMs: number, openMs: number): boolean {
    const isStep = this.lastMs !== null && nowMs - this.lastMs > STEP_MS;
    this.lastMs = nowMs;
    // Longer than any pause: the clock was set back since.
    if (isStep || this.restUntilMs - nowMs > openMs) this.restUntilMs = nowMs + openMs;
    return nowMs < this.restUntilMs;
  }

  private async closeBetween(from: number, to: number, now: Date): Promise<{ found: number; closed: number }> {
    const [done] = await this.db.query<{ found: number; closed: number }[]>(
      `with found as (
         select row_id from audit_leaf leaf
          where kind = 0 and sequence >= $1 and sequence < $2
            and not exists (select from audit_outcome where entry_id = leaf.row_id)
          order by sequence limit $3),
       closed as (
         insert into audit_outcome (entry_id, closed_at, outcome, facts)
         select row_id, $4, 'unknown', '{"why":"the process that opened this entry did not close it"}' from found
         on conflict do nothing returning entry_id)
       select (select count(*) from found)::int as found, (select count(*) from closed)::int as closed`,
      [from, to, CLOSED_AT_ONCE, now],
    );
    return done!;
  }
}
