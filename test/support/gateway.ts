import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { ApiError } from '../../src/api-client/api-error.js';
import { TestApi } from './test-api.js';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { type Clock } from '../../src/platform/clock.js';
import { type Constants, readConfig } from '../../src/platform/config.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { TOKEN_MARK } from '../../src/simulator/device/sessions.js';
import { freshDatabase } from './database.js';
import { watchCodes } from './declared-codes.js';
import { leaksOf } from './canaries.js';

const SETUP_TOKEN = 'setup-token-of-this-test-run';

/** A whole gateway on a database of its own, set up, with a key for each role. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Its settings, for a further process on the same database. */
  readonly env: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<'viewer' | 'operator' | 'administrator', string>>;
  /** A client that acts as an administrator. */
  readonly api: TestApi;
  as(role: keyof TestGateway['keys']): TestApi;
  /** Everything that was logged so far. */
  log(): string;
  close(): Promise<void>;
}

/** Starts it; `env` adds settings. */
export async function startTestGateway(
  env: Record<string, string> = {},
  clock?: Clock,
  constants?: Partial<Constants>,
): Promise<TestGateway> {
  const database = await freshDatabase();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-test-'));
  const lines: string[] = [];
  const logSink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'debug',
    FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
    DEVICE_ALLOW_LOOPBACK: 'true',
    DATABASE_POOL_SIZE: '8',
    STATUS_EVERY_SECONDS: '0', // a test that counts calls wants to have made all of them
    ...(process.env['TEST_REDIS_URL']
      ? { REDIS_URL: process.env['TEST_REDIS_URL'], REDIS_PREFIX: new URL(database.url).pathname.slice(1) }
      : {}),
    ...env,
  };
  const gateway = await startGateway({ config: readConfig(settings, constants), logSink, ...(clock ? { clock } : {}) });
  const undeclaredCodes = watchCodes(gateway);
  // Nothing may answer at its PUBLIC_URL.
  const keys = await issueKeys(gateway.listenerUrl);
  return {
    gateway,
    url: gateway.url,
    databaseUrl: database.url,
    dataDir,
    env: settings,
    keys,
    api: new TestApi({ url: gateway.listenerUrl, key: keys.administrator }),
    as: (role) => new TestApi({ url: gateway.listenerUrl, key: keys[role] }),
    log: () => lines.join(''),
    async close() {
      const undeclared = undeclaredCodes();
      const sealer = gateway.app.get(Secrets);
      await gateway.close();
      // Whatever a test did: what it sealed, its keys and the tokens of its devices are in no line of the log and in no row.
      const texts = { ...keysOf(keys), 'the token of a device': TOKEN_MARK };
      const leak = await leaksOf(texts, lines.join(''), database.url, sealer);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
      const fault = leak ?? undeclared;
      if (fault) throw fault;
    },
  };
}

/**
 * Another gateway in this process, as a rule on the database of one that a test has killed or that stands still. Its log goes
 * nowhere. A process of its own (`GatewayProcess`) takes four seconds of processor time to load its modules.
 */
export function startBeside(env: Readonly<Record<string, string>>, clock?: Clock): Promise<Gateway> {
  const logSink = new Writable({ write: (_chunk, _encoding, done) => done() });
  return startGateway({ config: readConfig({ ...env, PORT: '0' }), logSink, ...(clock ? { clock } : {}) });
}

const keysOf = (keys: TestGateway['keys']) =>
  Object.fromEntries(Object.entries(keys).map(([role, key]) => [`the API key of the ${role}`, key]));

async function issueKeys(url: string): Promise<TestGateway['keys']> {
  const setup = await new TestApi({ url }).post<{ apiKey: { key: string } }>('/v1/setup', {
    token: SETUP_TOKEN,
    operatorName: 'Ada',
  });
  const administrator = setup.apiKey.key;
  const api = new TestApi({ url, key: administrator });
  const issue = async (role: 'viewer' | 'operator') => {
    const { id } = await api.post<{ id: string }>('/v1/operators', { name: `the ${role}`, role });
    return (await api.post<{ key: string }>('/v1/api-keys', { operatorId: id, name: 'test', scope: { stepUp: true } }))
      .key;
  };
  return { administrator, viewer: await issue('viewer'), operator: await issue('operator') };
}

/** For looks in a circle: on a busy machine one can wait for a connection for too long, and the next one is as good. */
export function nullWhenBusy(error: unknown): null {
  if (error instanceof ApiError && error.code === 'database_unavailable') return null;
  throw error;
}
