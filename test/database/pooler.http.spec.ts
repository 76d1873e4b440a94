import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { PgBouncer } from '../support/servers/pgbouncer.js';
import { until } from '../support/until.js';

/** As poolers are set up: parameters of the start are refused in one, dropped in the other. */
const SESSION = { pool_mode: 'session', default_pool_size: '60' };
const TRANSACTION = { pool_mode: 'transaction', default_pool_size: '30', ignore_startup_parameters: 'options' };

const STATEMENT = { pool_mode: 'statement', default_pool_size: '30', ignore_startup_parameters: 'options' };

const describeWithPooler = PgBouncer.missing === null ? describe : describe.skip;

describeWithPooler(`a gateway behind a connection pooler${PgBouncer.missing ?? ''}`, () => {
  const server = process.env['TEST_DATABASE_URL']!;
  const rootKey = randomBytes(32).toString('base64');
  const login = `gate_${randomUUID().slice(0, 8)}`;
  let session: PgBouncer;
  let transaction: PgBouncer;
  let statement: PgBouncer;
  let database: TestDatabase;
  let world: TestGateway | null = null;

  beforeAll(async () => {
    session = await PgBouncer.start(server, SESSION);
    transaction = await PgBouncer.start(server, TRANSACTION, { [login]: 'secret' });
    statement = await PgBouncer.start(server, STATEMENT);
    await asServer(`create role ${login} login password 'secret'; grant fleetgate_app to ${login}`);
  });
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await world?.close();
    world = null;
    await database.drop();
  });
  afterAll(async () => {
    await Promise.all([session.stop(), transaction.stop(), statement.stop()]);
    await asServer(`drop role ${login}`);
  });

  async function asServer(sql: string): Promise<void> {
    const owner = new pg.Client({ connectionString: server });
    await owner.connect();
    await owner.query(sql);
    await owner.end();
  }

  const start = async (env: (url: string) => Record<string, string>) => {
    world = await startTestGateway({ FLEETGATE_KEY: rootKey, ...env(database.url) });
    return world;
  };

  it('works in session mode as on a direct connection, and cannot change the audit', async () => {
    const { api, gateway, url } = await start((direct) => ({ DATABASE_URL: session.through(direct) }));
    expect(gateway.app.get(PgNotifications).isListening).toBe(true);
    const rows = gateway.app.get(DataSource);
    expect(await rows.query('select current_user::text as role')).toEqual([{ role: 'fleetgate_app' }]);
    await expect(rows.query('delete from audit_entry')).rejects.toThrow('permission denied');
    expect((await fetch(new URL('/health/ready', url))).status).toBe(200);
    expect(await api.get('/v1/system')).toMatchObject({ queue: process.env['TEST_REDIS_URL'] ? 'redis' : 'postgres' });
  });

  it('does not start in transaction mode without a direct address', async () => {
    await expect(start((direct) => ({ DATABASE_URL: transaction.through(direct) }))).rejects.toThrow(
      /pooler in transaction mode.*DATABASE_DIRECT_URL/,
    );
  });

  it.each(['DATABASE_DIRECT_URL', 'DATABASE_OWNER_URL'])(
    'does not start when %s leads through such a pooler',
    async (name) => {
      const env = (direct: string) => ({ DATABASE_URL: direct, [name]: transaction.through(direct) });
      await expect(start(env)).rejects.toThrow(`${name} leads through a connection pooler in transaction mode`);
    },
  );

  it('does not start in transaction mode as a login that is more than the lesser role', async () => {
    const env = (direct: string) => ({ DATABASE_URL: transaction.through(direct), DATABASE_DIRECT_URL: direct });
    await expect(start(env)).rejects.toThrow(
      /works as postgres instead of fleetgate_app.*alter role "postgres" set role/,
    );
  });

  it('works in transaction mode beside a direct address, once the login brings what a session cannot keep', async () => {
    const env = (direct: string) => {
      const url = new URL(transaction.through(direct));
      [url.username, url.password] = [login, 'secret'];
      return { DATABASE_URL: url.href, DATABASE_DIRECT_URL: direct };
    };
    const refusal: unknown = await start(env).catch((error: unknown) => error);
    const commands = /database: (alter role .*); then reconnect/.exec((refusal as Error).message)![1]!;
    await asServer(commands);
    await transaction.stop();
    transaction = await PgBouncer.start(server, TRANSACTION, { [login]: 'secret' });
    const { api, gateway, url } = await start(env);
    const rows = gateway.app.get(DataSource);
    const roles = await Promise.all(Array.from({ length: 8 }, () => rows.query('select current_user::text as role')));
    expect(new Set(roles.map(([{ role }]) => role))).toEqual(new Set(['fleetgate_app']));
    // More writes at once than connections: the statements of the audit meet each server process.
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => api.post('/v1/operators', { name: `op-${n}`, role: 'viewer' })),
    );
    await until(async () => (await fetch(new URL('/health/ready', url))).status === 200);
    expect(gateway.app.get(PgNotifications).isListening).toBe(true);
    // Longer than a connection may be silent; the pooler runs them on other server processes than before.
    await Promise.all(Array.from({ length: 6 }, () => rows.query('select pg_sleep(7)')));
  });

  it.each<[what: string, env: (direct: string, through: string) => Record<string, string>, names: string]>([
    ['alone', (_direct, through) => ({ DATABASE_URL: through }), 'DATABASE_URL'],
    ['beside a direct address', (direct, through) => ({ DATABASE_URL: through, DATABASE_DIRECT_URL: direct }), 'DATABASE_URL'],
    ['as the direct address', (direct, through) => ({ DATABASE_URL: direct, DATABASE_DIRECT_URL: through }), 'DATABASE_DIRECT_URL'],
    ['for the owner', (direct, through) => ({ DATABASE_URL: direct, DATABASE_OWNER_URL: through }), 'DATABASE_OWNER_URL'],
  ])('does not start in statement mode, which allows no transactions: %s', async (_what, env, names) => {
    const through = start((direct) => env(direct, statement.through(direct)));
    await expect(through).rejects.toThrow(`${names} leads through a connection pooler in statement mode`);
  }); // prettier-ignore

  it('does not start when the direct address is that of another database', async () => {
    const other = await freshDatabase();
    try {
      const env = (direct: string) => ({
        DATABASE_URL: direct,
        DATABASE_OWNER_URL: direct,
        DATABASE_DIRECT_URL: other.url,
      });
      await expect(start(env)).rejects.toThrow('Notifications of changed rows do not arrive');
    } finally {
      await other.drop();
    }
  });
});
