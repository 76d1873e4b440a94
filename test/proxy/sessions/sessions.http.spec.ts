import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FRESH_MS } from '../../../src/device-api/session.js';
import { DevicesService } from '../../../src/devices/registry/devices.service.js';
import { SessionPool } from '../../../src/proxy/sessions/session-pool.js';
import { ProxyGateway, startProxyWorld, type ProxyWorld } from '../proxy-world.js';
import { sizeOf } from '../../support/forms.js';
import { until } from '../../support/until.js';

/* One session per device, whatever happens to it; the ledger of the device is the witness. */

let gateway: ProxyGateway;
let proxy: ProxyWorld;

beforeAll(async () => {
  gateway = await ProxyGateway.start();
});
afterAll(() => gateway.close());

afterEach(async () => {
  await proxy.close();
});

const STATUS = '/api/system/device/status';

/** Calls at once to a device without a session. */
const CALLS = sizeOf({ short: 50, long: 200, nightly: 1_000 });

describe.each(['spec', 'rutos'] as const)('the session on a device of profile %s', (profile) => {
  it(`is one login for ${CALLS} parallel calls to a cold device`, async () => {
    proxy = await gateway.connect({ devices: 1, profile });

    const answers = await Promise.all(
      Array.from({ length: CALLS }, () =>
        proxy.calls.call(proxy.ids[0]!, { method: 'GET', path: STATUS }, { actor: proxy.actor }),
      ),
    );

    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 1, openSessions: 1 });
    expect(proxy.fleet.ledger.entries({ path: STATUS })).toHaveLength(CALLS);
  });

  it('is begun by the login, whose answer shows the profile: a small router pays for each request before a call', async () => {
    proxy = await gateway.connect({ devices: 1, profile });
    await proxy.ask(0, 'GET', STATUS);
    expect(proxy.fleet.ledger.entries({ device: 0 }).map(({ path }) => path)).toEqual(['/api/login', STATUS]);
    const { device } = await proxy.world.gateway.app.get(DevicesService).get(proxy.ids[0]!);
    expect(device.profile).toBe(profile);
  });

  it('is renewed by one login and one replay when its token ended, for all who notice', async () => {
    proxy = await gateway.connect({ devices: 1, profile });
    await proxy.ask(0, 'GET', STATUS);
    proxy.clock.pass(FRESH_MS);
    proxy.fleet.devices[0]!.expireTokens();

    const answers = await Promise.all(Array.from({ length: 30 }, () => proxy.ask(0, 'GET', STATUS)));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
    expect(proxy.fleet.ledger.summary(0).logins).toBe(2);
  });

  it('lets a write go out once more after a dead token, and once only has an effect', async () => {
    proxy = await gateway.connect({ devices: 1, profile });
    await proxy.ask(0, 'GET', STATUS);
    proxy.clock.pass(FRESH_MS);
    proxy.fleet.devices[0]!.expireTokens();

    const answer = await proxy.ask(0, 'POST', '/api/users/config', {
      body: JSON.stringify({ data: { username: 'eve', password: 'Abcdefg1!', group: 'user' } }),
      headers: { 'content-type': 'application/json' },
    });

    expect(answer.json).toMatchObject({ success: true });
    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 2, effects: { create: 1 } });
    await until(async () => (await proxy.audit(0))[0]?.outcome === 'succeeded');
    expect(await proxy.audit(0)).toHaveLength(1);
  });
});

it('does not keep a caller who leaves while the device thinks about the login', async () => {
  const hang = { kind: 'hang', path: '/api/login', count: 1 } as const;
  proxy = await gateway.connect({ devices: 1, profile: 'rutos', faults: [hang] });
  const caller = new AbortController();
  const request = { method: 'GET', path: STATUS } as const;
  const call = proxy.calls.call(proxy.ids[0]!, request, { actor: proxy.actor, signal: caller.signal });
  await until(() => proxy.fleet.ledger.entries({ path: '/api/login' }).length > 0);

  caller.abort();

  // Not the deadline of the login, `device_timeout`, and nothing was sent but the login.
  await expect(call).rejects.toMatchObject({ code: 'call_given_up' });
  expect(proxy.fleet.ledger.entries({ path: STATUS })).toEqual([]);
});

it('logs out everywhere at shutdown', async () => {
  proxy = await startProxyWorld({ devices: 3, profile: 'rutos' });
  await Promise.all([0, 1, 2].map((index) => proxy.ask(index, 'GET', STATUS)));

  await proxy.world.gateway.close();

  expect([0, 1, 2].map((index) => proxy.fleet.ledger.summary(index).openSessions)).toEqual([0, 0, 0]);
});

