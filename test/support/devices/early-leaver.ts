import { once } from 'node:events';
import net from 'node:net';
import pg from 'pg';
import { type TestGateway } from '../gateway.js';
import { until } from '../until.js';

interface SentRequest {
  readonly path: string;
  readonly key: string;
  readonly json?: unknown;
  /** In the place of `json`. */
  readonly file?: { readonly type: string; readonly text: string };
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a POST and leaves before anything has come of it: the gateway is held by a lock of the database, sees its caller
 * leave, and then goes on.
 * @param hold the statement that takes the lock
 */
export async function postAndLeave(
  world: TestGateway,
  hold: string,
  { path, key, json, file, headers }: SentRequest,
): Promise<void> {
  const db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  const { hostname, port } = new URL(world.url);
  const served = once(world.gateway.app.getHttpServer(), 'connection') as Promise<[net.Socket]>;
  const client = net.connect(Number(port), hostname);
  try {
    await db.query('begin');
    await db.query(hold);
    const body = file?.text ?? JSON.stringify(json);
    const head = {
      ...headers,
      host: hostname,
      authorization: `Bearer ${key}`,
      'content-type': file?.type ?? 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    client.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    await until(() => isWaitedFor(db));
    client.destroy();
    const [socket] = await served;
    await until(() => socket.destroyed);
    await db.query('commit');
  } finally {
    client.destroy();
    await db.end();
  }
}

/** Whether somebody waits for the lock that this connection holds. */
export async function isWaitedFor(db: pg.Client): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))',
  );
  return (rowCount ?? 0) > 0;
}
