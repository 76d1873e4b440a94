import { afterAll, afterEach, beforeAll, expect, it, vi, type MockInstance } from 'vitest';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { Locks } from '../../src/auth/access/locks.service.js';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { SweeperRunner } from '../../src/platform/sweeper.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/*
 * A process that starts loads its locks before it begins anything. One that stops ends what it is at while it still has its
 * database.
 */

const GATE = 4_711;

let world: TestGateway;
let owner: pg.Client;
let gateway: Gateway | undefined;
let loading: MockInstance;
let beginning: MockInstance;

beforeAll(async () => {
  loading = vi.spyOn(Locks.prototype, 'onApplicationBootstrap');
  beginning = vi.spyOn(SweeperRunner.prototype, 'startAll');
  world = await startTestGateway({ ROLE: 'api' });
  owner = new pg.Client({ connectionString: world.databaseUrl });
  await owner.connect();
});
afterEach(async () => {
  await owner.query('select pg_advisory_unlock_all()');
  await gateway?.close();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await owner.end();
  await world.close();
});

it('starts sweepers after the locks are loaded: none may begin what is locked', () => {
  expect(loading.mock.invocationCallOrder[0]).toBeGreaterThan(0);
  expect(beginning.mock.invocationCallOrder[0]).toBeGreaterThan(loading.mock.invocationCallOrder[0]!);
});

it('lets sweepers come to the end of their pass, and is no holder of keys any more', async () => {
  gateway = await startGateway({ config: readConfig({ ...world.env, LOG_LEVEL: 'silent' }) });
  const [db, runner] = [gateway.app.get(DataSource), gateway.app.get(SweeperRunner)];
  const { holderId } = gateway.app.get(Secrets);
  const isHolder = async () =>
    (await owner.query('select from secret_holder where id = $1', [holderId])).rowCount === 1;
  expect(await isHolder()).toBe(true);
  await owner.query('select pg_advisory_lock($1)', [GATE]);
  let pass: Promise<unknown> | null = null;
  runner.start({
    name: 'slow',
    everyMs: 1,
    sweep: async () => {
      await (pass ??= db.query('select pg_advisory_xact_lock($1)', [GATE]).then(() => db.query('select 1')));
      return {};
    },
  });
  await until(() => pass !== null);
  const stop = vi.spyOn(runner, 'stop');
  const closed = gateway.close();
  gateway = undefined;
  await until(() => stop.mock.calls.length > 0);
  await owner.query('select pg_advisory_unlock($1)', [GATE]);
  await expect(pass).resolves.toBeDefined();
  await closed;
  expect(await isHolder()).toBe(false);
});
