import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startGateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from './gateway.js';
import { OpenidProvider } from './openid-provider.js';
import { dumpOf, redisTextOf } from './canaries.js';
import { RedisServer } from './redis-server.js';
import { until } from './until.js';

/*
 * A gateway with everything around it that a secret could get to, and ears everywhere: what it logs, answers, streams,
 * delivers, keeps in tables and in the queue, and sends to Redis is kept as text. Tables are looked at after
 * each use. What passes through the queue is gone a moment later, so the database keeps a copy of each row of it.
 */

/** What is in every use on purpose: the search must find it in each store, or it would find nothing there at all. */
export const CONTROL = `Control-${randomBytes(9).toString('hex')}`;

/** The places where no secret may be. */
export type Store = 'log' | 'answers' | 'metrics' | 'tables' | 'queue' | 'Redis' | 'deliveries' | 'streams' | 'exports';

/** Where each row that the queue's tables ever had is kept: a message is there for as long as its job runs. */
const OVERHEARD = 'overheard';

export interface SecretRequest {
  readonly json?: unknown;
  readonly body?: FormData | string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly as?: keyof TestGateway['keys'];
  /** The answer shows a secret on purpose. */
  readonly shows?: true;
  /** Of another process. */
  readonly url?: string;
  /** It is a file for people. */
  readonly isExport?: true;
}

interface Job {
  readonly id: string;
  readonly phase: string;
  readonly outcome: string | null;
}

export interface SecretWorldOptions {
  readonly devicePassword: string;
  readonly rootKeys: readonly [Buffer, Buffer];
  readonly clientSecret: string;
}

/**
 * A Redis of its own, where one is installed: lines of a MONITOR beside the traffic of other tests can arrive before ioredis
 * knows that it listens, which ends it.
 */
async function startRedis(): Promise<{ redisServer: RedisServer | null; redisUrl: string | undefined }> {
  const redisUrl = process.env['TEST_REDIS_URL'];
  if (!redisUrl || !RedisServer.isInstalled) return { redisServer: null, redisUrl };
  const redisServer = await RedisServer.make();
  await redisServer.start();
  return { redisServer, redisUrl: redisServer.url };
}

export class SecretWorld {
  readonly answers: string[] = [];
  readonly delivered: string[] = [];
  /** What the webhook's receiver answers next; then 200. */
  readonly refusals: string[] = [];
  /** Tokens that devices gave out, those that have ended too. */
  readonly deviceTokens = new Set<string>();
  private readonly otherLog: string[] = [];
  private readonly metrics: string[] = [];
  private readonly exports: string[] = [];
  private readonly streamed: string[] = [];
  private readonly tables: string[] = [];
  private readonly queued = new Set<string>();
  private readonly redisHeard: string[] = [];
  private readonly over = new AbortController();

  private constructor(
    readonly gateway: TestGateway,
    readonly fleet: Fleet,
    readonly provider: OpenidProvider,
    readonly db: pg.Client,
    private readonly receiver: Server,
    private readonly redis: Redis | null,
    private readonly monitor: Redis | null,
    private readonly redisServer: RedisServer | null,
  ) {}

  static async start({ devicePassword, rootKeys, clientSecret }: SecretWorldOptions): Promise<SecretWorld> {
    const { redisServer, redisUrl } = await startRedis();
    const redis = redisUrl ? new Redis(redisUrl) : null;
    const monitor = redis ? await redis.monitor() : null;
    const provider = await OpenidProvider.listen();
    const fleet = await startFleet({
      devices: 5,
      profile: 'rutos',
      seed: 3,
      timeScale: 40,
      adminPassword: devicePassword,
    });
    const oidc = { clientId: 'fleetgate', clientSecret, roles: { admins: ['viewer'] } };
    const gateway = await startTestGateway({
      LOG_LEVEL: 'trace',
      STATUS_EVERY_SECONDS: '1',
      ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
      FLEETGATE_KEY: rootKeys[0].toString('base64'),
      FLEETGATE_KEY_NEXT: rootKeys[1].toString('base64'),
      OIDC_PROVIDERS: JSON.stringify([
        { ...oidc, id: 'corp', name: 'Corp', issuer: provider.issuer },
        { ...oidc, id: 'away', name: 'Nobody there', issuer: 'http://127.0.0.1:9' },
      ]),
    });
    provider.open(`${gateway.url}/v1/oidc/corp/callback`, clientSecret);
    const db = new pg.Client({ connectionString: gateway.databaseUrl });
    await db.connect();
    await overhearQueue(db);
    const receiver = createServer();
    const world = new SecretWorld(gateway, fleet, provider, db, receiver, redis, monitor, redisServer);
    await world.listen();
    return world;
  }

  /** Where webhooks are received. */
  get receiverUrl(): string {
    return `http://127.0.0.1:${(this.receiver.address() as AddressInfo).port}`;
  }

  /** Whether the queue is in Redis. */
  get hasRedis(): boolean {
    return this.redis !== null;
  }

