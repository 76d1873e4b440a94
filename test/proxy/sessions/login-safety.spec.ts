import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { FRESH_MS, MAX_FAILED_LOGINS } from '../../../src/device-api/session.js';
import { type RegisteredAccount } from '../../../src/devices/registry/device.queries.js';
import { DevicesService } from '../../../src/devices/registry/devices.service.js';
import { LoginCounts } from '../../../src/devices/registry/login-counts.js';
import { startGateway, type Gateway } from '../../../src/gateway.js';
import { CONFIG, type GatewayConfig } from '../../../src/platform/config.js';
import { type AppError } from '../../../src/platform/errors.js';
import { PgNotifications } from '../../../src/database/pg-notifications.js';
import { DeviceCalls } from '../../../src/proxy/calls/device-calls.js';
import { PriorityLimit } from '../../../src/proxy/admission/priority-limit.js';
import { selfSigned } from '../../../src/simulator/device/certificates.js';
import { ProxyGateway, register, startProxyWorld, type ProxyWorld } from '../proxy-world.js';
import { sizeOf } from '../../support/forms.js';
import { until } from '../../support/until.js';

/* What keeps the gateway from being locked out: no password is sent a fourth time, whoever sends it and however it is refused. */

const STATUS = '/api/system/device/status';

let gateway: ProxyGateway;
let proxy: ProxyWorld;
const replicas: Gateway[] = [];

beforeAll(async () => {
  gateway = await ProxyGateway.start();
});
afterAll(() => gateway.close());
afterEach(async () => {
  vi.restoreAllMocks();
  for (const replica of replicas.splice(0)) await replica.close();
  await proxy?.close();
});

/** One read; the status, or the code of the error. */
async function read(gateway: Gateway, deadlineMs = 15_000): Promise<number | string> {
  const request = { method: 'GET', path: STATUS, deadlineMs } as const;
  return gateway.app
    .get(DeviceCalls)
    .call(proxy.ids[0]!, request, { actor: proxy.actor })
    .then(({ status }) => status)
    .catch(({ code, facts: { phase } }: AppError) => (typeof phase === 'string' ? `${code} (${phase})` : code));
}

async function account(): Promise<RegisteredAccount> {
  return (await proxy.world.gateway.app.get(DevicesService).get(proxy.ids[0]!)).account!;
}

/** What the first meeting taught is written down, and all notices of it have arrived. */
async function settled(): Promise<void> {
  const { app } = proxy.world.gateway;
  await until(async () => (await app.get(DevicesService).get(proxy.ids[0]!)).device.state === 'online');
  const notices = app.get(PgNotifications);
  const heard = new Promise<void>((resolve) => notices.on('settled', () => resolve()));
  await notices.notify(app.get(DataSource).manager, 'settled', 'now');
  await heard;
}

describe('logins that may be refused', () => {
  it('are at most three in all, of replicas that know nothing of each other', async () => {
    proxy = await startProxyWorld({ devices: 1, profile: 'rutos' }, { REDIS_URL: '' });
    proxy.fleet.devices[0]!.setPassword('Changed-by-1-somebody');
    proxy.fleet.devices[0]!.faults.add({ kind: 'latency', path: '/api/login', ms: 200 });
    const config = proxy.world.gateway.app.get<GatewayConfig>(CONFIG);
    replicas.push(
      ...(await Promise.all(
        Array.from({ length: sizeOf({ short: 2, long: 2, nightly: 4 }) }, () =>
          startGateway({ config, clock: proxy.clock, logSink: { write: () => undefined } }),
        ),
      )),
    );
    const all = [proxy.world.gateway, ...replicas];

    const answers = new Set<number | string>();
    for (let round = 0; round < 3; round++) {
      for (const answer of await Promise.all(all.map((gateway) => read(gateway)))) answers.add(answer);
      proxy.clock.pass(2_000); // what failed without being refused may be tried again
    }

    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 0, failedLogins: MAX_FAILED_LOGINS });
    expect([...answers].filter((answer) => typeof answer === 'number')).toEqual([]);
    await until(async () => (await read(all.at(-1)!)) === 'device_credentials_refused');
    expect(proxy.fleet.ledger.summary(0).failedLogins).toBe(MAX_FAILED_LOGINS);
  });

  it('are counted before they are sent; the count goes back when they came to neither, and lapses when nobody says', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    const counts = proxy.world.gateway.app.get(LoginCounts);
    const known = await account();
    const reserve = () => counts.reserve(proxy.ids[0]!, known);

    const first = await Promise.all(Array.from({ length: 10 }, reserve));
    expect(first.filter(Boolean)).toHaveLength(MAX_FAILED_LOGINS);
    await counts.release(known);
    expect([await reserve(), await reserve()]).toEqual([true, false]);
    expect(await counts.refused(known, true)).toBe(1);
    expect(await reserve()).toBe(false);
    proxy.clock.pass(60_001);
    expect([await reserve(), await reserve(), await reserve()]).toEqual([true, true, false]);
    await counts.granted(known);
    expect(await account()).toMatchObject({ failedLogins: 0, proven: true });
  });

  it('cost the database nothing once the device took the password', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    expect(await read(proxy.world.gateway)).toBe(200);
    await settled();
    expect((await account()).proven).toBe(true);
    proxy.clock.pass(FRESH_MS);
    proxy.fleet.devices[0]!.expireTokens();
    const statements = vi.spyOn(proxy.world.gateway.app.get(DataSource), 'query');

    expect(await read(proxy.world.gateway)).toBe(200);

    expect(proxy.fleet.ledger.summary(0).logins).toBe(2);
    // The device may be read again, since what its first login taught may drop it from the cache late.
    const counted = statements.mock.calls.filter(([sql]) => /(update|insert into)\s+device_account/.test(sql));
    expect(counted).toEqual([]);
  });
});

