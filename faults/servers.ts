import path from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import { RedisServer } from '../test/support/redis-server.js';

/* The database and the queue of a fault run: servers of its own, that may crash and be emptied. */

export interface Database {
  readonly url: string;
  /** Kills a server process, whereupon Postgres throws all connections out and recovers from its log. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export async function startDatabase(folder: string): Promise<Database> {
  const server = await startEmbeddedPostgres({
    root: path.join(folder, 'postgres'),
    settings: { max_connections: '300' },
  });
  return {
    url: server.url,
    async crash() {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => undefined); // it is thrown out itself
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
      );
      process.kill(rows[0]!.pid, 'SIGKILL');
      await client.end().catch(() => undefined);
      await untilAnswers(server.url);
    },
    stop: () => server.stop(),
  };
}

async function untilAnswers(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

export interface Queue {
  readonly url: string;
  /** Throws away everything it holds. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/** A Redis as the gateway wants it; null where none is installed. */
export async function startRedis(): Promise<Queue | null> {
  if (!RedisServer.isInstalled) return null;
  const server = await RedisServer.make();
  await server.start();
  const client = new Redis(server.url, { maxRetriesPerRequest: null });
  return {
    url: server.url,
    async empty() {
      await client.flushall();
    },
    async stop() {
      client.disconnect();
      await server.remove();
    },
  };
}
