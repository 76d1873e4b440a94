import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type Logger } from 'pino';
import { isDatabaseAway } from '../../platform/errors.js';
import { type DatabaseUrls } from '../database.js';

/*
 * What is between the gateway and Postgres, found before anything else starts. The server process tells its number, and
 * says it once more when asked: a pooler gives another one. Whether a pooler keeps a session for each client (session
 * mode) is proven by what needs one: a notification reaches a connection that is idle.
 */

/** A notification takes milliseconds. A pooler in transaction mode never delivers it. */
const ARRIVES_WITHIN_MS = 5_000;
const CONNECT_WITHIN_MS = 10_000;

/** A database that starts at the same time as the gateway, such as that of a container beside it, is there by then. */
const COMES_WITHIN_MS = 60_000;
const TRIED_AGAIN_AFTER_MS = 1_000;

/** How long an address that does not answer is tried again, and where that is said. */
export interface Patience {
  readonly log: Pick<Logger, 'warn'>;
  readonly forMs?: number;
  /** Ends the wait. */
  readonly stop?: AbortSignal | undefined;
}

const DOCUMENT = 'docs/howto/run-the-database.md says more.';

/**
 * Proves that every address that needs sessions has them.
 * @returns the same addresses, and whether that of the rows shares its sessions
 * @throws Error in an operator's words
 */
export async function checkedUrls<Urls extends DatabaseUrls>(
  urls: Urls,
  patience: Patience,
): Promise<Urls & { sharesSessions: boolean }> {
  const { appUrl, ownerUrl, sessionUrl = appUrl } = urls;
  const sharesSessions = !(await keepsSessions('DATABASE_URL', appUrl, patience));
  if (sharesSessions && sessionUrl === appUrl) {
    throw new Error(
      'DATABASE_URL leads through a connection pooler in transaction mode: notifications are lost there, and settings of ' +
        'a session do not last. Use a pool in session mode (PgBouncer: pool_mode = session), or give the address of ' +
        `Postgres itself in DATABASE_DIRECT_URL. ${DOCUMENT}`,
    );
  }
  const others = { DATABASE_DIRECT_URL: sessionUrl, DATABASE_OWNER_URL: ownerUrl };
  for (const [setting, url] of Object.entries(others)) {
    if (url === appUrl || (await keepsSessions(setting, url, patience))) continue;
    throw new Error(
      `${setting} leads through a connection pooler in transaction mode, and what it is for needs sessions. ` +
        `Give the address of Postgres itself, or of a pool in session mode. ${DOCUMENT}`,
    );
  }
  return { ...urls, sharesSessions };
}

/** Whether a connection has its server process for itself. @throws Error when it cannot be found out */
async function keepsSessions(setting: string, connectionString: string, patience: Patience): Promise<boolean> {
  const listener = await awaited(setting, connectionString, patience);
  try {
    const pid = await pidOf(listener);
    // The driver's types lack the number that came with the connection.
    if ((listener as unknown as { processID: number | null }).processID === pid) return true;
    const keeps = await deliversTo(listener, pid, connectionString);
    if (!keeps) await refuseStatementMode(setting, connectionString);
    return keeps;
  } finally {
    await listener.end().catch(() => undefined);
  }
}

/** A pooler in statement mode would let the gateway start, and fail its first transaction. */
async function refuseStatementMode(setting: string, connectionString: string): Promise<void> {
  const client = await connected(connectionString);
  try {
    await client.query('begin');
    await client.query('rollback');
  } catch (cause) {
    throw new Error(
      `${setting} leads through a connection pooler in statement mode, which allows no transactions. Use a pool in ` +
        `session mode (PgBouncer: pool_mode = session), or give the address of Postgres itself. ${DOCUMENT}`,
      { cause },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Sends a notification to an idle connection, by another one. */
async function deliversTo(listener: Client, pid: number, connectionString: string): Promise<boolean> {
  const channel = `fleetgate_${randomUUID().replaceAll('-', '')}`;
  const arrived = new Promise<boolean>((resolve) => listener.once('notification', () => resolve(true)));
  await listener.query(`listen ${channel}`);
  const sender = await connected(connectionString);
  try {
    // What the sender itself hears was meant for the other one: both use one server process.
    const strayed = new Promise<boolean>((resolve) => sender.once('notification', () => resolve(false)));
    const isShared = (await pidOf(sender)) === pid;
    await sender.query(`select pg_notify('${channel}', '')`);
    if (isShared) return false;
    return await Promise.race([arrived, strayed, sleep(ARRIVES_WITHIN_MS, false)]);
  } catch (cause) {
    throw new Error(
      'The pooler gave a second connection no server process: it has too few for the gateway. Raise the size of its pool ' +
        `(PgBouncer: default_pool_size). ${DOCUMENT}`,
      { cause },
    );
  } finally {
    await sender.end().catch(() => undefined);
  }
}

async function pidOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}

/** A connection to a database that may still be starting. @throws Error that names the setting, or that it was told to stop */
async function awaited(setting: string, connectionString: string, { log, forMs = COMES_WITHIN_MS, stop }: Patience) {
  const host = new URL(connectionString).host || 'its socket';
  const endsAt = performance.now() + forMs;
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await connected(connectionString);
    } catch (cause) {
      if (!isDatabaseAway(cause)) throw cause;
      const { code, message } = cause as NodeJS.ErrnoException;
      const fault = `The database at ${host} of ${setting} does not answer (${code ?? message})`;
      if (!hasSaid) log.warn(`${fault}; it is tried again for ${Math.round(forMs / 1_000)} s`);
      if (performance.now() >= endsAt) throw new Error(`${fault}: start it, or correct ${setting}.`, { cause });
      await sleep(Math.min(TRIED_AGAIN_AFTER_MS, forMs), null, { signal: stop }).catch(() => undefined);
      if (stop?.aborted) throw new Error(`it was told to stop. ${fault}.`, { cause });
    }
  }
}

async function connected(connectionString: string): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: 'fleetgate start',
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: CONNECT_WITHIN_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
