import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Rights } from '../auth/rights.js';
import { type Permission } from '../auth/permissions.js';
import { Clock } from '../platform/clock.js';
import { type Sweeper, SweeperRunner } from '../platform/sweeper.js';

/*
 * Events in an order that can be followed. Transactions commit in another order than they begin, so a reader that went by
 * a counter would miss what a slow one commits late. Events carry their transaction instead, and only those are read whose
 * transaction no running one is older than: nothing can come before them any more.
 *
 * Readers look at the table; nothing is sent on commit. A notice on each end of a job would make all commits wait for each
 * other (NOTIFY holds one lock of the whole server until the commit is on the disk).
 */

/** Where a reader stands: after this event. */
export interface Place {
  readonly tx: string;
  readonly id: string;
}

export interface EventLine extends Place {
  readonly at: Date;
  readonly type: string;
  readonly subject: string;
  readonly deviceId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Which events somebody wants, and may see. */
export interface EventFilter {
  /** `job.ended`, or `job.*` for all of a noun; empty: all. */
  readonly types: readonly string[];
  readonly rights: Rights;
}

const LOOK_EVERY_MS = 500;

/** How long events are kept: who was away for longer reads the lists. */
const KEPT_MS = 7 * 86_400_000;

/** What one must be permitted to see events of a noun. */
const PERMISSIONS: Readonly<Record<string, Permission>> = {
  device: 'device.read',
  job: 'job.read',
  rollout: 'rollout.read',
  schedule: 'rollout.read',
  backup: 'backup.read',
  webhook: 'webhook.manage',
};

/** Nothing that still runs is older: no event can come before these any more. */
const SETTLED = 'event.tx < pg_snapshot_xmin(pg_current_snapshot())';

@Injectable()
export class EventLog implements Sweeper, OnApplicationBootstrap, OnModuleDestroy {
  readonly name = 'old-events';
  readonly everyMs = 600_000;

  private readonly closing = new AbortController();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
  ) {}

  onApplicationBootstrap(): void {
    this.sweepers.start(this);
  }

  /** Those who watch are let go, so that the listener can close. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** The place after everything that has happened so far. */
  async end(): Promise<Place> {
    const [row] = await this.db.query<[Place]>(
      `select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text as tx, '9223372036854775807' as id`,
    );
    return row;
  }

  /** The next events after a place, oldest first; in the transaction of the caller where one is given. */
  async after(place: Place, filter: EventFilter, limit: number, tx = this.db.manager): Promise<EventLine[]> {
    const values: unknown[] = [place.tx, place.id, limit];
    const condition = this.condition(filter, values);
    return tx.query(
      `select event.tx::text as tx, event.id::text as id, event.at, event.type, event.subject,
              event.device_id as "deviceId", event.data
         from event left join device on device.id = event.device_id
        where (event.tx, event.id) > ($1::xid8, $2::bigint) and ${SETTLED} and ${condition}
        order by event.tx, event.id limit $3`,
      values,
    );
  }

  /**
   * Follows events until the process ends; whoever stops reading ends it.
   * @returns batches as they come, and null when there was nothing new for a while
   */
  async *follow(
    from: Place,
    filter: EventFilter,
    limit: number,
    silenceMs: number,
  ): AsyncGenerator<EventLine[] | null> {
    let place = from;
    let heardAt = this.clock.now().getTime();
    while (!this.closing.signal.aborted) {
      const events = await this.after(place, filter, limit);
      const now = this.clock.now().getTime();
      if (events.length > 0) {
        place = events.at(-1)!;
        heardAt = now;
        yield events;
      } else if (now - heardAt >= silenceMs) {
        heardAt = now;
        yield null;
      }
      if (events.length < limit) await this.clock.sleep(LOOK_EVERY_MS, this.closing.signal);
    }
  }

  async sweep(): Promise<Record<string, number>> {
    const until = new Date(this.clock.now().getTime() - KEPT_MS);
    const [, removed] = await this.db.query<[unknown[], number]>('delete from event where at < $1', [until]);
    return { removed };
  }

  /**
   * Types that are wanted, and what of them may be seen: of each noun as far as its permission reaches. On `event` and the
   * `device` that it is about; `values` gets what it needs.
   */
  condition({ types, rights }: EventFilter, values: unknown[]): string {
    const place = (value: unknown) => `$${values.push(value)}`;
    const seen = Object.entries(PERMISSIONS).flatMap(([noun, permission]) => {
      if (!rights.allows({ action: permission })) return [];
      const scope = rights.scope(permission)?.(values, this.clock.now());
      // What is about no device that is there is for those who see all devices.
      const within =
        scope === undefined ? 'true' : `(event.device_id is not null and device.id is not null and ${scope})`;
      return [`(event.type like ${place(`${noun}.%`)} and ${within})`];
    });
    const wanted = types.map((type) =>
      type.endsWith('.*') ? `event.type like ${place(`${type.slice(0, -1)}%`)}` : `event.type = ${place(type)}`,
    );
    const all = [seen.length > 0 ? `(${seen.join(' or ')})` : 'false'];
    if (wanted.length > 0) all.push(`(${wanted.join(' or ')})`);
    return all.join(' and ');
  }
}
