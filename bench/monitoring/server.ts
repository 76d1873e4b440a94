/* The Postgres of a run. Each row has a database of its own on it. */
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startDatabase, type Database } from '../../faults/servers.js';

export class Server {
  private made = 0;

  private constructor(
    readonly folder: string,
    readonly postgres: Database,
  ) {}

  static async start(): Promise<Server> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-bench-'));
    await chmod(folder, 0o711); // the database runs as another user when this runs as root
    return new Server(folder, await startDatabase(folder));
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
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
