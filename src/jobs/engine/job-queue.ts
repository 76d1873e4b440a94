import { createPostgresBackend, createRedisBackend, withBackend, type WorkerOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { connectionOptions, QUEUE_SCHEMA } from '../../platform/database/database.js';
import { BatchingRedis } from '../../platform/database/batching-redis.js';
import { errorFields } from '../../platform/log.js';
import { within } from '../../platform/within.js';
import { type Ticket } from '../rows/job-writes.js';
import { RetryingPool } from './retrying-pool.js';

/*
 * The only file that works with a BullMQ queue; `platform/database/` makes its tables. The queue delivers tickets, "work
 * on job X in epoch E", and nothing else: no delays, no attempts, no results. It may lose all of them, or deliver one
 * twice, and the rows recover from it. Therefore on Postgres it may commit asynchronously.
 */

/** Handles a ticket; never throws. The signal aborts when the queue closes. */
export type RunTicket = (ticket: Ticket, signal: AbortSignal) => Promise<void>;

export interface QueuePlace {
  /** The queue's database without Redis. */
  readonly postgresUrl: string;
  readonly postgresPoolSize: number;
  readonly redisUrl: string | undefined;
  /**
   * Separates the keys of several gateways in one Redis. In braces, so that a Redis cluster stores the queue in one
   * slot.
   */
  readonly redisPrefix: string;
  /** Whether a Redis that may lose tickets is accepted: the rows recover them after a lease. */
  readonly redisMayForget?: boolean;
}

const QUEUE = 'jobs';

/**
 * Each worker takes one connection of the pool to listen. The second is for the replacement of a silent worker. With
 * fewer than eight others, `add` can wait for ever.
 */
const LISTENERS = 2;
const POOL_BESIDES = 8;

/** The row's lease decides; the ticket's lock must only be long enough not to interfere. */
const LOCK_MS = 60_000;
const STALLED_CHECK_MS = 30_000;
const FAILED_KEPT_S = 3_600;

/** A slower command to Redis fails: the dispatcher retries, and the row is not lost. */
const REDIS_COMMAND_MS = 5_000;
const REDIS_RECONNECT_MS = 2_000;

/**
 * Errors of a worker in one turn of the event loop. BullMQ retries at once after an error. A worker whose connection
 * could not be made (the pool was busy for too long) fails for ever, and would keep the process in a busy loop.
 */
const CIRCLING = 20;
const REMAKE_AFTER_MS = 1_000;

/** All workers get the same error at the same moment: it is logged once. */
const WARN_EVERY_MS = 1_000;

/**
 * A worker fetches all tickets that it may hold, one after another, before it begins the first. With 10,000 that took
 * four idle seconds. So several workers share the tickets and fetch in parallel.
 */
const PLACES_FOR_A_WORKER = 64;
const WORKERS_ON_REDIS = 16;

interface TicketQueue {
  addBulk(jobs: { name: string; data: Ticket; opts: { jobId: string } }[]): Promise<unknown>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface TicketWorker {
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** BullMQ on one of its two backends. */
interface Bull {
  readonly name: 'postgres' | 'redis';
  readonly queue: TicketQueue;
  /** The most workers of one process. */
  readonly mostWorkers: number;
  worker(run: (ticket: Ticket) => Promise<void>, options: Omit<WorkerOptions, 'connection'>): TicketWorker;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

export class JobQueue {
  private bull: Bull | null = null;
  /** Each with the number of tickets that it may hold. */
  private readonly workers = new Map<TicketWorker, number>();
  private makeWorker: ((places: number) => void) | null = null;
  /** Replaced workers that still have jobs. */
  private readonly retired = new Set<TicketWorker>();
  /**
   * Stops the running jobs. BullMQ's own signals would not reach all: it forgets the signal of a ticket that it delivered
   * twice, and has none yet for a ticket that it is fetching.
   */
  private readonly inHand = new Set<AbortController>();
  private isClosing = false;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly place: QueuePlace,
    private readonly log: Logger,
  ) {}

  /** Connects. @throws Error with advice when the queue would lose tickets or hang */
  async open(): Promise<void> {
    this.bull = this.place.redisUrl
      ? await openRedis(this.place.redisUrl, this.place, this.log)
      : openPostgres(this.place);
    this.bull.queue.on('error', (error) => this.warn(error));
    await this.bull.queue.waitUntilReady();
    this.log.info({ backend: this.bull.name }, 'The queue is open');
  }

  /** Adds tickets for any free worker. Adding an existing ticket does nothing. */
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
    this.makeWorker = (places) => {
      const worker = bull.worker((ticket) => this.hand(ticket, run), {
        concurrency: places,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: 1_000_000, // the row limits how often a job may be lost
      });
      let errors = 0;
      worker.on('error', (error) => {
        if (errors++ === 0) setImmediate(() => (errors = 0));
        if (errors < CIRCLING) this.warn(error);
        else if (errors === CIRCLING) this.remake(worker);
      });
      this.workers.set(worker, places);
    };
    const workers = Math.min(bull.mostWorkers, Math.ceil(concurrency / PLACES_FOR_A_WORKER));
    for (const places of shares(concurrency, workers)) this.makeWorker(places);
  }

  /** Replaces workers that take no more tickets; the old ones finish their jobs. */
  replaceWorkers(): void {
    const { makeWorker } = this;
    if (!makeWorker) return;
    const silent = [...this.workers];
    this.workers.clear();
    for (const [old, places] of silent) {
      makeWorker(places);
      this.retired.add(old);
      void old
        .pause(true)
        .then(() => old.close())
        .catch((error: unknown) => this.warn(error))
        .finally(() => this.retired.delete(old));
    }
  }

  /** Replaces a worker in a busy loop. Its jobs continue. */
  private remake(circling: TicketWorker): void {
    // After the first of the two calls it fetches nothing.
    void Promise.all([circling.pause(true), circling.close(true)]).catch((error: unknown) => this.warn(error));
    setTimeout(() => {
      const places = this.workers.get(circling);
      if (places && this.workers.delete(circling)) this.makeWorker?.(places);
    }, REMAKE_AFTER_MS);
  }

  /** Rejects when the queue cannot be reached. */
  async ping(): Promise<void> {
    await this.opened().ping();
  }

  /**
   * Takes no more tickets, stops the running jobs, waits for them for `budgetMs`, and disconnects. Leases bring back
   * the jobs that take longer.
   */
  async close(budgetMs: number): Promise<void> {
    const { bull } = this;
    if (!bull) return;
    const workers = [...this.retired, ...this.workers.keys()];
    this.makeWorker = null;
    this.isClosing = true;
    const closing = Promise.all(workers.map((worker) => worker.pause(true).then(() => worker.close())));
    for (const stop of this.inHand) stop.abort('stop');
    await within(budgetMs, closing, () => undefined);
    await bull.queue.close();
    await bull.close();
    this.bull = null;
  }

  private async hand(ticket: Ticket, run: RunTicket): Promise<void> {
    const stop = new AbortController();
    if (this.isClosing) stop.abort('stop');
    this.inHand.add(stop);
    try {
      await run(ticket, stop.signal);
    } finally {
      this.inHand.delete(stop);
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
const TICKET_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: { age: FAILED_KEPT_S } };

function openPostgres({ postgresUrl, postgresPoolSize }: QueuePlace): Bull {
  checkPoolSize(postgresPoolSize);
  const pool = new RetryingPool(
    new Pool({
      connectionString: postgresUrl,
      max: postgresPoolSize,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      options: connectionOptions(`-c search_path=${QUEUE_SCHEMA} -c synchronous_commit=off`),
    }),
  );
  const { Queue, Worker } = withBackend(createPostgresBackend);
  const connection = pool as never; // the facade has all methods of a pool that BullMQ uses
  return {
    name: 'postgres',
    mostWorkers: 1, // each takes a connection of the pool to listen
    queue: new Queue<Ticket>(QUEUE, { connection, defaultJobOptions: TICKET_OPTIONS }),
    worker: (run, options) => new Worker<Ticket>(QUEUE, ({ data }) => run(data), { connection, ...options }),
    ping: () => pool.query('select 1'),
    close: () => pool.end(),
  };
}

async function openRedis(url: string, place: QueuePlace, log: Logger): Promise<Bull> {
  const { redisPrefix: prefix } = place;
  const retryStrategy = (times: number) => Math.min(times * 200, REDIS_RECONNECT_MS);
  // Without the offline queue `add` fails at once while Redis is away, instead of hanging until it is back.
  const producer = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: REDIS_COMMAND_MS,
    lazyConnect: true,
    retryStrategy,
  });
  producer.on('error', () => undefined); // the queue reports them
  try {
    await producer.connect();
    await judgeRedis(producer, place.redisMayForget ?? false, log);
  } catch (error) {
    producer.disconnect();
    throw error;
  }
  const { Queue, Worker } = withBackend(createRedisBackend);
  const consumers = new Set<Redis>();
  return {
    name: 'redis',
    mostWorkers: WORKERS_ON_REDIS,
    queue: new Queue<Ticket>(QUEUE, { connection: producer, prefix, defaultJobOptions: TICKET_OPTIONS }),
    worker(run, options) {
      // A connection for each worker: the replacement of a hanging worker must not hang with it.
      const consumer = new BatchingRedis(url, { maxRetriesPerRequest: null, retryStrategy });
      consumers.add(consumer);
      const worker = new Worker<Ticket>(QUEUE, ({ data }) => run(data), { connection: consumer, prefix, ...options });
      return worker.on('closed', () => {
        consumers.delete(consumer);
        consumer.disconnect();
      });
    },
    ping: () => producer.ping(),
    async close() {
      for (const client of [producer, ...consumers]) client.disconnect();
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
async function judgeRedis(redis: Redis, mayForget: boolean, log: Logger): Promise<void> {
  const problems = redisProblems(`${await redis.info('persistence')}\n${await redis.info('memory')}`);
  if (problems.length === 0) return;
  const text = `The Redis of REDIS_URL would lose work: ${problems.join('; ')}`;
  if (!mayForget) throw new Error(`${text}. REDIS_MAY_FORGET=true accepts it.`);
  log.warn(text);
}
