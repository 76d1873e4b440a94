import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';

/** A Redis of a test's own, that may be killed and started again with what it had on disk. */
export class RedisServer {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static get isInstalled(): boolean {
    return spawnSync('redis-server', ['--version']).status === 0;
  }

  static async make(): Promise<RedisServer> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    return new RedisServer(await mkdtemp(path.join(os.tmpdir(), 'fleetgate-redis-')), port);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** @param more further arguments of the server */
  async start({ appendOnly = true, policy = 'noeviction' } = {}, more: readonly string[] = []): Promise<void> {
    const settings = ['--appendonly', appendOnly ? 'yes' : 'no', '--maxmemory-policy', policy, '--save', ''];
    const place = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.folder];
    this.child = spawn('redis-server', [...place, ...settings, ...more], { stdio: 'ignore' });
    await this.answered();
  }

  private async answered(): Promise<void> {
    const client = new Redis(this.url, { maxRetriesPerRequest: null });
    client.on('error', () => undefined); // until it listens, and has loaded what it had on disk
    await client.ping();
    client.disconnect();
  }

  /** Deletes what it had on disk; it must not run. */
  async emptyDisk(): Promise<void> {
    for (const name of await readdir(this.folder)) await rm(path.join(this.folder, name), { recursive: true });
  }

  /** A Sentinel in its place, which watches nothing. */
  async startSentinel(): Promise<void> {
    const file = path.join(this.folder, 'sentinel.conf');
    await writeFile(file, `port ${this.port}\nbind 127.0.0.1\ndir ${this.folder}\n`);
    this.child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
    await this.answered();
  }

  async kill(): Promise<void> {
    if (!this.child) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    this.child = null;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
