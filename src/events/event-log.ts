import { setMaxListeners } from 'node:events';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Device } from '../devices/registry/device.entity.js';
import { Clock } from '../platform/clock.js';
import { isDatabaseAway } from '../platform/errors.js';
import { SlotQueue } from '../platform/limits/slot-queue.js';
import { type Sweeper } from '../platform/sweeper.js';
import {
  isJudgedByPath,
  isSeenAsRow,
  narrowedBy,
  readsAllPaths,
  shownTo,
  PERMISSIONS,
  type EventFilter,
  type EventLine,
  type EventPosition,
} from './event-filter.js';

/*
 * Events in an order that readers can follow. Transactions commit in another order than they begin, so a reader with a
 * counter would miss late commits of slow transactions. Instead, events have their transaction, and readers get only
 * events that are older than every running transaction: no event can come before them later.
 *
 * Nothing is sent on commit: a notification at each end of a job would make all commits wait for each other (NOTIFY holds
 * one lock of the complete server until the commit is on the disk). Each process looks twice a second whether there are
 * new events, once for all its streams. Then each stream reads those that its reader may see.
 */

const LOOK_EVERY_MS = 500;

/** Streams of a process that read at once: news wakes all of them, and other work needs the connections, too. */
const READ_AT_ONCE = 4;

/** How long events are stored: a reader that was away for longer reads the lists. */
const KEPT_MS = 7 * 86_400_000;

const SELECT = `
  select event.tx::text as tx, event.id::text as id, event.at, event.type, event.subject, event.device_id as "deviceId", event.data`;

/** No running transaction is older: no event can come before these any more. */
const SETTLED = 'event.tx < pg_snapshot_xmin(pg_current_snapshot())';

/** Behind all events of a transaction. */
const LAST_ID = '9223372036854775807';

/** The last transaction whose events are settled. */
const LAST_SETTLED = '(pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text';

@Injectable()
export class EventLog implements Sweeper, OnModuleDestroy {
  readonly name = 'old-events';
  readonly everyMs = 600_000;

  private readonly closing = new AbortController();
  private readonly turns = new SlotQueue({ total: READ_AT_ONCE, perKey: READ_AT_ONCE });
  private streams = 0;
  private isLooking = false;
  /** The events up to this transaction are settled, and were announced. */
  private lookedTo = '0';
  /** Aborts when there are new events, and at the end of the process. */
  private news = awaitedByMany();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Streams end here, so that the listener can close. */
  onModuleDestroy(): void {
    this.closing.abort();
    this.news.abort();
  }

  /** The position after all events so far; in the transaction of the caller if one is given. */
  async end(tx = this.db.manager): Promise<EventPosition> {
    const [row] = await tx.query<[EventPosition]>(`select ${LAST_SETTLED} as tx, '${LAST_ID}' as id`);
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
    const judged = readsAllPaths(filter.rights) ? [] : events.filter(isJudgedByPath);
    const ids = [...new Set(judged.flatMap(({ deviceId }) => deviceId ?? []))];
    const devices = ids.length > 0 ? await tx.findBy(Device, { id: In(ids) }) : [];
    return events.map(shownTo(filter, new Map(devices.map((device) => [device.id, device]))));
  }

  /** Until the process ends, or the reader stops. @returns batches as they come, and null after a while without any */
  async *follow(
    from: EventPosition,
    filter: EventFilter,
    limit: number,
    silenceMs: number,
  ): AsyncGenerator<EventLine[] | null> {
    this.streams++;
    try {
      await this.beginToLook();
      let position: EventPosition = from;
      let saidAt = this.clock.nowMs();
      for (let isBehind = true; !this.closing.signal.aborted;) {
        // Before it reads: what comes in between ends the wait.
        const { lookedTo } = this;
        const { signal } = this.news;
        const events: EventLine[] | null = isBehind ? await this.readInTurn(position, filter, limit) : [];
        if (!events) {
          await this.clock.sleep(LOOK_EVERY_MS, this.closing.signal);
          continue;
        }
        if (events.length > 0) position = events.at(-1)!;
        // Without a wanted event, the next reading begins here, and not further and further back.
        else if (BigInt(lookedTo) > BigInt(position.tx)) position = { tx: lookedTo, id: LAST_ID };
        const isSilent = Math.abs(this.clock.nowMs() - saidAt) >= silenceMs;
        if (events.length > 0 || isSilent) {
          saidAt = this.clock.nowMs();
          yield events.length === 0 ? null : events;
        }
        if (events.length < limit) await this.clock.sleep(silenceMs, signal);
        isBehind = events.length === limit || signal.aborted;
      }
    } finally {
      this.streams--;
    }
  }

  /** @returns null while the database is away: the stream waits, and asks again from the same position */
  private readInTurn(position: EventPosition, filter: EventFilter, limit: number): Promise<EventLine[] | null> {
    return this.turns
      .run('streams', () => this.after(position, filter, limit))
      .catch((error: unknown) => {
        if (isDatabaseAway(error)) return null;
        throw error;
      });
  }

  private async beginToLook(): Promise<void> {
    if (this.isLooking) return;
    const { tx } = await this.end();
    if (this.isLooking) return; // another stream was first
    this.lookedTo = tx;
    void this.look();
  }

  /** Ends with the last stream. While the database is away the streams wait, and no event is missed. */
  private async look(): Promise<void> {
    this.isLooking = true;
    while (this.streams > 0 && !this.closing.signal.aborted) {
      await this.clock.sleep(LOOK_EVERY_MS, this.closing.signal);
      const [row] = await this.db
        .query<{ tx: string; isNew: boolean }[]>(
          `select ${LAST_SETTLED} as tx, exists (select from event where event.tx > $1::xid8 and ${SETTLED}) as "isNew"`,
          [this.lookedTo],
        )
        .catch(() => []);
      if (!row) continue;
      this.lookedTo = row.tx;
      if (!row.isNew) continue;
      this.news.abort();
      this.news = awaitedByMany();
    }
    this.isLooking = false;
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

/** Every stream of the process waits for it: Node warns of more than ten by default. */
function awaitedByMany(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
