/* The Postgres of a run. Each row has a database of its own on it. */
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startDatabase, type Database } from '../../faults/servers.js';

export class Server {
  private static readonly running = new Set<Server>();
  private made = 0;

  private constructor(
    readonly folder: string,
    readonly postgres: Database,
  ) {}

  static async start(): Promise<Server> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-bench-'));
    await chmod(folder, 0o711); // the database runs as another user when this runs as root
    const server = new Server(folder, await startDatabase(folder));
    Server.running.add(server);
    return server;
  }

  /** Stops and removes them all: for a run that is interrupted. */
  static async stopAll(): Promise<void> {
    await Promise.all([...Server.running].map((server) => server.stop()));
  }

  /** @returns the address of an empty database */
  async createDatabase(): Promise<string> {
    const name = `bench_${++this.made}`;
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const url = new URL(this.postgres.url);
    url.pathname = name;
    return url.href;
  }

  async stop(): Promise<void> {
    Server.running.delete(this);
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