  /** Sends a request; its answer is kept, headers and body, unless it shows a secret to whom it belongs. */
  async ask(method: string, path: string, options: SecretRequest = {}): Promise<unknown> {
    const { json, body, type = 'application/json', headers = {}, as = 'administrator', shows, isExport } = options;
    const { url = this.gateway.url } = options;
    const content = json === undefined ? body : JSON.stringify(json);
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.gateway.keys[as]}`,
        ...(typeof content === 'string' ? { 'content-type': type } : {}),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    });
    const text = await answer.text();
    const kept = path === '/metrics' ? this.metrics : isExport ? this.exports : this.answers;
    if (!shows) kept.push(`${JSON.stringify([...answer.headers])}\n${text}`);
    return /(?<!nd)json/.test(answer.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : text;
  }

  /** Runs a job to its end. @returns how it ended, and null when it was not taken */
  async job(device: string, kind: string, spec: object = {}): Promise<string | null> {
    const { id } = await until(async () => {
      const answer = (await this.ask('POST', `${device}/jobs`, { json: { kind, spec } })) as {
        id?: string;
        code?: string;
      };
      return answer.code !== 'database_unavailable' && answer; // a busy machine refuses no job
    });
    if (id === undefined) return null;
    const job = await until(async () => {
      const now = (await this.ask('GET', `/v1/jobs/${id}`)) as Job;
      return now.phase === 'ended' && now;
    });
    return job.outcome;
  }

  /** Seals a value. @returns its id */
  async seal(label: string, value: string): Promise<string> {
    return ((await this.ask('POST', '/v1/sealed-values', { json: { label, value, days: 1 } })) as { id: string }).id;
  }

  /** Does something with another process on the same database, whose log is kept, too. */
  async withAnother(env: Record<string, string>, work: (url: string) => Promise<void>): Promise<void> {
    const logSink = new Writable({
      write: (chunk, _encoding, done) => {
        this.otherLog.push(String(chunk));
        done();
      },
    });
    const other = await startGateway({ config: readConfig({ ...this.gateway.env, ...env }), logSink });
    try {
      await work(other.url);
    } finally {
      await other.close();
    }
  }

  /** Follows a stream until the end. */
  async follow(path: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.gateway.keys.administrator}` };
    const answer = await fetch(this.gateway.url + path, { headers, signal: this.over.signal });
    void (async () => {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) this.streamed.push(chunk);
    })().catch(() => undefined); // ended by the world's end
  }

  /** Keeps what tables and Redis hold now. */
  async look(): Promise<void> {
    for (const [name, text] of await dumpOf(this.db)) {
      if (!name.startsWith(`${OVERHEARD}.`)) this.tables.push(`${name}\n${text}`);
      else for (const line of text.split('\n')) this.queued.add(line);
    }
    if (this.redis) this.redisHeard.push(await redisTextOf(this.redis));
  }

  /** All that was seen in a place so far. */
  textOf(store: Store): string {
    const kept: Readonly<Record<Store, () => Iterable<string>>> = {
      log: () => [this.gateway.log(), ...this.otherLog],
      answers: () => this.answers,
      metrics: () => this.metrics,
      tables: () => this.tables,
      queue: () => (this.redis ? this.redisHeard : this.queued),
      Redis: () => this.redisHeard,
      deliveries: () => this.delivered,
      streams: () => this.streamed,
      exports: () => this.exports,
    };
    return [...kept[store]()].join('\n');
  }

  /** Puts a text into Redis, as a fault would. */
  async putInRedis(text: string): Promise<void> {
    await this.redis?.hset('a fault of ours', { field: text });
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.db.end();
    await this.redis?.del('a fault of ours');
    this.monitor?.disconnect();
    this.redis?.disconnect();
    this.receiver.closeAllConnections();
    this.receiver.close();
    await this.gateway.close();
    await this.provider.close();
    await this.fleet.close();
    await this.redisServer?.remove();
  }

  private async listen(): Promise<void> {
    this.receiver.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        this.delivered.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}\n${body}`);
        const refusal = this.refusals.shift();
        response.writeHead(refusal === undefined ? 200 : 503).end(refusal ?? 'thanks');
      });
    });
    this.receiver.listen(0, '127.0.0.1');
    await once(this.receiver, 'listening');
    this.monitor?.on('monitor', (_time: string, args: readonly string[]) => this.redisHeard.push(args.join('\n')));
    for (const device of this.fleet.devices) {
      const tokens = Reflect.get(device.sessions, 'byToken') as Map<string, unknown>;
      const set = tokens.set.bind(tokens);
      tokens.set = (token, session) => {
        this.deviceTokens.add(token);
        return set(token, session);
      };
    }
  }
}

/** Has the database keep what is written into the queue's tables. The queue in Redis is overheard. */
async function overhearQueue(db: pg.Client): Promise<void> {
  await db.query(`
    create schema ${OVERHEARD};
    create function ${OVERHEARD}.keep() returns trigger language plpgsql security definer as $$ begin
      execute format('insert into ${OVERHEARD}.%I select ($1).*', tg_table_name) using new;
      return null;
    end $$;
    do $$ declare queue_table name; begin
      for queue_table in select tablename from pg_tables where schemaname = 'bullmq' loop
        execute format('create table ${OVERHEARD}.%1$I (like bullmq.%1$I)', queue_table);
        execute format('create trigger overhear after insert or update on bullmq.%1$I
                          for each row execute function ${OVERHEARD}.keep()', queue_table);
      end loop;
    end $$`);
}
