import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { FRESH_MS } from '../../../src/device-api/session.js';
import { DevicesService } from '../../../src/devices/registry/devices.service.js';
import { startGateway, type Gateway } from '../../../src/gateway.js';
import { CONFIG, type GatewayConfig } from '../../../src/platform/config.js';
import { type AppError } from '../../../src/platform/errors.js';
import { errorChain } from '../../../src/platform/errors/error-chain.js';
import { DeviceCalls } from '../../../src/proxy/calls/device-calls.js';
import { SessionPool } from '../../../src/proxy/sessions/session-pool.js';
import { systemActor } from '../../../src/platform/actor.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { SimulatorProcess } from '../../support/devices/simulator-process.js';
import { AheadClock } from '../proxy-world.js';
import { casesOf, sizeOf } from '../../support/forms.js';
import { until } from '../../support/until.js';

/*
 * Sessions when several replicas call the same devices: two whole gateways on one database and one Redis, where
 * TEST_REDIS_URL names one; else one gateway that keeps its sessions in memory. The devices are a process of their own, and
 * their ledger is the witness.
 */

const REDIS_URL = process.env['TEST_REDIS_URL'];
const STATUS = '/api/system/device/status';

/** Tokens that end at once; the promise of the product is 3,000. */
const TOKENS = Number(process.env['TEST_TOKENS_AT_ONCE'] ?? sizeOf({ short: 8, long: 20, nightly: 100 }));
const CALLS_EACH = sizeOf({ short: 5, long: 10, nightly: 30 });

/** Calls at once to a device without a session. */
const CALLS_TO_ONE = sizeOf({ short: 40, long: 100, nightly: 1_000 });

/** Devices whose password is wrong. */
const REFUSING = sizeOf({ short: 6, long: 20, nightly: 100 });

/** Devices called at the same time: both gateways share one core here, and a handshake has a deadline. */
const DEVICES_AT_ONCE = 48;
const COLD_DEVICES_AT_ONCE = 16;
const MINUTES = 60_000;

/** Callers here wait as long as callers may: how fast the machine of a test is, is no part of it. */
const PATIENCE_MS = 2 * MINUTES;

const ACTOR = systemActor('test');

let world: TestGateway;
let clock: AheadClock;
let simulator: SimulatorProcess;
let ids: string[];
let replicas: Gateway[];

interface Fleet {
  readonly devices: number;
  readonly profile: 'spec' | 'rutos';
  /** Whether devices of profile `rutos` keep connections open: many calls are then no test of handshakes. */
  readonly keepAlive?: boolean;
}

async function start({ devices, profile, keepAlive }: Fleet): Promise<void> {
  clock = new AheadClock();
  const flags = ['--devices', String(devices), '--profile', profile, '--latency', 'none', '--password', 'Secret-123'];
  if (keepAlive) flags.push('--keep-alive');
  [world, simulator] = await Promise.all([startTestGateway({ ROLE: 'api' }, clock), SimulatorProcess.start(...flags)]);
  replicas = [world.gateway];
  await register(await simulator.csv());
  if (!REDIS_URL) return;
  const config = world.gateway.app.get<GatewayConfig>(CONFIG);
  replicas.push(await startGateway({ config, clock, logSink: { write: () => undefined } }));
}

/** Registers the fleet; `ids` are in the order of its devices. */
async function register(csv: string): Promise<void> {
  const answer = await fetch(`${world.url}/v1/devices/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.keys.administrator}`, 'content-type': 'text/csv' },
    body: csv,
  });
  expect(answer.status).toBe(200);
  const names = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(',')));
  const rows = await world.gateway.app
    .get(DataSource)
    .query<{ id: string; name: string }[]>('select id, name from device');
  const idByName = new Map(rows.map(({ id, name }) => [name, id]));
  ids = names.map((name) => idByName.get(name)!);
}

async function stop(): Promise<void> {
  for (const replica of replicas.slice(1)) await replica.close();
  await world.close();
  await simulator.stop();
}

/** One read of a device through a replica; the status, or the code of the error. */
async function read(replica: Gateway, index: number): Promise<number | string> {
  try {
    const request = { method: 'GET', path: STATUS, deadlineMs: PATIENCE_MS } as const;
    return (await replica.app.get(DeviceCalls).call(ids[index]!, request, { actor: ACTOR })).status;
  } catch (error) {
    const { code, facts } = error as AppError;
    // What a run that fails has to tell: the cause, and in which part of an exchange the time was up.
    if (code === 'internal_error') return errorChain(error);
    return code === 'device_timeout' ? `${code}: ${JSON.stringify(facts)}` : code;
  }
}

/** Reads of all devices at once, through all replicas in turn; how often each outcome came. */
async function readAll(each: number, atOnce = DEVICES_AT_ONCE): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const indexes = ids.keys();
  const readInTurn = async () => {
    for (const index of indexes) {
      const calls = Array.from({ length: each }, (_, call) => read(replicas[call % replicas.length]!, index));
      for (const outcome of await Promise.all(calls)) counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, readInTurn));
  return counts;
}

const summaries = () => simulator.summaries();

const requestsSoFar = async () => (await summaries()).reduce((sum, { requests }) => sum + requests, 0);

