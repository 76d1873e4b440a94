/*
 * The gateway under measurement: the built product as a process of its own, with a database of its own in a temporary
 * folder, driven through its public API alone. Settings are the defaults but for what the bench needs: devices on
 * loopback, and no status sweep of its own accord. Rights, audit and metrics are on, as always.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const START_WITHIN_MS = 120_000;

/** Jobs are handed back and devices logged out from. */
const STOP_WITHIN_MS = 40_000;

const SETUP_TOKEN = 'bench-setup-token-of-a-throw-away-database';

export interface GatewayOptions {
  /** Flags for Node, such as `--cpu-prof`. */
  readonly nodeFlags?: readonly string[];
  /** A file of this folder that starts it in another way; absent: the product. */
  readonly program?: string;
  /** Gets what it prints to stdout. */
  readonly onOutput?: (text: string) => void;
  /** Settings that are not the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One installation: its data stay when its process is started again. */
export class Gateway {
  private static readonly installed = new Set<Gateway>();

  url = '';
  key = '';
  /** Milliseconds from the start of the process until it said that it can work. */
  readyMs = 0;
  private child: ChildProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly options: GatewayOptions,
  ) {}

  /** Makes an installation, starts it and makes its first administrator. */
  static async install(options: GatewayOptions): Promise<Gateway> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-bench-'));
    await chmod(folder, 0o711); // the embedded database runs as another user when this runs as root
    const gateway = new Gateway(folder, options);
    Gateway.installed.add(gateway);
    try {
      await gateway.start();
      const made = await gateway.call('POST', '/v1/setup', { token: SETUP_TOKEN, operatorName: 'Bench' });
      gateway.key = (made.body as { apiKey: { key: string } }).apiKey.key;
      return gateway;
    } catch (error) {
      await gateway.remove();
      throw error;
    }
  }

  /** Stops and removes whatever was installed: for a run that is interrupted. */
  static async removeAll(): Promise<void> {
    await Promise.all([...Gateway.installed].map((gateway) => gateway.remove()));
  }

  get dataDir(): string {
    return path.join(this.folder, 'data');
  }

  get pid(): number {
    return this.child?.pid ?? -1;
  }

  /** How many do the work, beside the parent that more than one have. */
  get processes(): number {
    return Number(this.options.settings?.['PROCESSES'] ?? 1);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async start(): Promise<void> {
    const startedAt = performance.now();
    const program = fileURLToPath(new URL(this.options.program ?? '../src/main.js', import.meta.url));
    const { PATH, HOME } = process.env;
    const { nodeFlags = [], onOutput } = this.options;
    const child = spawn(process.execPath, [...nodeFlags, program], {
      // Nothing else of the environment: the settings of the shell around are not part of the measurement.
      env: {
        PATH,
        HOME,
        PORT: '0',
        PROCESSES: '1',
        DATA_DIR: this.dataDir,
        DEVICE_ALLOW_LOOPBACK: 'true',
        STATUS_EVERY_SECONDS: '0',
        FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
        ...this.options.settings,
      },
      stdio: ['ignore', onOutput ? 'pipe' : 'ignore', 'pipe'],
    });
    if (onOutput) child.stdout!.setEncoding('latin1').on('data', onOutput);
    this.child = child;
    process.once('exit', this.kill);
    this.url = await announcedUrl(child);
    while ((await fetch(`${this.url}/health/ready`)).status !== 200) {
      if (performance.now() - startedAt > START_WITHIN_MS) throw new Error('the gateway did not become ready');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    this.readyMs = performance.now() - startedAt;
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await ended;
    clearTimeout(late);
    process.off('exit', this.kill);
    this.child = null;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
    Gateway.installed.delete(this);
  }

  /** Sends a request to the API. @param body sent as JSON, or as it is when it is text with a `type` */
  async call(method: string, target: string, body?: unknown, type = 'application/json'): Promise<ApiAnswer> {
    const answer = await fetch(this.url + target, {
      method,
      headers: { ...this.headers(), ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target} answered ${answer.status}: ${text.slice(0, 300)}`);
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** Registers devices from a file. @throws Error unless each line made a device */
  async importCsv(csv: string): Promise<void> {
    const { body } = await this.call('POST', '/v1/devices/import', csv, 'text/csv');
    const { lines, created } = body as { lines: number; created: number };
    if (created !== lines) throw new Error(`of ${lines} lines only ${created} made a device`);
  }

  headers(): Record<string, string> {
    return this.key === '' ? {} : { authorization: `Bearer ${this.key}` };
  }

  /** Where the database of this installation answers, for baselines that go to it directly. */
  async databaseUrl(): Promise<string> {
    const root = path.join(this.dataDir, 'postgres');
    const password = (await readFile(path.join(root, 'password'), 'utf8')).trim();
    const [, , , port] = (await readFile(path.join(root, 'data', 'postmaster.pid'), 'utf8')).split('\n');
    return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  }

  /** The process of its database that starts all others of it. */
  async databasePid(): Promise<number> {
    const file = path.join(this.dataDir, 'postgres', 'data', 'postmaster.pid');
    return Number((await readFile(file, 'utf8')).split('\n')[0]);
  }

  private readonly kill = (): void => {
    this.child?.kill('SIGTERM');
  };
}

/** The address that the gateway tells the operator who starts it. */
function announcedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
      const found = /answers at (http:\/\/[\d.:]+)/.exec(said);
      if (found) resolve(found[1]!);
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${said}`)));
  });
}
