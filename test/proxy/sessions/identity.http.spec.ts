import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatusSweeper } from '../../../src/monitoring/status.sweeper.js';
import { sweepAllDue } from '../../support/monitoring/status-sweep.js';
import { until } from '../../support/until.js';
import { startProxyWorld, type ProxyWorld } from '../proxy-world.js';

/* Another router at the same address: its key was accepted, its serial number is not the one in the registry. */

const STATUS = '/api/system/device/status';
const NOTE = '/api/notes/config';

/** What a login and the question for the serial number need. */
const IDENTIFICATION = [STATUS, '/api/login', '/api/logout', '/api/unauthorized/status'];

let proxy: ProxyWorld;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 3, profile: 'rutos' });
});
afterAll(async () => {
  await proxy.close();
});

type Device = { state: string; stateReason: string | null; serial: string | null };
const read = (index: number) => proxy.world.api.get<Device>(`/v1/devices/${proxy.ids[index]}`);
const write = (index: number, serial: string) =>
  proxy.world.api.send('PATCH', `/v1/devices/${proxy.ids[index]}`, { serial });
const lastSeq = () => proxy.fleet.ledger.entries().at(-1)?.seq ?? 0;
const pathsSince = (index: number, since: number) =>
  proxy.fleet.ledger.entries({ device: index, since }).map(({ path }) => path);

/** Another router takes the address, and a person accepts its key. @returns its serial number */
async function replace(index: number): Promise<string> {
  const device = proxy.fleet.devices[index]!;
  device.replaceSerial();
  device.expireTokens();
  device.replaceCertificate();
  const { json } = await proxy.ask(index, 'GET', STATUS);
  expect(json).toMatchObject({ code: 'device_trust_changed' });
  const trust = { mode: 'pin', pin: json['offered'] };
  await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[index]}/trust`, trust);
  return device.serial;
}

async function fanOut(index: number): Promise<Record<string, unknown>> {
  const answer = await fetch(`${proxy.world.url}/v1/fan-out`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxy.world.keys.operator}`, 'content-type': 'application/json' },
    body: JSON.stringify({ selector: `id:${proxy.ids[index]}`, request: { method: 'GET', path: STATUS } }),
  });
  const lines = (await answer.text()).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ type }) => type === 'result')!;
}

async function facade(index: number): Promise<unknown> {
  const answer = await fetch(`${proxy.world.url}/d/${proxy.ids[index]}${STATUS}`, {
    headers: { authorization: `Bearer ${proxy.world.keys.operator}` },
  });
  return answer.headers.get('proxy-status');
}

describe('another router at the address of a device', () => {
  it('gets no call, whatever way it comes, and a person who gives its serial number heals it', async () => {
    const { serial } = proxy.fleet.devices[0]!;
    await write(0, serial);
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    const other = await replace(0);
    const since = lastSeq();

    const get = await proxy.ask(0, 'GET', '/api/interfaces/config');
    expect(get.json).toMatchObject({ status: 502, code: 'identity_mismatch', expectedSerial: serial, serial: other });
    const put = await proxy.ask(0, 'POST', NOTE, {
      body: '{"data":{"id":"x"}}',
      headers: { 'content-type': 'application/json' },
    });
    expect(put.json).toMatchObject({ code: 'identity_mismatch' });
    expect(await fanOut(0)).toMatchObject({ outcome: 'skipped', reason: 'identity_mismatch' });
    expect(await facade(0)).toContain('identity_mismatch');

    expect(pathsSince(0, since).filter((path) => !IDENTIFICATION.includes(path))).toEqual([]);
    const reason = `another device answers at this address: serial number ${other} in place of ${serial}`;
    expect(await read(0)).toMatchObject({ state: 'offline', stateReason: reason, serial });
    expect(await proxy.audit(0)).toMatchObject([{ outcome: 'failed' }]);

    await write(0, other);
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    await until(async () => (await read(0)).state === 'online');
  });

  it('costs one login and one question, however many calls are made', async () => {
    await write(1, proxy.fleet.devices[1]!.serial);
    expect((await proxy.ask(1, 'GET', STATUS)).status).toBe(200);
    await replace(1);
    const since = lastSeq();
    for (let calls = 0; calls < 5; calls++) {
      expect((await proxy.ask(1, 'GET', '/api/interfaces/config')).json).toMatchObject({ code: 'identity_mismatch' });
    }
    expect(pathsSince(1, since).sort()).toEqual([STATUS, '/api/login', '/api/logout'].sort());
  });

  it('is asked once, and not again at each login once its serial number was confirmed with its key', async () => {
    const device = proxy.fleet.devices[2]!;
    await write(2, device.serial);
    const first = lastSeq();
    await proxy.ask(2, 'GET', '/api/interfaces/config');
    expect(pathsSince(2, first).filter((path) => path === STATUS)).toHaveLength(1);
    const since = lastSeq();
    for (let logins = 0; logins < 3; logins++) {
      device.expireTokens();
      proxy.clock.pass(20_000);
      expect((await proxy.ask(2, 'GET', '/api/interfaces/config')).status).toBe(200);
    }
    const paths = pathsSince(2, since);
    expect(paths.filter((path) => path === '/api/login')).toHaveLength(3);
    expect(paths).not.toContain(STATUS);
  });

  it('ends the session under way when the registry gets another serial number', async () => {
    await write(2, 'WRONG-1');
    expect((await proxy.ask(2, 'GET', '/api/interfaces/config')).json).toMatchObject({
      code: 'identity_mismatch',
      expectedSerial: 'WRONG-1',
    });
    await write(2, proxy.fleet.devices[2]!.serial);
    expect((await proxy.ask(2, 'GET', '/api/interfaces/config')).status).toBe(200);
  });

  it('is found by the status sweep, which writes no other serial number over the known one', async () => {
    const device = proxy.fleet.devices[2]!;
    const { serial } = device;
    Object.assign(proxy.world.gateway.app.get(StatusSweeper), { config: { STATUS_EVERY_SECONDS: 300 } });
    // What the calls before have taught is stored behind them.
    await until(async () => (await read(2)).state === 'online');
    // The same key, as of a clone: the session goes on, so nothing but the sweep asks.
    device.replaceSerial();
    proxy.clock.pass(2 * 86_400_000);
    await sweepAllDue(proxy.world, proxy.clock);
    expect(await read(2)).toMatchObject({ state: 'offline', serial });
    proxy.clock.pass(400_000);
    await sweepAllDue(proxy.world, proxy.clock);
    expect(await read(2)).toMatchObject({ state: 'offline', serial });
    device.replaceSerial(serial);
    expect((await proxy.ask(2, 'GET', STATUS)).status).toBe(200);
    await until(async () => (await read(2)).state === 'online');
  });
});
