import { randomUUID } from 'node:crypto';
import { createPostgresBackend, createRedisBackend, withBackend, type WorkerOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { pooledClients, QUEUE_SCHEMA } from '../../database/database.js';
import { appTerms } from '../../database/connection/session-terms.js';
import { errorFields } from '../../platform/log.js';
import { RedisErrors, refuseMode } from '../../database/redis-connection.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { type Ticket } from '../rows/job-writes.js';

/*
 * The only file that works with a BullMQ queue; `database/` makes its tables. The queue delivers tickets to
 * consumers, BullMQ's workers. A ticket says "work on job X in epoch E". Delays, attempts and results are in the job's
 * row. The queue may lose a ticket or deliver it twice: the lease of the row dispatches a lost one again, and the epoch
 * refuses a second one. So the queue on Postgres need not wait for the disk at a commit.
 */

/** Handles a ticket; never throws. The signal aborts when the queue closes. */
export type RunTicket = (ticket: Ticket, signal: AbortSignal) => Promise<void>;

export interface QueueSettings {
  /** The queue's database without Redis. */
  readonly postgresUrl: string;
  readonly postgresPoolSize: number;
  readonly redisUrl: string | undefined;
  /**
   * Separates the keys of several gateways in one Redis. In braces, so that a Redis cluster stores the queue in one hash
   * slot.
   */
  readonly redisPrefix: string;
  /** Whether a Redis that may lose tickets is accepted: the rows recover them after a lease. */
  readonly redisMayForget?: boolean;
  /** Absent: `REDIS_SILENT_MS`. */
  readonly redisSilentMs?: number;
}

const QUEUE = 'jobs';

/** What readiness moves; it has no consumer. */
const PROBES = 'probes';

/**
 * Each consumer takes one connection of the pool to listen. The second is for the replacement of a silent consumer. With
 * fewer than eight others, `add` can wait for ever.
 */
const LISTENERS = 2;
const POOL_BESIDES = 8;

/** Connections that jobs still use when the queue closes are left to the end of the process. */
const END_WITHIN_MS = 2_000;

/** The row's lease decides; the ticket's lock must only be long enough not to interfere. */
const LOCK_MS = 60_000;
const STALLED_CHECK_MS = 30_000;
const FAILED_STORED_S = 3_600;

/** A slower command to Redis fails: the dispatcher retries, and the row is not lost. */
const REDIS_COMMAND_MS = 5_000;
const REDIS_RECONNECT_MS = 2_000;

/**
 * A connection to Redis that stays without an answer for this long is replaced: a host that disappears, or a firewall
 * that drops packets, sends no end of it, and its commands would wait for a quarter of an hour. A consumer's wait for a
 * ticket is answered within 10 s.
 */
const REDIS_SILENT_MS = 15_000;

/**
 * Errors of a consumer in one turn of the event loop. BullMQ 6.7 fetches again at once after an error, and its Postgres
 * backend keeps the rejected promise of a first connection that could not be made (the pool was busy for too long). So
 * that consumer fails for ever, in a busy loop that blocks the process.
 */
const BUSY_LOOP_ERRORS = 20;
const REPLACE_AFTER_MS = 1_000;

/** All consumers get the same error at the same moment: it is logged once. */
const WARN_EVERY_MS = 1_000;

/**
 * A consumer fetches all tickets that it may have, one after another, before it begins the first. With 10,000 that took
 * four idle seconds. So several consumers share the tickets and fetch in parallel.
 */
const TICKETS_PER_CONSUMER = 64;
const CONSUMERS_ON_REDIS = 16;

interface TicketQueue {
  addBulk(jobs: { name: string; data: Ticket; opts: { jobId: string } }[]): Promise<unknown>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface ProbeQueue {
  add(name: string, data: object, options: { jobId: string }): Promise<{ remove(): Promise<unknown> }>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface TicketConsumer {
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** BullMQ on one of its two backends: Postgres or Redis. */
interface Bull {
  readonly name: 'postgres' | 'redis';
  readonly queue: TicketQueue;
  readonly mostConsumers: number;
  makeConsumer(run: (ticket: Ticket) => Promise<void>, options: Omit<WorkerOptions, 'connection'>): TicketConsumer;
  readonly probes: ProbeQueue;
  /** Adds the reason to an error of the connection. */
  explain(error: unknown): unknown;
  close(): Promise<void>;
}

export class JobQueue {
  private bull: Bull | null = null;
  /** Each with its capacity: how many tickets it may have at once. */
  private readonly consumers = new Map<TicketConsumer, number>();
  private makeConsumer: ((capacity: number) => void) | null = null;
  /** Replaced consumers that still have jobs. */
  private readonly retired = new Set<TicketConsumer>();
  /**
   * Stops the running jobs. BullMQ's own signals would not reach all: it forgets the signal of a ticket that it delivered
   * twice, and has none yet for a ticket that it is fetching.
   */
  private readonly running = new Set<AbortController>();
  private isClosing = false;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly settings: QueueSettings,
    private readonly log: Logger,
  ) {}

  /** Connects. @throws Error with advice when the queue would lose tickets or hang */
  async open(): Promise<void> {
    this.bull = this.settings.redisUrl
      ? await openRedis(this.settings.redisUrl, this.settings, this.log)
      : openPostgres(this.settings);
    for (const queue of [this.bull.queue, this.bull.probes]) queue.on('error', (error) => this.warn(error));
    await this.bull.queue.waitUntilReady();
    this.log.info({ backend: this.bull.name }, 'The queue is open');
  }

  /** Adds tickets for any consumer with free capacity. Adding an existing ticket does nothing. */
  async add(tickets: readonly Ticket[]): Promise<void> {
    await this.opened().queue.addBulk(
      tickets.map(({ jobId, epoch }) => ({
        name: 'run',
        data: { jobId, epoch },
        opts: { jobId: `${jobId}.${epoch}` },
      })),
    );
  }

  /** Starts to take tickets, at most `concurrency` at once. */
  consume(run: RunTicket, concurrency: number): void {
    const bull = this.opened();
    this.makeConsumer = (capacity) => {
      const consumer = bull.makeConsumer((ticket) => this.runTicket(ticket, run), {
        concurrency: capacity,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: 1_000_000, // the row limits how often a job may be lost
      });
      let errors = 0;
      consumer.on('error', (error) => {
        if (errors++ === 0) setImmediate(() => (errors = 0));
        if (errors < BUSY_LOOP_ERRORS) this.warn(error);
        else if (errors === BUSY_LOOP_ERRORS) this.replaceBusyLooping(consumer);
      });
      this.consumers.set(consumer, capacity);
    };
    const consumers = Math.min(bull.mostConsumers, Math.ceil(concurrency / TICKETS_PER_CONSUMER));
    for (const capacity of shares(concurrency, consumers)) this.makeConsumer(capacity);
  }

  /** Replaces consumers that take no more tickets; the old ones finish their jobs. */
  replaceConsumers(): void {
    const { makeConsumer } = this;
    if (!makeConsumer) return;
    const silent = [...this.consumers];
    this.consumers.clear();
    for (const [old, capacity] of silent) {
      makeConsumer(capacity);
      this.retired.add(old);
      void old
        .pause(true)
        .then(() => old.close())
        .catch((error: unknown) => this.warn(error))
        .finally(() => this.retired.delete(old));
    }
  }

  /** Replaces a consumer in a busy loop. Its jobs continue. */
  private replaceBusyLooping(busyLooping: TicketConsumer): void {
    // After the first of the two calls it fetches nothing.
    void Promise.all([busyLooping.pause(true), busyLooping.close(true)]).catch((error: unknown) => this.warn(error));
    setTimeout(() => {
      const capacity = this.consumers.get(busyLooping);
      if (capacity && this.consumers.delete(busyLooping)) this.makeConsumer?.(capacity);
    }, REPLACE_AFTER_MS);
  }

  /**
   * Moves something into the queue and out again, by the same commands as a ticket. A server that answers may still refuse
   * every write. @throws Error with its reason
   */
  async ping(): Promise<void> {
    const bull = this.opened();
    try {
      await (await bull.probes.add('probe', {}, { jobId: randomUUID() })).remove();
    } catch (error) {
      throw bull.explain(error);
    }
  }

  /**
   * Takes no more tickets, stops the running jobs, waits for them for `budgetMs`, and disconnects. Leases bring back
   * the jobs that take longer.
   */
  async close(budgetMs: number): Promise<void> {
    const { bull } = this;
    if (!bull) return;
    const consumers = [...this.retired, ...this.consumers.keys()];
    this.makeConsumer = null;
    this.isClosing = true;
    const closing = Promise.all(consumers.map((consumer) => consumer.pause(true).then(() => consumer.close())));
    for (const stop of this.running) stop.abort('stop');
    await withTimeout(budgetMs, closing, () => undefined);
    await Promise.all([bull.queue.close(), bull.probes.close()]);
    await bull.close();
    this.bull = null;
  }

  private async runTicket(ticket: Ticket, run: RunTicket): Promise<void> {
    const stop = new AbortController();
    if (this.isClosing) stop.abort('stop');
    this.running.add(stop);
    try {
      await run(ticket, stop.signal);
    } finally {
      this.running.delete(stop);
    }
  }

  private opened(): Bull {
    if (!this.bull) throw new Error('The queue is not open');
    return this.bull;
  }

  private warn(error: unknown): void {
    if (performance.now() - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = performance.now();
    this.log.warn(errorFields(error), 'The queue has an error; it retries by itself');
  }
}

/** Splits a number into integers that differ by one at most. */
function shares(total: number, parts: number): number[] {
  return Array.from({ length: parts }, (_, index) => Math.floor((total + index) / parts));
}

/** The options of every ticket: attempts and results are in the row, so the queue stores nothing after a success. */
const TICKET_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: { age: FAILED_STORED_S } };

function openPostgres({ postgresUrl, postgresPoolSize }: QueueSettings): Bull {
  checkPoolSize(postgresPoolSize);
  const pool = new Pool({
    connectionString: postgresUrl,
    max: postgresPoolSize,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    ...pooledClients(appTerms({ search_path: QUEUE_SCHEMA, synchronous_commit: 'off' })),
  });
  pool.setMaxListeners(100); // each queue and consumer adds some
  const connection = pool as never; // BullMQ takes a pool, and its types name other settings alone
  const { Queue, Worker } = withBackend(createPostgresBackend);
  return {
    name: 'postgres',
    mostConsumers: 1, // each takes a connection of the pool to listen
    queue: new Queue<Ticket>(QUEUE, { connection, defaultJobOptions: TICKET_OPTIONS }),
    makeConsumer: (run, options) => new Worker<Ticket>(QUEUE, ({ data }) => run(data), { connection, ...options }),
    probes: new Queue(PROBES, { connection, defaultJobOptions: TICKET_OPTIONS }),
    explain: (error) => error,
    close: () => withTimeout(END_WITHIN_MS, pool.end(), () => undefined),
  };
}

async function openRedis(url: string, settings: QueueSettings, log: Logger): Promise<Bull> {
  const { redisPrefix: prefix } = settings;
  const patience = {
    socketTimeout: settings.redisSilentMs ?? REDIS_SILENT_MS,
    retryStrategy: (times: number) => Math.min(times * 200, REDIS_RECONNECT_MS),
  };
  // Without the offline queue `add` fails at once while Redis is away, instead of hanging until it is back.
  const producer = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: REDIS_COMMAND_MS,
    lazyConnect: true,
    ...patience,
  });
  const errors = new RedisErrors(producer); // the queue reports them
  try {
    await producer.connect().catch((error: unknown) => {
      throw errors.startFault(error);
    });
    await refuseMode(producer);
    await requireDurableRedis(producer, settings.redisMayForget ?? false, log);
  } catch (error) {
    producer.disconnect();
    throw error;
  }
  const { Queue, Worker } = withBackend(createRedisBackend);
  const connections = new Set<Redis>();
  return {
    name: 'redis',
    mostConsumers: CONSUMERS_ON_REDIS,
    queue: new Queue<Ticket>(QUEUE, { connection: producer, prefix, defaultJobOptions: TICKET_OPTIONS }),
    makeConsumer(run, options) {
      // A connection for each consumer: the replacement of a hanging consumer must not hang with it.
      const connection = new Redis(url, { maxRetriesPerRequest: null, ...patience });
      connections.add(connection);
      const consumer = new Worker<Ticket>(QUEUE, ({ data }) => run(data), { connection, prefix, ...options });
      return consumer.on('closed', () => {
        connections.delete(connection);
        connection.disconnect();
      });
    },
    probes: new Queue(PROBES, { connection: producer, prefix, defaultJobOptions: TICKET_OPTIONS }),
    explain: (error) => errors.explain(error),
    async close() {
      for (const client of [producer, ...connections]) client.disconnect();
    },
  };
}

/** Refuses a pool in which the listeners leave too few connections. @throws Error with advice */
export function checkPoolSize(size: number): void {
  const needed = LISTENERS + POOL_BESIDES;
  if (size >= needed) return;
  throw new Error(`QUEUE_POOL_SIZE is ${size}, but the queue needs at least ${needed} connections or it can hang`);
}

/**
 * Why a Redis is unsuitable for tickets: it loses them in a restart, or evicts them when its memory is full.
 * @param info its INFO, sections persistence and memory, which a hosted Redis returns even where it forbids CONFIG
 */
export function redisProblems(info: string): string[] {
  const problems: string[] = [];
  if (!/^aof_enabled:1\s*$/m.test(info)) problems.push('append-only is off (set `appendonly yes`)');
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'unknown';
  if (policy !== 'noeviction') {
    problems.push(`it may evict keys, its policy is ${policy} (set \`maxmemory-policy noeviction\`)`);
  }
  return problems;
}

/** @throws Error with advice */
async function requireDurableRedis(redis: Redis, mayForget: boolean, log: Logger): Promise<void> {
  const problems = redisProblems(`${await redis.info('persistence')}\n${await redis.info('memory')}`);
  if (problems.length === 0) return;
  const text = `The Redis of REDIS_URL would lose work: ${problems.join('; ')}`;
  if (!mayForget) throw new Error(`${text}. REDIS_MAY_FORGET=true accepts it.`);
  log.warn(text);
}
