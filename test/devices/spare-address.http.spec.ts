import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATHS } from '../../src/device-api/contract.js';
import { AddressRules } from '../../src/devices/registry/address-rules.js';
import { StatusSweeper } from '../../src/monitoring/status.sweeper.js';
import { ReachabilityWatch } from '../../src/proxy/connections/reachability-watch.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { sweepAllDue } from '../support/monitoring/status-sweep.js';
import { addPerson } from '../support/people.js';
import { DatabaseLink } from '../support/servers/database-link.js';
import { until } from '../support/until.js';

/* A device with two addresses: the base URL is a link that a test cuts, the spare one leads straight to it. */

interface DeviceView {
  id: string;
  state: string;
  stateReason: string | null;
  baseUrl: string;
  spareUrl: string | null;
  bySpare: boolean;
}

let world: TestGateway;
let fleet: Fleet;
let link: DatabaseLink;
let sweeper: StatusSweeper;
const clock = new FakeClock(Date.now());
const NAME = 'name:router';

const read = () => world.api.get<DeviceView>(`/v1/devices/${NAME}`);
const change = (body: object) => world.api.send('PATCH', `/v1/devices/${NAME}`, body);

/** A read of the device; the pauses before its retries pass at once. @returns its status or the code of the error */
async function call(): Promise<number | string> {
  const read = world.api.send('GET', `/v1/devices/${NAME}${PATHS.systemStatus}`).then(
    ({ status }) => status,
    ({ code }: { code: string }) => code,
  );
  let ended = false;
  void read.finally(() => (ended = true));
  await until(() => {
    clock.pass(100);
    return ended;
  });
  return read;
}
const spare = () => fleet.devices[0]!.baseUrl;

/** The interval is 300 s, and a twentieth more or less. */
async function sweep(): Promise<void> {
  clock.pass(320_000);
  await sweepAllDue(world, clock);
}

function cut(isCut: boolean): void {
  link.refuses = isCut;
  if (isCut) link.reset();
}

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 3, profile: 'rutos', seed: 7, timeScale: 1 });
  link = await DatabaseLink.open(fleet.devices[0]!.baseUrl);
  world = await startTestGateway({ ROLE: 'api' }, clock);
  sweeper = world.gateway.app.get(StatusSweeper);
  Object.assign(sweeper, { config: { STATUS_EVERY_SECONDS: 300 } });
  Object.assign(world.gateway.app.get(ReachabilityWatch), { wasLateSince: () => false });
  const { username, password } = fleet.devices[0]!;
  const baseUrl = new URL(link.through()).origin;
  await world.api.post('/v1/devices', { name: 'router', baseUrl, credentials: { username, password } });
  await sweep();
});
afterAll(async () => {
  await world.close();
  await link.close();
  await fleet.close();
});

