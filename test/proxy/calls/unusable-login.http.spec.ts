import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StatusSweeper } from '../../../src/monitoring/status.sweeper.js';
import { type FleetOptions } from '../../../src/simulator/fleet.js';
import { ProxyGateway, type ProxyWorld } from '../proxy-world.js';
import { until } from '../../support/until.js';

/* A device that answers and cannot be used until a person acts on it is not shown as online. */

let gateway: ProxyGateway;
let proxy: ProxyWorld;

beforeAll(async () => {
  gateway = await ProxyGateway.start();
});
afterAll(() => gateway.close());
afterEach(() => proxy.close());

const STATUS = '/api/system/device/status';
const LOGIN = '/api/login';
const FIRST = 'the device asks for a first password (code 125)';
const EXPIRED = 'the password of the account has expired (code 124)';

type View = { state: string; stateReason: string | null };
const view = () => proxy.world.api.get<View>(`/v1/devices/${proxy.ids[0]}`);
/** A device that was never called is `new`. */
async function judged(): Promise<View> {
  await until(async () => (await view()).state !== 'new');
  return view();
}
const error = (path: string, status: number, code: number) => ({ kind: 'error' as const, path, status, code });

type Case = readonly [what: string, options: Partial<FleetOptions>, state: string, reason: string | null];

/** What a device asks for, and where: at its login, or of every call after it. */
const DEMANDS: readonly Case[] = [
  ['is as from the factory', { mustChangePassword: true }, 'credentials_refused', FIRST],
  ['asks for a first password at the login', { faults: [{ kind: 'first-login' }] }, 'credentials_refused', FIRST],
  ['asks for one after it', { faults: [{ kind: 'first-login', path: STATUS }] }, 'credentials_refused', FIRST],
  ['has an expired password', { faults: [{ kind: 'password-expired' }] }, 'credentials_refused', EXPIRED],
  ['says so after the login', { faults: [{ kind: 'password-expired', path: STATUS }] }, 'credentials_refused', EXPIRED],
  [
    'says so with another status',
    { faults: [error(STATUS, 422, 125)] },
    'online', // only a 403 is this demand: an option of a call may have such a code of its own
    null,
  ],
  [
    'has locked the account',
    { faults: [error(LOGIN, 403, 126)] },
    'credentials_refused',
    'the device refused the login (code 126)',
  ],
  [
    'has locked it with 423',
    { faults: [error(LOGIN, 423, 117)] },
    'credentials_refused',
    'the account is locked on the device (code 117)',
  ],
  [
    'refuses the password with 403',
    { faults: [error(LOGIN, 403, 120)] },
    'credentials_refused',
    'the device refused the login (code 120)',
  ],
  ['refuses one path to the account', { faults: [error(STATUS, 403, 120)] }, 'online', null],
];

describe('a device that', () => {
  it.each(DEMANDS)('%s', async (_what, options, state, reason) => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', ...options });
    await proxy.ask(0, 'GET', STATUS);
    expect(await judged()).toMatchObject({ state, stateReason: reason });
  });

  it.each([
    ['crashes at the login', error(LOGIN, 500, 117)],
    ['shows a page at the login', { kind: 'html' as const, path: LOGIN }],
  ])('%s may be well in a moment: its state stays', async (_what, fault) => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', faults: [fault] });
    await proxy.ask(0, 'GET', STATUS);
    expect((await view()).state).toBe('new');
  });
});

describe('a call to it', () => {
  const RECEIVED = `fleetgate; received-status=403; details="${FIRST}"`;

  it('has the meaning in a header where the answer is the device’s own', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', mustChangePassword: true });
    const both = [proxy.ask(0, 'GET', STATUS), proxy.ask(0, 'GET', STATUS)]; // one call to the device
    for (const { status, headers } of await Promise.all(both))
      expect([status, headers['proxy-status']]).toEqual([403, RECEIVED]);
    const { url, keys } = proxy.world;
    const facade = await fetch(`${url}/d/${proxy.ids[0]}${STATUS}`, {
      headers: { authorization: `Bearer ${keys.operator}` },
    });
    expect([facade.status, facade.headers.get('proxy-status')]).toEqual([403, RECEIVED]);
    expect(await facade.json()).toMatchObject({ errors: [{ code: 125 }] });
  });

  it('has it as a fact where there is no session', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', faults: [{ kind: 'first-login' }] });
    for (let again = 0; again < 2; again++)
      expect((await proxy.ask(0, 'GET', STATUS)).json).toMatchObject({ code: 'device_login_failed', demand: FIRST });
  });
});

describe('a device from the factory', () => {
  it('stays as it is while it is polled, and is online when its new password is stored', async () => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', mustChangePassword: true });
    const device = proxy.fleet.devices[0]!;
    await proxy.ask(0, 'GET', STATUS);
    expect(await judged()).toMatchObject({ state: 'credentials_refused', stateReason: FIRST });

    const db = proxy.world.gateway.app.get(DataSource);
    await db.query(`update device set probe_at = '-infinity', identify_at = '-infinity'`);
    await proxy.world.gateway.app.get(StatusSweeper).sweep();
    for (let again = 0; again < 3; again++) await proxy.ask(0, 'GET', STATUS);
    expect(await view()).toMatchObject({ state: 'credentials_refused', stateReason: FIRST });

    const history = await db.query<unknown[]>(`select 1 from device_change where device_id = $1 and field = 'state'`, [
      proxy.ids[0],
    ]);
    expect(history).toHaveLength(1);

    delete device.accounts.find(device.username)!.mustChangePassword;
    device.setPassword('Set-on-the-device-1');
    const credentials = { username: device.username, password: 'Set-on-the-device-1' };
    await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[0]}/credentials`, credentials);
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    await until(async () => (await view()).state === 'online');
  });
});
