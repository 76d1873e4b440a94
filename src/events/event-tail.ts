import { type Rights, type ScopedDevice } from '../auth/rights/rights.js';
import { type Permission } from '../auth/rights/permissions.js';
import { type Clock } from '../platform/clock.js';

/*
 * One reader of the table of events for all streams of a process. Each stream gets what was read, and filters it in
 * memory, by types and by the rights of its reader. A stream that starts, or was too slow, reads by itself until it has
 * caught up. So the database answers two queries a second, for any number of streams.
 */

/** The position of a reader: after this event. */
export interface EventPosition {
  readonly tx: string;
  readonly id: string;
}

export interface EventLine extends EventPosition {
  readonly at: Date;
  readonly type: string;
  readonly subject: string;
  readonly deviceId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventFilter {
  /** `job.ended`, or `job.*` for all types of a noun; empty: all. */
  readonly types: readonly string[];
  readonly rights: Rights;
  /** The reader, who sees own requests for approval. */
  readonly operatorId: string | null;
}

export interface TailedEvent {
  readonly event: EventLine;
  readonly device: ScopedDevice | null;
}

/** The permission that is needed to see events of a noun. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  device: 'device.read',
  job: 'job.read',
  rollout: 'rollout.read',
  schedule: 'rollout.read',
  backup: 'backup.read',
  webhook: 'webhook.manage',
  lock: 'lock.read',
  approval: 'approval.read',
  fanout: 'device.call_read',
  discovery: 'discovery.read',
  artifact: 'artifact.read',
  audit: 'audit.verify',
  system: 'system.read',
};

const POLL_EVERY_MS = 500;

/** When more events wait for a slow stream, the stream reads by itself again. */
const BATCH = 500;
const WAITING_MAX = 2_000;

interface EventSource {
  /** The position after all events so far. */
  end(): Promise<EventPosition>;
  /** The next events after a position, about any noun. */
  next(position: EventPosition, limit: number): Promise<TailedEvent[]>;
}

export class EventTail {
  private readonly streams = new Set<TailStream>();
  private position: EventPosition | null = null;
  private starting: Promise<EventPosition> | null = null;
  private isReading = false;

  /** @param closing ends all streams */
  constructor(
    private readonly source: EventSource,
    private readonly clock: Clock,
    private readonly closing: AbortSignal,
  ) {
    closing.addEventListener('abort', () => this.streams.forEach((stream) => stream.wake()));
  }

  /** A stream gets every event after those that can be read when this resolves; call `leave` at its end. */
  async join(): Promise<TailStream> {
    const stream = new TailStream(this.clock);
    this.streams.add(stream);
    try {
      if (this.position === null) {
        this.starting ??= this.source.end().finally(() => (this.starting = null));
        const end = await this.starting;
        this.position ??= end;
      }
    } catch (error) {
      this.streams.delete(stream);
      throw error;
    }
    if (!this.isReading) void this.read();
    return stream;
  }

  leave(stream: TailStream): void {
    this.streams.delete(stream);
  }

  /** Ends with the last stream. While the database is unavailable the position stays, so that no event is missed. */
  private async read(): Promise<void> {
    this.isReading = true;
    while (this.streams.size > 0 && !this.closing.aborted) {
      const events = await this.source.next(this.position!, BATCH).catch(() => []);
      if (events.length > 0) {
        this.position = events.at(-1)!.event;
        for (const stream of this.streams) stream.push(events);
      }
      if (events.length < BATCH) await this.clock.sleep(POLL_EVERY_MS, this.closing);
    }
    this.isReading = false;
    this.position = null;
  }
}

/** Events that one stream has not read yet. */
export class TailStream {
  private waiting: TailedEvent[] = [];
  private hasLost = false;
  private bell = new AbortController();

  constructor(private readonly clock: Clock) {}

  push(events: readonly TailedEvent[]): void {
    if (this.waiting.length + events.length <= WAITING_MAX) this.waiting.push(...events);
    else {
      this.waiting = [];
      this.hasLost = true;
    }
    this.wake();
  }

  wake(): void {
    this.bell.abort();
  }

  /** Waits for events, at most for this time. @returns null when some were lost, and all must be read again */
  async take(withinMs: number): Promise<readonly TailedEvent[] | null> {
    await this.clock.sleep(withinMs, this.bell.signal);
    this.bell = new AbortController();
    const { hasLost } = this;
    this.hasLost = false;
    const events = this.waiting.splice(0);
    return hasLost ? null : events;
  }
}

/** An event as a caller may read it: the reason of a paused rollout has numbers of all its devices. */
export function shownTo({ rights }: Pick<EventFilter, 'rights'>): (event: EventLine) => EventLine {
  if (rights.scope('device.read') === null) return (event) => event;
  return (event) =>
    event.type.startsWith('rollout.') && 'why' in event.data ? { ...event, data: { ...event.data, why: null } } : event;
}

/**
 * Nouns whose events are seen like the rows of their lists, by the devices of the row (`EventLog.condition`). They are
 * rare, so only the database knows these devices. With each, the permissions that narrow its list.
 */
const SEEN_AS_ROWS: Readonly<Record<string, readonly Permission[]>> = {
  lock: ['device.read'],
  approval: ['device.read'],
  fanout: ['device.read', 'device.call_read'],
};

export const isSeenAsRow = (noun: string): boolean => Object.hasOwn(SEEN_AS_ROWS, noun);

/** The permissions that narrow the events of a noun for a reader; empty: all of them are seen. */
export function narrowedBy(noun: string, { rights }: Pick<EventFilter, 'rights'>): readonly Permission[] {
  return (SEEN_AS_ROWS[noun] ?? []).filter((permission) => rights.scope(permission) !== null);
}

/** Whether only the database can tell if the reader may see an event. */
export function needsRow(filter: Pick<EventFilter, 'rights'>): (event: EventLine) => boolean {
  const narrowed = new Set(Object.keys(SEEN_AS_ROWS).filter((noun) => narrowedBy(noun, filter).length > 0));
  return ({ type }) => narrowed.size > 0 && narrowed.has(nounOf(type));
}

/** Whether an event is wanted and may be seen, as `EventLog.condition` has it in SQL; for others than those of `needsRow`. */
export function chooser({ types, rights }: EventFilter): (event: TailedEvent) => boolean {
  const reach = new Map(
    Object.entries(PERMISSIONS).flatMap(([noun, action]) =>
      rights.allows({ action })
        ? [[noun, { action, isAll: isSeenAsRow(noun) || rights.scope(action) === null }] as const]
        : [],
    ),
  );
  return ({ event: { type }, device }) => {
    const seen = reach.get(nounOf(type));
    if (!seen) return false;
    if (types.length > 0 && !types.some((one) => isOfType(type, one))) return false;
    return seen.isAll || (device !== null && rights.allows({ action: seen.action, device }));
  };
}

const nounOf = (type: string): string => type.slice(0, type.indexOf('.'));

const isOfType = (type: string, wanted: string): boolean =>
  wanted.endsWith('.*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;

export function isBehind(position: EventPosition, other: EventPosition): boolean {
  const [tx, otherTx] = [BigInt(position.tx), BigInt(other.tx)];
  return tx === otherTx ? BigInt(position.id) > BigInt(other.id) : tx > otherTx;
}
