import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppError } from '../../../src/platform/errors.js';
import { ProxyGateway, type ProxyWorld } from '../proxy-world.js';
import { casesOf } from '../../support/forms.js';
import { until } from '../../support/until.js';

/* Several sessions on one device, and an account of its own for reads. */

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
const device = () => `/v1/devices/${proxy.ids[0]}`;

/** What came of reads at the same time. Not through the API, where equal ones share one call. */
async function readAtOnce(calls: number): Promise<Set<number | string>> {
  const read = () => proxy.calls.call(proxy.ids[0]!, { method: 'GET', path: STATUS }, { actor: proxy.actor });
  const outcome = () =>
    read()
      .then(({ status }) => status)
      .catch((error: AppError) => error.code);
  return new Set(await Promise.all(Array.from({ length: calls }, outcome)));
}

/** The sessions that requests to a path came through, as the ledger calls them. */
const sessionsOf = (path: string) =>
  new Set(proxy.fleet.ledger.entries({ device: 0, path }).map(({ session }) => session));

interface ConnectionView {
  readonly sessions: { account: string; phase: string; loginsToday: number; failedLogins: number }[];
}
const view = () => proxy.world.api.get<ConnectionView>(`${device()}/session`);

async function addReader(password: string): Promise<void> {
  const body = JSON.stringify({ data: { username: 'reader', password, group: 'admin' } });
  const headers = { 'content-type': 'application/json' };
  expect((await proxy.ask(0, 'POST', '/api/users/config', { body, headers })).status).toBeLessThan(300);
}

describe('a device that is set to several sessions', () => {
  it.each(casesOf([1, 2, 4], 2))(
    'gets %s at most, and a further one only while the others are in use',
    async (sessions) => {
      proxy = await gateway.connect({ devices: 1, profile: 'rutos', latencyMs: [20, 20] });
      expect((await proxy.world.api.send('PATCH', device(), { sessions })).body).toMatchObject({ sessions });

      for (let call = 0; call < 5; call++) await proxy.ask(0, 'GET', STATUS);
      expect(proxy.fleet.ledger.summary(0).logins).toBe(1);
      for (let round = 0; round < 5; round++) expect(await readAtOnce(20)).toEqual(new Set([200]));

      // Three calls at once read from one device, so a fourth session is never wanted by reads alone.
      const expected = Math.min(sessions, 3);
      expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: expected, openSessions: expected });
      expect((await view()).sessions).toMatchObject(
        Array.from({ length: expected }, () => ({ account: 'main', phase: 'valid', loginsToday: expected })),
      );
    },
  );

  it('has no more than one again when it is set back, and the others are ended on the device', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', latencyMs: [20, 20] });
    await proxy.world.api.send('PATCH', device(), { sessions: 3 });
    await readAtOnce(20);
    expect(proxy.fleet.ledger.summary(0).openSessions).toBe(3);

    await proxy.world.api.send('PATCH', device(), { sessions: 1 });

    await until(() => proxy.fleet.ledger.summary(0).openSessions === 1);
    expect(await readAtOnce(20)).toEqual(new Set([200]));
    expect(proxy.fleet.ledger.summary(0).logins).toBe(3);
  });

  it.each([0, 5, 1.5])('cannot be set to %s', async (sessions) => {
    proxy = await gateway.connect({ devices: 1 });
    await expect(proxy.world.api.send('PATCH', device(), { sessions })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('is tried with a wrong password by one of its sessions, not by all', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', latencyMs: [20, 20] });
    await proxy.world.api.send('PATCH', device(), { sessions: 4 });
    proxy.fleet.devices[0]!.setPassword('Changed-by-1-somebody');

    for (let round = 0; round < 5; round++)
      expect(await readAtOnce(20)).toEqual(new Set(['device_credentials_refused']));

    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 0, failedLogins: 1 });
  });
});

describe('a device with an account for reads', () => {
  const READER = { username: 'reader', password: 'Reader-12345' };

  it('is read through that and written through the other, one login each', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    await addReader(READER.password);
    const { body: registered } = await proxy.world.api.send('PUT', `${device()}/credentials/read`, READER);

    for (let call = 0; call < 3; call++) {
      expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
      await proxy.ask(0, 'POST', '/api/system/actions/none');
    }

    expect(registered).toMatchObject({
      credentials: { username: 'admin' },
      readCredentials: { username: 'reader', failedLogins: 0 },
    });
    expect(JSON.stringify(registered)).not.toContain(READER.password);
    expect(proxy.fleet.ledger.summary(0).logins).toBe(2);
    expect([...sessionsOf(STATUS)]).toHaveLength(1);
    expect(sessionsOf('/api/system/actions/none')).toEqual(sessionsOf('/api/users/config'));
    expect(sessionsOf(STATUS)).not.toEqual(sessionsOf('/api/users/config'));
    expect((await view()).sessions).toMatchObject([
      { account: 'main', phase: 'valid', loginsToday: 1 },
      { account: 'read', phase: 'valid', loginsToday: 1 },
    ]);
  });

  it('is read through the other one again when that is forgotten, and its session ends', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    await addReader(READER.password);
    await proxy.world.api.send('PUT', `${device()}/credentials/read`, READER);
    await proxy.ask(0, 'GET', STATUS);
    expect(proxy.fleet.ledger.summary(0).openSessions).toBe(2);

    await proxy.world.api.send('DELETE', `${device()}/credentials/read`);

    await until(() => proxy.fleet.ledger.summary(0).openSessions === 1);
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    expect(proxy.fleet.ledger.summary(0).logins).toBe(2);
    expect(await proxy.world.api.get(device())).toMatchObject({ readCredentials: null });
  });

  it('that is refused is tried once, while writes go on through the other', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos' });
    await addReader(READER.password);
    await proxy.world.api.send('PUT', `${device()}/credentials/read`, { ...READER, password: 'Not-the-1-password' });

    for (let call = 0; call < 5; call++) {
      expect((await proxy.ask(0, 'GET', STATUS)).json).toMatchObject({ code: 'device_credentials_refused' });
      expect((await proxy.ask(0, 'POST', '/api/system/actions/none')).json['code']).not.toBe(
        'device_credentials_refused',
      );
    }

    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 1, failedLogins: 1 });
    expect(await proxy.world.api.get(device())).toMatchObject({
      state: 'credentials_refused',
      credentials: { failedLogins: 0 },
      readCredentials: { failedLogins: 1 },
    });
    await proxy.world.api.send('PUT', `${device()}/credentials/read`, READER);
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
  });

  it('that moves to another address takes neither along', async () => {
    proxy = await gateway.connect({ devices: 2, profile: 'rutos' });
    await addReader(READER.password);
    await proxy.world.api.send('PUT', `${device()}/credentials/read`, READER);
    await proxy.ask(0, 'GET', STATUS);
    await proxy.world.api.send('DELETE', `/v1/devices/${proxy.ids[1]}`);

    const line = JSON.stringify({
      name: proxy.fleet.devices[0]!.name,
      baseUrl: proxy.fleet.devices[1]!.baseUrl,
      credentials: { username: 'admin', password: 'Secret-123' },
    });
    const answer = await fetch(`${proxy.world.url}/v1/devices/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxy.world.keys.administrator}`, 'content-type': 'application/x-ndjson' },
      body: `${line}\n`,
    });

    expect(await answer.json()).toMatchObject({ updated: 1, failed: 0 });
    expect(await proxy.world.api.get(device())).toMatchObject({ readCredentials: null });
  });
});
