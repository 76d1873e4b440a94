import { type Logger } from 'pino';
import { type GatewayConfig } from '../../platform/config.js';
import { type DatabaseUrls, ownerClient } from '../database.js';

/* Whether the database has as many connections as this process may use. Without them, requests end with 503 under load. */

/** Notifications, the archiving of the audit, and the question whether a silent server is there; a worker's heartbeat. */
const SINGLE = 3;
const HEARTBEAT = 1;

type Needs = Pick<GatewayConfig, 'ROLE' | 'REDIS_URL' | 'DATABASE_POOL_SIZE' | 'QUEUE_POOL_SIZE'>;

/** What the database allows a login, in connections; null: no limit but those of the others. */
export interface ConnectionLimits {
  /** `max_connections` without those that are reserved for superusers. */
  readonly server: number;
  readonly login: number | null;
  readonly database: number | null;
  /** Open now, of all clients, this one not counted. */
  readonly used: number;
}

/** The most connections that one process uses. */
export function connectionsNeeded(config: Needs): number {
  const isWorker = config.ROLE !== 'api';
  const queue = isWorker && config.REDIS_URL === undefined ? config.QUEUE_POOL_SIZE : 0;
  return config.DATABASE_POOL_SIZE + queue + SINGLE + (isWorker ? HEARTBEAT : 0);
}

/** A sentence with the numbers when they do not suffice, else null. */
export function fewConnections(config: Needs, limits: ConnectionLimits): string | null {
  const needed = connectionsNeeded(config);
  const most = Math.min(limits.server, limits.login ?? Infinity, limits.database ?? Infinity);
  const free = Math.max(0, most - limits.used);
  if (needed <= free) return null;
  return (
    `This process may use ${needed} connections to the database, and ${free} are free: it allows ${most}, and ` +
    `${limits.used} are open. Raise max_connections there, or lower DATABASE_POOL_SIZE (${config.DATABASE_POOL_SIZE}).`
  );
}

/** A sentence when the processes of one machine together exceed what the database allows, else null. @param config of one that runs jobs */
export function tooManyProcesses(config: Needs, processes: number, limits: ConnectionLimits): string | null {
  const needed = connectionsNeeded(config) + (processes - 1) * connectionsNeeded({ ...config, ROLE: 'api' });
  const most = Math.min(limits.server, limits.login ?? Infinity, limits.database ?? Infinity);
  if (needed <= most) return null;
  return (
    `The ${processes} processes of this machine may use ${needed} connections to the database, and it allows ${most}. ` +
    'Raise max_connections there, or lower PROCESSES or DATABASE_POOL_SIZE.'
  );
}

/**
 * Logs the first sentence at the start. A limit of a pooler is not seen here.
 * @param processes of this machine
 * @throws Error with the second one
 */
export async function checkConnections(urls: DatabaseUrls, config: Needs, log: Logger, processes = 1): Promise<void> {
  const client = ownerClient(urls.sessionUrl ?? urls.appUrl);
  await client.connect();
  try {
    const { rows } = await client.query<ConnectionLimits>(READ_LIMITS);
    const [limits] = rows as [ConnectionLimits];
    const refusal = processes > 1 ? tooManyProcesses(config, processes, limits) : null;
    if (refusal !== null) throw new Error(refusal);
    const sentence = fewConnections(config, limits);
    if (sentence !== null) log.warn(sentence);
  } finally {
    await client.end();
  }
}

/** -1 means no limit. `reserved_connections` is new in version 16. */
const READ_LIMITS = `
  select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0) as server,
         (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user) as login,
         (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as database,
         (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) as used`;