describe('a password that the device refuses', () => {
  it('is tried once and never again by itself, under constant calls, reads and writes alike', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    proxy.fleet.devices[0]!.setPassword('Changed-by-1-somebody');

    const answers = [];
    for (let round = 0; round < 10; round++) {
      answers.push(
        ...(await Promise.all([
          ...Array.from({ length: 10 }, () => proxy.ask(0, 'GET', STATUS)),
          proxy.ask(0, 'POST', '/api/system/actions/reboot'),
        ])),
      );
    }

    expect(new Set(answers.map(({ status, json }) => `${status} ${String(json['code'])}`))).toEqual(
      new Set(['502 device_credentials_refused']),
    );
    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 0, failedLogins: 1 });
    expect(proxy.fleet.ledger.entries({ path: STATUS })).toHaveLength(0);
    expect(await proxy.world.api.get(`/v1/devices/${proxy.ids[0]}`)).toMatchObject({
      state: 'credentials_refused',
      credentials: { failedLogins: 1 },
    });
  });

  it('is tried at most 3 times however often a person resets the state of the device', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'spec' });
    const device = proxy.fleet.devices[0]!;
    device.setPassword('Changed-by-1-somebody');
    const { app } = proxy.world.gateway;

    for (let round = 0; round < 6; round++) {
      await proxy.ask(0, 'GET', STATUS);
      await app.get(DevicesService).storeObservations(proxy.ids[0]!, { state: 'new' });
      await app.get(SessionPool).reset(proxy.ids[0]!);
    }

    expect(proxy.fleet.ledger.summary(0).failedLogins).toBe(3);
    expect((await proxy.ask(0, 'GET', STATUS)).json).toMatchObject({
      code: 'device_credentials_refused',
      failedLogins: 3,
    });
  });

  it('does not condemn the one that was stored while its login was under way', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    const device = proxy.fleet.devices[0]!;
    device.setPassword('Changed-by-1-somebody');
    device.faults.add({ kind: 'latency', path: '/api/login', ms: 600, count: 1 });
    const late = proxy.ask(0, 'GET', STATUS);
    await until(() => proxy.fleet.ledger.entries({ path: '/api/login' }).length === 1);

    const credentials = { username: 'admin', password: 'Changed-by-1-somebody' };
    await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[0]}/credentials`, credentials);
    await late;

    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    const seen = await proxy.world.api.get<{ credentials: { failedLogins: number } }>(`/v1/devices/${proxy.ids[0]}`);
    expect(seen.credentials.failedLogins).toBe(0);
  });

  it('gives way at once to the right one', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    proxy.fleet.devices[0]!.setPassword('Changed-by-1-somebody');
    await proxy.ask(0, 'GET', STATUS);

    await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[0]}/credentials`, {
      username: 'admin',
      password: 'Changed-by-1-somebody',
    });

    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    await until(
      async () => (await proxy.world.api.get<{ state: string }>(`/v1/devices/${proxy.ids[0]}`)).state === 'online',
    );
  });
});

describe('a login that is no session', () => {
  it.each([
    ['a device in its first login', { kind: 'first-login' as const, path: '/api/login' }, [125]],
    ['a device that crashes', { kind: 'error' as const, path: '/api/login', status: 500, code: 117 }, [117]],
    ['a device that answers HTML', { kind: 'html' as const, path: '/api/login' }, []],
  ])('of %s fails with what the device said, and is not hammered', async (_name, fault, deviceCodes) => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', faults: [fault] });

    const answer = await proxy.ask(0, 'GET', STATUS);
    for (let again = 0; again < 20; again++) await proxy.ask(0, 'GET', STATUS);

    expect(answer.json).toMatchObject({ status: 502, code: 'device_login_failed', deviceCodes });
    // After pauses of 1, 2, 4 s and so on: seven take a minute.
    expect(proxy.fleet.ledger.entries({ path: '/api/login' }).length).toBeLessThanOrEqual(7);
  });
});

describe('a device that calls the token dead on one path only', () => {
  it('is not logged in to for each such call, and its other paths go on', async () => {
    const path = '/api/users/config';
    proxy = await gateway.connect({
      devices: 1,
      profile: 'rutos',
      faults: [{ kind: 'error', path, status: 401, code: 123 }],
    });

    const seen = [];
    for (let round = 0; round < 20; round++) {
      seen.push((await proxy.ask(0, 'GET', path)).status, (await proxy.ask(0, 'GET', STATUS)).status);
    }

    expect(seen).toEqual(Array.from({ length: 20 }, () => [401, 200]).flat());
    // Two, and on a slow machine one more each ten seconds.
    expect(proxy.fleet.ledger.summary(0).logins).toBeLessThanOrEqual(10);
  });
});
