import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { Audit } from '../../src/audit/entries/audit.js';
import { systemActor } from '../../src/platform/actor.js';
import { prepareDatabase } from '../../src/database/database.js';
import { toAppError } from '../../src/http/problem.js';
import { ApiError } from '../../src/api-client/api-error.js';
import { DatabaseLink } from '../support/servers/database-link.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { OwnPostgres } from '../support/servers/own-postgres.js';
import { TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';

/** 12 for the gateway, which may use 36. */
const TOO_FEW = { max_connections: '15' };

/**
 * More than the gateway uses, also while the server still works on what its reset connections have left. With too few, its pools take
 * them from each other, and a statement may not begin for minutes.
 */
const CONNECTIONS = { max_connections: '100' };

/** A statement that sleeps or waits for a lock. */
const UNDER_WAY = `wait_event in ('PgSleep', 'relation')`;

const itOnLinux = process.platform === 'linux' ? it : it.skip;

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof ApiError ? error.code : toAppError(error).code),
  );

it('says at the start with numbers that there are too few connections, and answers no 500 for it', async () => {
  const server = await OwnPostgres.start(TOO_FEW);
  onTestFinished(() => server.stop());
  const world = await startTestGateway({ DATABASE_POOL_SIZE: '20', DATABASE_URL: await newDatabase(server.url) });
  onTestFinished(() => world.close());
  expect(world.log()).toMatch(
    /may use 36 connections to the database, and \d+ are free: it allows 12, and \d are open/,
  );
  // No cached key: each asks the database.
  const ask = () => codeOf(new TestApi({ url: world.url, key: world.keys.viewer }).get('/v1/devices'));
  const codes = await Promise.all(Array.from({ length: 80 }, ask));
  expect(new Set([...codes, 'done', 'database_unavailable'])).toEqual(new Set(['done', 'database_unavailable']));
  expect(world.log()).not.toContain('internal_error');
});