/** Every replica has heard of the passwords that were stored last. */
async function allKnow(): Promise<void> {
  for (const { app } of replicas) {
    const failed = async (id: string) => (await app.get(DevicesService).get(id)).account!.failedLogins;
    await until(async () => (await Promise.all(ids.map(failed))).every((count) => count === 0));
  }
}

it.runIf(!REDIS_URL)(
  'says that TEST_REDIS_URL is not set: sessions were tried on one replica in memory, not on two with Redis',
  () => {
    process.stderr.write('TEST_REDIS_URL is not set: sessions are tried on one replica, in memory\n');
    expect(REDIS_URL).toBeUndefined();
  },
);

describe(`sessions on ${REDIS_URL ? 'two replicas with Redis' : 'one replica in memory'}`, () => {
  afterEach(() => stop(), 3 * MINUTES);

  const profiles = casesOf(['spec', 'rutos'] as const, 1, 1);
  it.each(profiles)(`are one login for ${CALLS_TO_ONE} parallel calls to a cold %s device`, async (profile) => {
    await start({ devices: 1, profile });

    expect(await readAll(CALLS_TO_ONE)).toEqual({ 200: CALLS_TO_ONE });

    expect(await summaries()).toMatchObject([{ logins: 1, openSessions: 1 }]);
  });

  it(
    `that end at once on ${TOKENS} devices are renewed by one login each, with ${CALLS_EACH} calls waiting for each`,
    async () => {
      await start({ devices: TOKENS, profile: 'rutos', keepAlive: true });
      expect(await readAll(2, COLD_DEVICES_AT_ONCE)).toEqual({ 200: 2 * TOKENS });
      expect((await summaries()).every(({ logins }) => logins === 1)).toBe(true);
      clock.pass(FRESH_MS);
      await simulator.act('expire-tokens');

      const from = performance.now();
      const outcomes = await readAll(CALLS_EACH);
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      process.stderr.write(`${TOKENS} tokens, ${CALLS_EACH} calls each, ${replicas.length} replicas: ${seconds} s\n`);

      const wrong = (await summaries()).filter(({ logins, openSessions }) => logins !== 2 || openSessions !== 1);
      expect({ outcomes, wrong }).toEqual({ outcomes: { 200: CALLS_EACH * TOKENS }, wrong: [] });
    },
    10 * MINUTES,
  );

  it(
    `are tried at most 3 times with a wrong password on ${REFUSING} devices under constant calls, without a lock-out`,
    async () => {
      await start({ devices: REFUSING, profile: 'rutos' });
      await simulator.act('set-password', { password: 'Changed-by-1-somebody' });

      const refused = { device_credentials_refused: 4 * REFUSING };
      expect(await readAll(4)).toEqual(refused);
      const before = await requestsSoFar();
      for (let round = 0; round < 3; round++) expect(await readAll(4)).toEqual(refused);

      // Answered before anything goes out: no login and no call.
      expect(await requestsSoFar()).toBe(before);
      expect((await summaries()).filter(({ logins, failedLogins }) => logins > 0 || failedLogins > 3)).toEqual([]);
      await simulator.act('set-password', { password: 'Secret-123' });
      await Promise.all(
        ids.map((id) =>
          world.api.send('PUT', `/v1/devices/${id}/credentials`, { username: 'admin', password: 'Secret-123' }),
        ),
      );
      await allKnow();
      expect(await readAll(2)).toEqual({ 200: 2 * REFUSING });
    },
    3 * MINUTES,
  );

  it('are ended on the device when the last replica goes', async () => {
    await start({ devices: 3, profile: 'rutos' });
    await readAll(2);

    for (const [index, replica] of replicas.entries()) {
      expect((await summaries()).map(({ openSessions }) => openSessions)).toEqual([1, 1, 1]);
      if (index > 0) expect(await read(replica, 0)).toBe(200);
      await replica.close();
    }

    expect(await summaries()).toMatchObject(Array.from({ length: 3 }, () => ({ logins: 1, openSessions: 0 })));
  });
});

(REDIS_URL ? describe : describe.skip)('a session in Redis', () => {
  let redis: Redis;

  beforeAll(async () => {
    await start({ devices: 1, profile: 'rutos' });
    redis = new Redis(REDIS_URL!);
  });
  afterAll(async () => {
    redis.disconnect();
    await stop();
  });

  it('is sealed: no key of the gateway holds the token', async () => {
    const { app } = replicas[0]!;
    const target = await app.get(DevicesService).get(ids[0]!);
    const slot = app.get(SessionPool).acquire(target, true);
    const token = await app.get(SessionPool).token(slot, target);
    app.get(SessionPool).release(slot);
    const { REDIS_PREFIX } = app.get<GatewayConfig>(CONFIG);

    const dumps: Buffer[] = [];
    for (const key of await redis.keys(`{${REDIS_PREFIX}}:*`)) {
      dumps.push(Buffer.from(key), (await redis.dumpBuffer(key)) ?? Buffer.of());
    }

    const all = Buffer.concat(dumps);
    expect(all.includes(`session:${ids[0]!}`)).toBe(true);
    expect(all.includes(token)).toBe(false);
  });

  it('is shown by a replica that has not used it', async () => {
    expect((await replicas[1]!.app.get(SessionPool).describe(await targetAt(1)))[0]).toMatchObject({
      account: 'main',
      phase: 'valid',
      loginsToday: 1,
    });
  });

  const targetAt = (replica: number) => replicas[replica]!.app.get(DevicesService).get(ids[0]!);
});
