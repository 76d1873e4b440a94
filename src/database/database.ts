import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { ADVISORY_LOCK } from './advisory-locks.js';
import { type GatewayConfig } from '../platform/config.js';
import { DatabaseClient } from './connection/database-client.js';
import { listMigrations, noteRelease, refuseEarlySchema, refuseNewerSchema } from './schema-release.js';
import {
  APP_ROLE,
  appTerms,
  OWNER_TERMS,
  REPLICA,
  type SessionSettings,
  type SessionTerms,
} from './connection/session-terms.js';

/*
 * Two roles. The owner changes the schema, once, at start. The application runs as `fleetgate_app`, which cannot change
 * the schema and may only insert and read audit rows: a fault of the application cannot alter the audit.
 */
/** The schema of BullMQ's own tables. */
export const QUEUE_SCHEMA = 'bullmq';

export const KNOWN_MIGRATIONS: ReadonlySet<string> = new Set(MIGRATIONS.map(({ name }) => name));

/**
 * Migrates a database to the schema of this version: the application's role, the migrations, the queue's tables. Many
 * processes may call it at the same time; the second one finds nothing to do. It refuses the database of a newer version, and
 * one of before the first release.
 * @param ownerUrl a login that may create tables and, the first time, the role
 * @param appUrl the login of the application where it is another one
 * @param only names of the migrations to stop at: the schema of an older version, for restoring its backup
 */
export async function prepareDatabase(ownerUrl: string, appUrl = ownerUrl, only?: ReadonlySet<string>): Promise<void> {
  const lock = ownerClient(ownerUrl);
  await lock.connect();
  try {
    if (lock.facts!.replica) throw new Error(REPLICA);
    await lock.query('select pg_advisory_lock($1)', [ADVISORY_LOCK.migrations]);
    await refuseOldServer(lock);
    const present = await listMigrations(lock);
    refuseEarlySchema(present, KNOWN_MIGRATIONS);
    await refuseNewerSchema(lock, present, KNOWN_MIGRATIONS);
    await ensureAppRole(lock, decodeURIComponent(new URL(appUrl).username));
    const migrations = only ? MIGRATIONS.filter(({ name }) => only.has(name)) : MIGRATIONS;
    if (!migrations.every(({ name }) => present.includes(name))) await migrate(lock, ownerUrl, migrations);
    if (!(await isQueuePrepared(lock))) await prepareQueue(lock);
  } finally {
    await lock.end();
  }
}

async function migrate(lock: pg.Client, ownerUrl: string, migrations: typeof MIGRATIONS): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url: ownerUrl,
    migrations,
    migrationsTransactionMode: 'each',
    extra: { Client: DatabaseClient, terms: OWNER_TERMS },
  });
  await source.initialize();
  try {
    const ran = await source.runMigrations();
    await noteRelease(
      lock,
      ran.map(({ name }) => name),
    );
  } finally {
    await source.destroy();
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string; server_version: string }>(
    `select current_setting('server_version_num') as server_version_num, current_setting('server_version') as server_version`,
  );
  if (Number(rows[0]?.server_version_num) < 150_000) {
    throw new Error(`Postgres ${rows[0]?.server_version} is too old: version 15 or newer is needed`);
  }
}

/** Since version 16 the role's creator is a member, but cannot become it without `set`. */
const SET_ROLE = `case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end`;

/** Roles are shared by all databases of a server, so another database may have created this one. */
async function ensureAppRole(client: pg.Client, appUser: string): Promise<void> {
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [APP_ROLE]);
    if (rowCount === 0) {
      await client.query(`
        do $$ begin
          create role ${APP_ROLE} nologin;
        exception when duplicate_object or unique_violation then null;
        end $$`);
    }
    const { rows } = await client.query<{ name: string }>(
      `select rolname as name from pg_roles
        where rolname in (current_user, $1) and not (rolsuper or pg_has_role(oid, $2, ${SET_ROLE}))`,
      [appUser, APP_ROLE],
    );
    // Only what is missing is granted: an administrator may have done the rest, and the login may lack the privilege.
    for (const { name } of rows) await grantWithPatience(client, `grant ${APP_ROLE} to ${pg.escapeIdentifier(name)}`);
    const { rowCount: mayUse } = await client.query(`select where has_schema_privilege($1, 'public', 'usage')`, [
      APP_ROLE,
    ]);
    if (mayUse === 0) await grantWithPatience(client, `grant usage on schema public to ${APP_ROLE}`);
  } catch (cause) {
    throw new Error(
      `The role ${APP_ROLE} could not be created. Ask a database administrator to run: ` +
        `create role ${APP_ROLE} nologin; grant ${APP_ROLE} to <the login of the gateway>;`,
      { cause },
    );
  }
}