describe('a gateway whose database fails', () => {
  let server: OwnPostgres;
  let link: DatabaseLink;
  let world: TestGateway;
  let direct: string;
  let admin: pg.Client;
  let blocker: pg.Client;

  beforeAll(async () => {
    server = await OwnPostgres.start(CONNECTIONS);
    direct = await newDatabase(server.url);
    link = await DatabaseLink.open(direct);
    admin = new pg.Client({ connectionString: direct });
    await admin.connect();
    blocker = new pg.Client({ connectionString: direct });
    await blocker.connect();
    const pools = { DATABASE_POOL_SIZE: '20', DATABASE_URL: link.through(direct) };
    world = await startTestGateway(pools);
  });
  afterEach(async () => {
    link.refuses = false;
    await server.thaw();
    // The server works on what its clients have left. The next test must not take it for its own work.
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${UNDER_WAY}`);
    await until(async () => !(await isAtWork(UNDER_WAY)));
    await until(isReady);
  });
  afterAll(async () => {
    await world.close();
    await link.close();
    await Promise.all([admin.end(), blocker.end()]);
    await server.stop();
  });

  const isReady = async () => (await fetch(new URL('/health/ready', world.url))).ok;
  const rows = () => world.gateway.app.get(DataSource);
  const audit = () => world.gateway.app.get(Audit);
  /** Only the login itself sees what its connections do. */
  const isAtWork = async (condition: string) => {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity
        where state = 'active' and pid <> pg_backend_pid() and application_name like 'fleetgate all%' and ${condition}`,
    );
    return rowCount! > 0;
  };
  /** Begins work until the server is at it: a connection of the pool that has not yet seen its reset ends it at once. */
  const begun = async (work: () => Promise<unknown>, condition: string) => {
    for (;;) {
      const code = codeOf(work());
      const isBegun = await until(async () => {
        if (await isAtWork(condition)) return 'begun';
        return Promise.race([code.then(() => 'ended'), Promise.resolve(null)]);
      });
      if (isBegun === 'begun') return { code };
    }
  };
  const openEntries = async () => {
    const [row] = await rows().query<[{ count: number }]>(
      'select count(*)::int as count from audit_entry where not exists (select from audit_outcome where entry_id = audit_entry.id)',
    );
    return row.count;
  };
  const entry = (subject: string) => ({ actor: systemActor('test'), action: 'device.call_write' as const, subject });

  it.each<[name: string, work: () => Promise<unknown>]>([
    ['a statement', () => rows().query('select pg_sleep(60)')],
    ['a transaction', () => rows().transaction((tx) => tx.query('select pg_sleep(60)'))],
    ['a write of rows', () => rows().transaction((tx) => tx.query(`select pg_notify('x', ''), pg_sleep(60)`))],
    ['a statement of the driver itself', () => poolOf(rows()).query('select pg_sleep(60)')],
    ['rows that are read one after another', () => readSlowly(rows())],
    ['an entry of the audit', () => blockedEntry()],
  ])('gives %s under way a fitting code when its connection is reset', async (_name, work) => {
    const { code } = await begun(work, UNDER_WAY);
    let isEnded = false;
    const ended = code.finally(() => void (isEnded = true));
    // Another statement may have been at work, such as one of a sweep that the lock holds up: then this one is reset when it begins.
    await until(async () => {
      if (!isEnded && (await isAtWork(UNDER_WAY))) link.reset();
      return isEnded;
    });
    expect(await ended).toBe('database_unavailable');
  });

  it('gives a request a fitting code when its new connection is reset', async () => {
    link.reset();
    link.refuses = true;
    expect(await codeOf(rows().query('select 1'))).toBe('database_unavailable');
    const post = new TestApi({ url: world.url, key: world.keys.administrator });
    expect(await codeOf(post.post('/v1/operators', { name: 'reset', role: 'viewer' }))).toBe('database_unavailable');
  });

  it('uses no new connection of a role that has become able to change the audit', async () => {
    await admin.query('grant delete on audit_entry to fleetgate_app');
    link.reset();
    expect(await codeOf(rows().query('select 1'))).toBe('database_unavailable');
    const refusal = await until(async () => {
      const said = await rows().query('select 1').then(() => 'done', String); // prettier-ignore
      return said.includes('ECONNRESET') ? null : said; // of a connection that had not seen its reset
    });
    expect(refusal).toContain('may change rows of the audit (audit_entry)');
    await admin.query('revoke delete on audit_entry from fleetgate_app');
    await until(async () => (await codeOf(rows().query('select 1'))) === 'done');
  });

  it('closes the entries of the audit by itself whose outcome the database did not take', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => audit().open(entry(`PUT /late/${n}`))));
    link.reset();
    link.refuses = true;
    await Promise.all(ids.map((id) => audit().close(id, 'succeeded', { deviceStatus: 200 })));
    expect(await codeOf(audit().open(entry('PUT /never-sent')))).toBe('database_unavailable');
    link.refuses = false;
    await until(async () => (await openEntries().catch(() => -1)) === 0);
    const outcomes = await rows().query<{ outcome: string; facts: unknown }[]>(
      'select distinct outcome, facts from audit_outcome where entry_id = any($1)',
      [ids],
    );
    expect(outcomes).toEqual([{ outcome: 'succeeded', facts: { deviceStatus: 200 } }]);
  });

  it('lets a slow statement of a live server work on', async () => {
    const { code } = await begun(() => rows().query('select pg_sleep(6)'), `query like 'select pg_sleep(6)%'`);
    expect(await code).toBe('done');
  });

  itOnLinux('gives up statements and requests when the server answers nothing', async () => {
    const sleep = () => rows().query('select pg_sleep(30)');
    const { code: running } = await begun(sleep, `query like 'select pg_sleep(30)%'`);
    await server.freeze();
    const write = codeOf(new TestApi({ url: world.url, key: world.keys.administrator }).post('/v1/operators', { name: 'frozen', role: 'viewer' })); // prettier-ignore
    // The server stays frozen until both have ended: without a deadline they would never.
    expect(await Promise.all([running, write])).toEqual(['database_unavailable', 'database_unavailable']);
  });

  async function blockedEntry(): Promise<unknown> {
    await blocker.query('begin; lock table audit_entry in exclusive mode');
    try {
      return await audit().open(entry('PUT /blocked'));
    } finally {
      await blocker.query('rollback');
    }
  }
});

const poolOf = (db: DataSource) => (db.driver as unknown as { master: pg.Pool }).master;

async function readSlowly(db: DataSource): Promise<void> {
  const runner = db.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query(`declare slow cursor for select pg_sleep(60)`);
    await runner.query('fetch all from slow');
  } finally {
    await runner.release();
  }
}

async function newDatabase(server: string): Promise<string> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query('create database gate');
  await admin.end();
  const url = new URL(server);
  url.pathname = '/gate';
  await prepareDatabase(url.href);
  return url.href;
}
