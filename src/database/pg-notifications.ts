import { randomUUID } from 'node:crypto';
import { type Client } from 'pg';
import { type Logger } from 'pino';
import { type EntityManager } from 'typeorm';
import { errorFields } from '../platform/log.js';
import { withTimeout } from '../platform/with-timeout.js';
import { sessionOptions, type DatabaseUrls } from './database.js';
import { DatabaseClient } from './connection/database-client.js';

/*
 * Invalidates caches of rows across processes. A trigger on the table (foundation migration) sends `topic/id` at commit, and
 * each process receives it on its own connection. Without that connection `isListening` is false and caches use short
 * times. When the connection is lost, and when it is back, each listener is told that anything may have changed.
 */

const CHANNEL = 'fleetgate';

/** Pauses between attempts to reconnect, in milliseconds; the last one repeats. */
const RETRY_MS = [100, 200, 500, 1_000, 2_000, 5_000];

/** A dead connection may report no error. It is queried this often, and counts as lost without an answer in time. */
const PING_EVERY_MS = 5_000;
const ANSWER_WITHIN_MS = 3_000;

/** The topic of the proof that notifications arrive. */
const PROOF = 'proof';
const PROVEN_WITHIN_MS = 5_000;

const NOT_ARRIVING =
  'Notifications of changed rows do not arrive. The connection that listens leads through a pooler in transaction mode, or ' +
  'to another database than DATABASE_URL. Give the address of the same Postgres itself in DATABASE_DIRECT_URL.';

/** Sends a payload at a commit, on a connection for rows. */
type SendNotification = (channel: string, payload: string) => Promise<unknown>;

/** Gets the id of the changed row; null when anything may have changed. */
type NotificationListener = (id: string | null) => void;

class NotArriving extends Error {}

/** Notifies all processes of changed rows, by LISTEN/NOTIFY on one connection of its own. */
export class PgNotifications {
  private readonly listeners = new Map<string, Set<NotificationListener>>();
  private client: Client | null = null;
  private hasProven = false;
  private pingTimer: NodeJS.Timeout | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private failures = 0;
  private closed = false;

  /** @param send on a connection for rows: only then it proves that changes of rows are heard here */
  constructor(
    private readonly urls: DatabaseUrls,
    private readonly send: SendNotification,
    private readonly log: Logger,
  ) {}

  /**
   * Starts to listen; resolves after the first attempt, also when the database is away. Attempts continue until `close`.
   * @throws Error with advice when the first connection hears nothing
   */
  async start(): Promise<void> {
    const client = new DatabaseClient({
      ...sessionOptions(this.urls),
      application_name: 'fleetgate notices',
      connectionTimeoutMillis: 5_000,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
    });
    client.on('notification', ({ payload = '' }) => this.receive(payload));
    client.on('error', (error) => this.lose(client, error));
    client.on('end', () => this.lose(client, new Error('The connection for notifications has ended')));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      await this.prove();
    } catch (error) {
      void client.end().catch(() => undefined);
      if (error instanceof NotArriving && !this.hasProven) throw error;
      this.retry(error);
      return;
    }
    this.hasProven = true;
    if (this.closed) {
      await client.end();
      return;
    }
    this.client = client;
    this.failures = 0;
    this.pingTimer = setInterval(() => this.ping(client), PING_EVERY_MS);
    for (const topic of this.listeners.keys()) this.emit(topic, null);
  }

  /** Whether notifications arrive. While false, caches of rows must not live longer than a second. */
  get isListening(): boolean {
    return this.client !== null;
  }

  /**
   * Calls `listener` with the id of the changed row. The id is null when anything may have changed: after a large
   * change, when the connection was lost (the database may be away then), and when it is back.
   * @returns a function that removes the listener
   */
  on(topic: string, listener: NotificationListener): () => void {
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Delivered at the commit of `tx`, to this process too. Tables with the trigger need no call. */
  async notify(tx: EntityManager, topic: string, id: string | null): Promise<void> {
    await tx.query('select pg_notify($1, $2)', [CHANNEL, `${topic}/${id ?? ''}`]);
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retryTimer);
    clearInterval(this.pingTimer);
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  /** The connection is idle, and another one sends: behind a pooler that shares connections this never arrives. */
  private async prove(): Promise<void> {
    const id = randomUUID();
    let arrive!: () => void;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const forget = this.on(PROOF, (heard) => heard === id && arrive());
    try {
      await this.send(CHANNEL, `${PROOF}/${id}`);
      await withTimeout(PROVEN_WITHIN_MS, arrived, () => {
        throw new NotArriving(NOT_ARRIVING);
      });
    } finally {
      forget();
    }
  }

  private receive(payload: string): void {
    const cut = payload.indexOf('/');
    this.emit(payload.slice(0, cut), payload.slice(cut + 1) || null);
  }

  private emit(topic: string, id: string | null): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(id);
  }

  private ping(client: Client): void {
    client.query('select').catch((error: unknown) => this.lose(client, error));
  }

  private lose(client: Client, error: unknown): void {
    if (this.client !== client) return;
    this.client = null;
    clearInterval(this.pingTimer);
    void client.end().catch(() => undefined);
    // Cached rows get no more notifications, so listeners must drop them now.
    for (const topic of this.listeners.keys()) this.emit(topic, null);
    this.retry(error);
  }

  private retry(error: unknown): void {
    if (this.closed) return;
    const pauseMs = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]!;
    this.log.warn(
      { ...errorFields(error) },
      'No notifications of changed rows arrive; caches expire sooner until they do',
    );
    this.retryTimer = setTimeout(() => void this.start().catch((again: unknown) => this.retry(again)), pauseMs);
  }
}