describe('a spare address', () => {
  it('is refused where another device is, and where nothing would prove the device', async () => {
    const { baseUrl } = await read();
    await world.api.post('/v1/devices', { name: 'other', baseUrl: fleet.devices[1]!.baseUrl });
    const refused = (answer: Promise<unknown>, code: string, problem: object = {}) =>
      expect(answer).rejects.toMatchObject({ code, problem });
    await refused(change({ spareUrl: fleet.devices[1]!.baseUrl }), 'device_exists', { field: 'spareUrl' });
    await refused(change({ spareUrl: baseUrl }), 'base_url_refused', { field: 'spareUrl' });
    await refused(change({ spareUrl: 'https://169.254.169.254' }), 'base_url_refused');
    expect(await change({ spareUrl: spare() })).toMatchObject({ body: { spareUrl: spare(), bySpare: false } });
    const rules = world.gateway.app.get(AddressRules);
    const narrower = { ...rules.policy(), allowLoopback: false };
    const policy = vi.spyOn(rules, 'policy').mockReturnValue(narrower);
    await change({ note: 'an edit of something else' });
    policy.mockRestore();
    const third = world.api.post('/v1/devices', { name: 'third', baseUrl: spare() });
    await refused(third, 'device_exists', { field: 'baseUrl' });
    const insecure = { mode: 'insecure', expiresAt: new Date(clock.nowMs() + 86_400_000).toISOString() };
    const trust = world.api.send('PUT', `/v1/devices/${NAME}/trust`, insecure);
    await refused(trust, 'base_url_refused', { field: 'spareUrl' });
  });

  it('needs the right to decide where the password goes', async () => {
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      { effect: 'deny', permissions: ['device.trust'] },
    ];
    await world.api.send('PUT', '/v1/roles/without-trust', { rules });
    const { api } = await addPerson(world, 'Mia', [{ role: 'without-trust' }]);
    const edit = (body: object) => api.send('PATCH', `/v1/devices/${NAME}`, body);
    await expect(edit({ spareUrl: 'https://192.0.2.9' })).rejects.toMatchObject({
      code: 'forbidden',
      problem: { permission: 'device.trust' },
    });
    expect(await edit({ spareUrl: spare(), note: 'as it is' })).toMatchObject({ status: 200 });
  });

  it('is used from when the device would be offline until it answers at its base URL', async () => {
    expect(await read()).toMatchObject({ state: 'online', bySpare: false });
    cut(true);
    await sweep();
    expect(await read()).toMatchObject({ state: 'online', bySpare: false });
    await sweep();
    expect(await read()).toMatchObject({ state: 'online', stateReason: null, bySpare: true });
    const { seq } = fleet.ledger.entries().at(-1)!;
    expect(await call()).toBe(200);
    expect(fleet.ledger.entries({ device: 0, since: seq }).map(({ path }) => path)).toContain(PATHS.systemStatus);
    await sweep();
    expect(await read()).toMatchObject({ state: 'online', bySpare: true });
    cut(false);
    await sweep();
    expect(await read()).toMatchObject({ state: 'online', bySpare: false });
    expect(await call()).toBe(200);
    const { items } = await world.api.get<{ items: { field: string; after: string }[] }>(`/v1/devices/${NAME}/history`);
    const addresses = items.filter(({ field }) => field === 'address').map(({ after }) => after);
    expect(addresses).toEqual([new URL(link.through()).origin, spare()]);
  });

  it('compares the serial number there by a login before a call', async () => {
    const { serial } = fleet.devices[0]!;
    cut(true);
    await sweep();
    fleet.devices[0]!.replaceSerial('9999999999');
    await sweep();
    expect(await read()).toMatchObject({ state: 'offline', stateReason: expect.stringContaining('9999999999') });
    expect(await call()).toBe('identity_mismatch');
    fleet.devices[0]!.replaceSerial(serial);
    cut(false);
    await sweep();
    expect(await read()).toMatchObject({ state: 'online', bySpare: false });
  });

  it('gets no password where another key answers', async () => {
    await change({ spareUrl: fleet.devices[2]!.baseUrl });
    cut(true);
    await sweep();
    await sweep();
    const { state, stateReason, bySpare } = await read();
    expect({ state, bySpare }).toEqual({ state: 'offline', bySpare: false });
    expect(stateReason).toContain('at its spare address: pin');
    expect(fleet.ledger.summary(2).requests).toBe(0);
    cut(false);
    await sweep();
    expect(await read()).toMatchObject({ state: 'online', bySpare: false });
  });

  it('is looked at soon after calls have found the device away', async () => {
    await change({ spareUrl: spare() });
    cut(true);
    await until(async () => {
      await call();
      return (await read()).state === 'offline';
    });
    // A pass leaves out a row that another statement holds, and the answer of the login is stored after the pass.
    const found = await until(async () => {
      await sweeper.sweep();
      const now = await read();
      return now.state === 'online' && now;
    });
    expect(found).toMatchObject({ bySpare: true });
    cut(false);
  });
});
