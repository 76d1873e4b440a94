import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { SweeperRunner, type Sweeper } from '../platform/sweeper.js';

/** Longer than any call without a large body. */
const OPEN_AT_MOST_MS = 60 * 60_000;

/** The slowest link that an upload is waited for on (`proxy/call-limits.ts`). */
const SLOWEST_BYTES_PER_SECOND = 64 * 1024;

/** Entries that old were closed long ago: the search for open ones need not go through the whole audit. */
const LOOK_BACK_MS = 14 * 24 * 3_600_000;

/**
 * Closes entries whose process died between the intent and the outcome. `unknown` is the truth: the request may have
 * reached the device.
 */
@Injectable()
export class OpenEntriesSweeper implements Sweeper, OnApplicationBootstrap {
  readonly name = 'open-audit-entries';
  readonly everyMs = 60_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
  ) {}

  onApplicationBootstrap(): void {
    this.sweepers.start(this);
  }

  async sweep(): Promise<Record<string, number>> {
    const now = this.clock.now();
    const uploadMs = (this.config.DEVICE_BODY_LIMIT_BYTES / SLOWEST_BYTES_PER_SECOND) * 1_000;
    const before = now.getTime() - OPEN_AT_MOST_MS - uploadMs;
    const closed = await this.db.query<unknown[]>(
      `insert into audit_outcome (entry_id, closed_at, outcome, facts)
       select entry.id, $1, 'unknown', '{"why":"the process that opened this entry did not close it"}'
         from audit_entry entry
        where entry.opened_at < $2 and entry.opened_at > $3 and not exists (select from audit_outcome where entry_id = entry.id)
        order by entry.opened_at limit 1000
       on conflict do nothing
       returning entry_id`,
      [now, new Date(before), new Date(now.getTime() - LOOK_BACK_MS)],
    );
    return { closed: closed.length };
  }
}
