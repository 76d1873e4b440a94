/* A Redis of its own for a run, as the gateway wants it: append-only, nothing evicted, in a temporary folder. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';

export interface BenchRedis {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** @returns null where no redis-server is installed */
export async function startRedis(): Promise<BenchRedis | null> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-bench-redis-'));
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const settings = ['--bind', '127.0.0.1', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--dir', folder];
  const server = spawn('redis-server', ['--port', String(port), ...settings], { stdio: 'ignore' });
  const kill = () => void server.kill('SIGKILL');
  process.once('exit', kill);
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined); // until it listens
  await client.ping();
  client.disconnect();
  return {
    url,
    pid: server.pid!,
    async stop() {
      process.off('exit', kill);
      const ended = once(server, 'exit');
      kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
