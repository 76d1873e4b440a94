/*
 * An installation for one row: a database of its own on the Postgres of the run, and gateways that are processes and
 * may be killed. Its clock is so many times faster, as that of its routers: what takes an hour takes a minute. Sweeps
 * pause at least 250 ms of real time (`faults/gateway.ts`), so a pass comes later on that clock than on a real one, and
 * never earlier.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Victim } from '../../faults/victim.js';
import { TestApi } from '../../test/support/test-api.js';
import { type Server } from './server.js';

const SETUP_TOKEN = 'setup-token-of-a-monitoring-bench';

/** A condition that is not met after so much real time is a row that cannot be taken. */
const MET_WITHIN_MS = 600_000;

export interface InstallationOptions {
  readonly scale: number;
  /** What time it is at the beginning; absent: now. */
  readonly base?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** Processes that also run jobs, beside the first one. */
  readonly workers?: number;
  /** Where the gateways find Postgres, if not there directly: `host:port`. */
  readonly databaseAt?: string;
}

/** Nothing stays behind when a run is interrupted. */
const running = new Set<Installation>();

export class Installation {
  key = '';
  private connected: Client | null = null;

  private constructor(
    readonly gateways: readonly Victim[],
    private readonly databaseUrl: string,
    private readonly options: InstallationOptions,
    private readonly startedAt: number,
    private readonly base: number,
  ) {}

  static async start(server: Server, options: InstallationOptions): Promise<Installation> {
    const { scale, base = Date.now(), settings = {}, workers = 0 } = options;
    const url = await server.createDatabase();
    const shown = new URL(url);
    if (options.databaseAt !== undefined) shown.host = options.databaseAt;
    const startedAt = Date.now();
    const env = {
      DATABASE_URL: shown.href,
      DATA_DIR: path.join(server.folder, 'data', new URL(url).pathname.slice(1)),
      FLEETGATE_KEY: randomBytes(32).toString('base64'),
      FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
      FAULTS_TIME_SCALE: String(scale),
      FAULTS_TIME_BASE: String(startedAt),
      FAULTS_TIME_AHEAD_MS: String(base - startedAt),
      DEVICE_ALLOW_LOOPBACK: 'true',
      LOG_LEVEL: 'silent',
      DATABASE_POOL_SIZE: '10',
      PORT: '0',
      ...settings,
    };
    const names = ['gateway', ...Array.from({ length: workers }, (_, index) => `worker ${index + 1}`)];
    const gateways = names.map((name, index) => new Victim(name, { ...env, ROLE: index === 0 ? 'all' : 'worker' }));
    const installation = new Installation(gateways, url, options, startedAt, base);
    running.add(installation);
    for (const gateway of gateways) await gateway.start();
    const setUp = { token: SETUP_TOKEN, operatorName: 'Bench' };
    installation.key = (await installation.api.post<{ apiKey: { key: string } }>('/v1/setup', setUp)).apiKey.key;
    return installation;
  }

  static async stopAll(): Promise<void> {
    await Promise.all([...running].map((installation) => installation.stop()));
  }

  get url(): string {
    return this.gateways[0]!.url;
  }

  get api(): TestApi {
    return this.apiOf(this.key);
  }

  apiOf(key: string): TestApi {
    return new TestApi({ url: this.url, timeoutMs: 60_000, ...(key === '' ? {} : { key }) });
  }

  get scale(): number {
    return this.options.scale;
  }

  /** Milliseconds of real time for some seconds on the clock of the installation. */
  ms(seconds: number): number {
    return (seconds * 1_000) / this.scale;
  }

  /** Lets so many seconds pass on its clock. */
  async pass(seconds: number): Promise<void> {
    await sleep(this.ms(seconds));
  }

  /** What its clock says. */
  get now(): Date {
    return this.at(Date.now());
  }

  /** What its clock said at a real time. */
  at(realMs: number): Date {
    return new Date(this.base + (realMs - this.startedAt) * this.scale);
  }

  /** Registers what a file names. @throws Error unless each line made a device */
  async importCsv(csv: string): Promise<void> {
    const headers = { 'content-type': 'text/csv' };
    const answer = await this.api.client.request('POST', '/v1/devices/import', { content: csv, headers });
    const { lines, created } = (await answer.json()) as { lines: number; created: number };
    if (created !== lines) throw new Error(`of ${lines} lines only ${created} made a device`);
  }

  /** What a query finds. After a crash of Postgres the next one connects again. */
  async rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const db = this.connected ?? new Client({ connectionString: this.databaseUrl });
    if (!this.connected) {
      db.on('error', () => (this.connected = null));
      await db.connect();
      this.connected = db;
    }
    return (await db.query<Row>(sql, [...values])).rows;
  }

  /** One number that a query answers. */
  async count(sql: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await this.rows<{ count: string }>(sql, values);
    return Number(row!.count);
  }

  async stop(): Promise<void> {
    running.delete(this);
    await Promise.all(this.gateways.map((gateway) => gateway.kill()));
    await this.connected?.end().catch(() => undefined);
  }
}

/** Looks until a condition is met. @throws Error with `what` when it is not met in time */
export async function until(what: string, isMet: () => Promise<boolean>, withinMs = MET_WITHIN_MS): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await isMet())) {
    if (performance.now() > endsAt) throw new Error(`${what}: not within ${Math.round(withinMs / 1_000)} s`);
    await sleep(100);
  }
}
