import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { SweeperRunner, type Sweeper } from '../platform/sweeper.js';

/** Longer than the longest deadline of a device call (an upload of 4 GB at the least rate allowed). */
const OPEN_AT_MOST_MS = 60 * 60_000;

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
  ) {}

  onApplicationBootstrap(): void {
    this.sweepers.start(this);
  }

  async sweep(): Promise<Record<string, number>> {
    const now = this.clock.now();
    const closed = await this.db.query<unknown[]>(
      `insert into audit_outcome (entry_id, closed_at, outcome, facts)
       select entry.id, $1, 'unknown', '{"why":"the process that opened this entry did not close it"}'
         from audit_entry entry
        where entry.opened_at < $2 and not exists (select from audit_outcome where entry_id = entry.id)
        order by entry.opened_at limit 1000
       on conflict do nothing
       returning entry_id`,
      [now, new Date(now.getTime() - OPEN_AT_MOST_MS)],
    );
    return { closed: closed.length };
  }
}
