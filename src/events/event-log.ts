import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DevicesService } from '../devices/registry/devices.service.js';
import { Clock } from '../platform/clock.js';
import { type Sweeper } from '../platform/sweeper.js';
import {
  chooser,
  EventTail,
  isBehind,
  isSeenAsRow,
  narrowedBy,
  needsRow,
  shownTo,
  PERMISSIONS,
  type EventFilter,
  type EventLine,
  type EventPosition,
  type TailedEvent,
} from './event-tail.js';

/*
 * Events in an order that readers can follow. Transactions commit in another order than they begin, so a reader with a
 * counter would miss late commits of slow transactions. Instead, events have their transaction, and readers get only
 * events that are older than every running transaction: no event can come before them later.
 *
 * One reader in each process reads the table for all streams (event-tail.ts); nothing is sent on commit. A notification
 * at each end of a job would make all commits wait for each other (NOTIFY holds one lock of the complete server until the
 * commit is on the disk).
 */

/** How long events are stored: a reader that was away for longer reads the lists. */
const KEPT_MS = 7 * 86_400_000;

const SELECT = `
  select event.tx::text as tx, event.id::text as id, event.at, event.type, event.subject, event.device_id as "deviceId", event.data`;

/** No running transaction is older: no event can come before these any more. */
const SETTLED = 'event.tx < pg_snapshot_xmin(pg_current_snapshot())';

@Injectable()
export class EventLog implements Sweeper, OnModuleDestroy {
  readonly name = 'old-events';
  readonly everyMs = 600_000;

  private readonly closing = new AbortController();
  private readonly tail: EventTail;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'getMany'>,
  ) {
    this.tail = new EventTail(this, clock, this.closing.signal);
  }

  /** Streams end here, so that the listener can close. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** The position after all events so far; in the transaction of the caller if one is given. */
  async end(tx = this.db.manager): Promise<EventPosition> {
    const [row] = await tx.query<[EventPosition]>(
      `select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text as tx, '9223372036854775807' as id`,
    );
    return row;
  }

  /** The next events after a position, oldest first; in the transaction of the caller if one is given. */
  async after(position: EventPosition, filter: EventFilter, limit: number, tx = this.db.manager): Promise<EventLine[]> {
    const values: unknown[] = [position.tx, position.id, limit];
    const condition = this.condition(filter, values);
    const events = await tx.query<EventLine[]>(
      `${SELECT} from event left join device on device.id = event.device_id
        where (event.tx, event.id) > ($1::xid8, $2::bigint) and ${SETTLED} and ${condition}
        order by event.tx, event.id limit $3`,
      values,
    );
    return events.map(shownTo(filter));
  }

  /** The next events after a position, about any noun, each with its device as memory has it. */
  async next(position: EventPosition, limit: number): Promise<TailedEvent[]> {
    const events = await this.db.query<EventLine[]>(
      `${SELECT} from event where (event.tx, event.id) > ($1::xid8, $2::bigint) and ${SETTLED}
        order by event.tx, event.id limit $3`,
      [position.tx, position.id, limit],
    );
    const ids = new Set(events.flatMap(({ deviceId }) => deviceId ?? []));
    const known = ids.size === 0 ? null : await this.devices.getMany([...ids]);
    return events.map((event) => ({ event, device: known?.get(event.deviceId ?? '')?.device ?? null }));
  }

  /** Until the process ends, or the reader stops. @returns batches as they come, and null after a while without any */
  async *follow(
    from: EventPosition,
    filter: EventFilter,
    limit: number,
    silenceMs: number,
  ): AsyncGenerator<EventLine[] | null> {
    const isWanted = chooser(filter);
    const isInRow = needsRow(filter);
    const shown = shownTo(filter);
    const stream = await this.tail.join();
    try {
      let position: EventPosition = from;
      let saidAt = this.clock.nowMs();
      for (let isCaughtUp = false; !this.closing.signal.aborted;) {
        const tailed: readonly TailedEvent[] | null = isCaughtUp ? await stream.take(silenceMs) : null;
        const isKnown: boolean =
          tailed !== null && !tailed.some(({ event }) => isBehind(event, position) && isInRow(event));
        const events: EventLine[] = isKnown
          ? tailed!.filter((one) => isBehind(one.event, position) && isWanted(one)).map(({ event }) => shown(event))
          : await this.after(position, filter, limit);
        isCaughtUp = isKnown || events.length < limit;
        position = events.at(-1) ?? position;
        const isSilent = Math.abs(this.clock.nowMs() - saidAt) >= silenceMs;
        if (events.length === 0 && !isSilent) continue;
        saidAt = this.clock.nowMs();
        yield events.length === 0 ? null : events;
      }
    } finally {
      this.tail.leave(stream);
    }
  }

  async sweep(): Promise<Record<string, number>> {
    const until = new Date(this.clock.now().getTime() - KEPT_MS);
    const [, removed] = await this.db.query<[unknown[], number]>('delete from event where at < $1', [until]);
    return { removed };
  }

  /**
   * The wanted types, and the part that the caller may see: each noun as far as its permission allows. On `event` and its
   * `device`; `values` gets its parameters.
   */
  condition(filter: EventFilter, values: unknown[]): string {
    const { types, rights } = filter;
    const param = (value: unknown) => `$${values.push(value)}`;
    const seen = Object.entries(PERMISSIONS).flatMap(([noun, permission]) => {
      if (!rights.allows({ action: permission })) return [];
      if (isSeenAsRow(noun))
        return [`(event.type like ${param(`${noun}.%`)} and ${this.rowInSight(noun, filter, values)})`];
      const scope = rights.scope(permission)?.(values, this.clock.now());
      // Events without an existing device are for callers who see all devices.
      const within =
        scope === undefined ? 'true' : `(event.device_id is not null and device.id is not null and ${scope})`;
      return [`(event.type like ${param(`${noun}.%`)} and ${within})`];
    });
    const wanted = types.map((type) =>
      type.endsWith('.*') ? `event.type like ${param(`${type.slice(0, -1)}%`)}` : `event.type = ${param(type)}`,
    );
    const all = [seen.length > 0 ? `(${seen.join(' or ')})` : 'false'];
    if (wanted.length > 0) all.push(`(${wanted.join(' or ')})`);
    return all.join(' and ');
  }

  /** Seen as the lists show them: `Locks.list`, `Approvals.list`, `StoredFanOutReads.list`. */
  private rowInSight(noun: string, filter: EventFilter, values: unknown[]): string {
    const narrowed = narrowedBy(noun, filter);
    if (narrowed.length === 0) return 'true';
    const now = this.clock.now();
    const scopes = narrowed.flatMap((permission) => filter.rights.scope(permission)?.(values, now) ?? []);
    const isSeen = (column: string) => `${column} in (select device.id from device where ${scopes.join(' and ')})`;
    // Without the case, the cast could meet the subject of another noun.
    const id = `case when event.type like '${noun}.%' then split_part(event.subject, ':', 2)::uuid end`;
    if (noun === 'lock') {
      const target = isSeen(`case when lock.kind = 'device' then lock.target::uuid end`);
      return `exists (select from lock where lock.id = ${id} and (lock.kind <> 'device' or ${target}))`;
    }
    const [table, author] = noun === 'approval' ? ['approval', 'requested_by'] : ['fan_out', 'operator_id'];
    return `exists (select from ${table} as noun where noun.id = ${id} and (
      noun.${author} = $${values.push(filter.operatorId)}::uuid
      or exists (select from unnest(noun.device_ids) as named (id) where ${isSeen('named.id')})))`;
  }
}
