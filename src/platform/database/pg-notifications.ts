import pg from 'pg';
import { type Logger } from 'pino';
import { type EntityManager } from 'typeorm';
import { connectionOptions } from './database.js';
import { errorFields } from '../log.js';

/*
 * What a process remembers of rows must end when another process changes them. Postgres tells: a trigger on the table
 * (migration 11:50) sends `topic/id` at commit, and every process hears it on one connection of its own. While that
 * connection is away nothing is heard, so `isListening` is false, and memory falls back to short times; when it is
 * lost, and when it is back, every listener is told that anything may have changed.
 */

const CHANNEL = 'fleetgate';

/** Pauses between tries to come back; the last one repeats. */
const RETRY_MS = [100, 200, 500, 1_000, 2_000, 5_000];

/** A connection can die without a word. It is asked this often, and is taken for dead without an answer in time. */
const ASK_EVERY_MS = 5_000;
const ANSWER_WITHIN_MS = 3_000;

/** Is told the id of what changed; null when anything may have changed. */
type NoticeListener = (id: string | null) => void;

/** Tells all processes that rows changed, by LISTEN/NOTIFY on one connection of its own. */
export class PgNotifications {
  private readonly listeners = new Map<string, Set<NoticeListener>>();
  private client: pg.Client | null = null;
  private asking: NodeJS.Timeout | undefined;
  private retrying: NodeJS.Timeout | undefined;
  private failures = 0;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly log: Logger,
  ) {}

  /** Begins to listen; resolves after the first try, whether it was heard or not. Tries go on until `close`. */
  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'fleetgate notices',
      options: connectionOptions(),
      connectionTimeoutMillis: 5_000,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
    });
    client.on('notification', ({ payload = '' }) => this.hear(payload));
    client.on('error', (error) => this.lose(client, error));
    client.on('end', () => this.lose(client, new Error('The connection for notices has ended')));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      this.retry(error);
      void client.end().catch(() => undefined);
      return;
    }
    if (this.closed) {
      await client.end();
      return;
    }
    this.client = client;
    this.failures = 0;
    this.asking = setInterval(() => this.ask(client), ASK_EVERY_MS);
    for (const topic of this.listeners.keys()) this.pass(topic, null);
  }

  /** Whether notices arrive at the moment; while false, memory of rows must not live longer than a second. */
  get isListening(): boolean {
    return this.client !== null;
  }

  /**
   * Calls `listener` with the id of what changed; with null when anything may have changed: a large change, the connection
   * was lost (the database may be away then), or it is back.
   * @returns how to stop that
   */
  on(topic: string, listener: NoticeListener): () => void {
    const those = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, those.add(listener));
    return () => those.delete(listener);
  }

  /**
   * Tells of a change, in the transaction that makes it: it is delivered at commit, to this process too. Tables with the
   * trigger need no call.
   */
  async tell(tx: EntityManager, topic: string, id: string | null): Promise<void> {
    await tx.query('select pg_notify($1, $2)', [CHANNEL, `${topic}/${id ?? ''}`]);
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retrying);
    clearInterval(this.asking);
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private hear(payload: string): void {
    const cut = payload.indexOf('/');
    this.pass(payload.slice(0, cut), payload.slice(cut + 1) || null);
  }

  private pass(topic: string, id: string | null): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(id);
  }

  private ask(client: pg.Client): void {
    client.query('select').catch((error: unknown) => this.lose(client, error));
  }

  /** The connection is gone: what is remembered from here on is not told of. */
  private lose(client: pg.Client, error: unknown): void {
    if (this.client !== client) return;
    this.client = null;
    clearInterval(this.asking);
    void client.end().catch(() => undefined);
    // What was remembered for long is not told of any more.
    for (const topic of this.listeners.keys()) this.pass(topic, null);
    this.retry(error);
  }

  private retry(error: unknown): void {
    if (this.closed) return;
    const pauseMs = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]!;
    this.log.warn({ ...errorFields(error) }, 'No notices of changed rows arrive; memory is short until they do');
    this.retrying = setTimeout(() => void this.start(), pauseMs);
  }
}