describe('a refusal', () => {
  it.each([
    ['403 and code 120', { status: 403, code: 120 }],
    ['422 and code 121', { status: 422, code: 121 }],
  ])('is one when the device says it with %s, and is not tried again', async (_name, refusal) => {
    const faults = [{ kind: 'error' as const, path: '/api/login', ...refusal }];
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', faults });

    for (let call = 0; call < 5; call++) {
      expect(await read(proxy.world.gateway)).toBe('device_credentials_refused');
      proxy.clock.pass(10_000);
    }

    expect(proxy.fleet.ledger.entries({ path: '/api/login' })).toHaveLength(1);
  });
});

describe('a refusal with status 200', () => {
  let device: Server;
  afterEach(() => new Promise((resolve) => device.close(resolve)));

  it('is one too', async () => {
    const identity = selfSigned({
      commonName: 'device',
      notBefore: new Date(Date.now() - 3_600_000),
      notAfter: new Date(Date.now() + 3_600_000),
      alternativeNames: ['127.0.0.1'],
    });
    const logins: string[] = [];
    device = createServer({ key: identity.keyPem, cert: identity.certificatePem }, (request, response) => {
      if (request.url === '/api/login') logins.push(request.url);
      response.setHeader('content-type', 'application/json').setHeader('connection', 'close');
      response.end(
        '{"success":false,"errors":[{"code":121,"error":"Login failed","source":"login","section":"login"}]}',
      );
    });
    await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
    proxy = await gateway.connect({ devices: 1 });
    const id = await register(proxy.world, 'odd', `https://127.0.0.1:${(device.address() as AddressInfo).port}`);

    for (let call = 0; call < 3; call++) {
      await expect(proxy.calls.call(id, { method: 'GET', path: STATUS }, { actor: proxy.actor })).rejects.toMatchObject(
        { code: 'device_credentials_refused' },
      );
      proxy.clock.pass(10_000);
    }

    expect(logins).toHaveLength(1);
  });
});

describe('the time of a call', () => {
  it('includes its login, which goes on for those who wait longer', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    proxy.fleet.devices[0]!.faults.add({ kind: 'latency', path: '/api/login', ms: 5_000, count: 1 });

    const patient = read(proxy.world.gateway);
    const hasty = await read(proxy.world.gateway, 500);

    expect(hasty).toBe('device_timeout (login)');
    expect(await patient).toBe(200);
    expect(proxy.fleet.ledger.summary(0).logins).toBe(1);
  });
});

describe('logins at once', () => {
  it('are those of people first, who have places that background work never takes', async () => {
    const limit = new PriorityLimit(8);
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const login = (name: string, inBackground: boolean) =>
      limit.run(async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
      }, inBackground);

    const all = Array.from({ length: 9 }, (_, index) => login(`fan-out ${index}`, true));
    expect(started).toHaveLength(7);
    all.push(login('Ada', false), login('Grace', false));
    expect(started.slice(7)).toEqual(['Ada']);
    ends[0]!();
    await until(() => started.length === 9);
    expect(started[8]).toBe('Grace');
    while (started.length < 11 || ends.length > 0) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
    await Promise.all(all);
    expect(started.slice(9)).toEqual(['fan-out 7', 'fan-out 8']);
  });
});