/** Two databases of one server that grant the same role at once can collide ("tuple concurrently updated"). */
async function grantWithPatience(client: pg.Client, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if (attempt >= 10 || !(error instanceof Error) || !error.message.includes('concurrently updated')) throw error;
    }
  }
}

/** Whether an earlier start has done all of `prepareQueue`: each start would lock the queue's tables otherwise. */
async function isQueuePrepared(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ prepared: boolean | null }>(
    `select bool_and(has_table_privilege($1, oid, 'insert')) and bool_or(relname = 'event' and reloptions is not null) as prepared
       from pg_class where relnamespace = to_regnamespace($2) and relkind = 'r'`,
    [APP_ROLE, QUEUE_SCHEMA],
  );
  return rows[0]?.prepared === true && (await assertSchemaCompatibility(client, QUEUE_SCHEMA)) >= LATEST_SCHEMA_VERSION;
}

async function prepareQueue(client: pg.Client): Promise<void> {
  await runMigrations(client, QUEUE_SCHEMA);
  await grantQueue(client);
  await keepQueueSlim(client);
}

async function grantQueue(client: pg.Client): Promise<void> {
  await client.query(`
    grant usage, create on schema ${QUEUE_SCHEMA} to ${APP_ROLE};
    grant all on all tables in schema ${QUEUE_SCHEMA} to ${APP_ROLE};
    grant all on all sequences in schema ${QUEUE_SCHEMA} to ${APP_ROLE};
    grant execute on all functions in schema ${QUEUE_SCHEMA} to ${APP_ROLE};`);
}

/** The id of the root key that this database needs; null when it has no secrets yet. */
export async function neededRootKey(ownerUrl: string): Promise<string | null> {
  const client = ownerClient(ownerUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('select root_key_id as id from data_key limit 1');
    return rows[0]?.id ?? null;
  } finally {
    await client.end();
  }
}

/** The queue's rows are short-lived: a vacuum when a fifth of a table is dead, the default, comes too late. */
async function keepQueueSlim(client: pg.Client): Promise<void> {
  for (const table of ['job', 'event']) {
    await client.query(
      `alter table ${QUEUE_SCHEMA}.${table} set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
    );
  }
}

/** A connection as the owner of the schema. */
export function ownerClient(connectionString: string): DatabaseClient {
  return new DatabaseClient({ connectionString, connectionTimeoutMillis: 10_000, terms: OWNER_TERMS });
}

/** The token of `DatabaseUrls`, for injection. */
export const DATABASE_URLS = Symbol('database urls');

export interface DatabaseUrls {
  /** For rows. */
  readonly appUrl: string;
  /** For the schema and the archive of the audit. */
  readonly ownerUrl: string;
  /** For what needs a session: notifications, the queue, the heartbeat; absent: `appUrl`. */
  readonly sessionUrl?: string;
  /** Whether a pooler in transaction mode is between the gateway and its rows. */
  readonly sharesSessions?: boolean;
}

/** The addresses that the settings name. @param embeddedUrl of the embedded server, where DATABASE_URL is absent */
export function databaseUrls(
  config: Pick<GatewayConfig, 'DATABASE_URL' | 'DATABASE_OWNER_URL' | 'DATABASE_DIRECT_URL'>,
  embeddedUrl: string,
): DatabaseUrls & { readonly sessionUrl: string } {
  const appUrl = config.DATABASE_URL ?? embeddedUrl;
  const sessionUrl = config.DATABASE_DIRECT_URL ?? appUrl;
  return { appUrl, sessionUrl, ownerUrl: config.DATABASE_OWNER_URL ?? sessionUrl };
}

/** The address and terms of a connection of the application that needs a session of its own. */
export function sessionOptions(urls: Pick<DatabaseUrls, 'appUrl' | 'sessionUrl'>, differing: SessionSettings = {}) {
  return { connectionString: urls.sessionUrl ?? urls.appUrl, terms: appTerms(differing) };
}

/** A pool's options for connections of the application. */
export function pooledClients(terms: SessionTerms) {
  return { Client: DatabaseClient, terms } as const;
}

/** TypeORM's options for the application. Feature modules add their entities. */
export function rowsOptions(urls: DatabaseUrls, config: GatewayConfig): DataSourceOptions {
  return {
    type: 'postgres',
    url: urls.appUrl,
    applicationName: `fleetgate ${config.ROLE}`,
    synchronize: false,
    extra: {
      max: config.DATABASE_POOL_SIZE,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      ...pooledClients(appTerms({}, urls.sharesSessions !== true)),
    },
  };
}
