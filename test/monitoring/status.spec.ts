import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATHS } from '../../src/device-api/contract.js';
import { StatusSweeper } from '../../src/monitoring/status.sweeper.js';
import { ReachabilityWatch } from '../../src/proxy/connections/reachability-watch.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { homeNetworkOf } from '../../src/simulator/services/mobile/cells.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { sweepAllDue } from '../support/monitoring/status-sweep.js';

interface DeviceView {
  id: string;
  state: string;
  stateReason: string | null;
  serial: string | null;
  mac: string | null;
  model: string | null;
  firmware: string | null;
  networkOperator: string | null;
  apiVersion: string | null;
  profile: string;
}

/*
 * The sweep is called by hand and time is a clock that stands, so that each look is one that the test asked for. It is
 * never late, either: a pass of a busy machine would judge nothing.
 */

let world: TestGateway;
let fleet: Fleet;
const clock = new FakeClock(Date.now());

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 3, profile: 'rutos', seed: 5, timeScale: 1 });
  world = await startTestGateway({ ROLE: 'api' }, clock);
  // Not started by itself (STATUS_EVERY_SECONDS is 0); taken from the application and given a pace.
  Object.assign(world.gateway.app.get(StatusSweeper), { config: { STATUS_EVERY_SECONDS: 300 } });
  Object.assign(world.gateway.app.get(ReachabilityWatch), { wasLateSince: () => false });
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const wrong = index === 2 ? 'Wrong-password-1' : password;
    await world.api.post('/v1/devices', { name: `d-${index}`, baseUrl, credentials: { username, password: wrong } });
  }
  clock.pass(1_000);
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});

const read = (index: number) => world.api.get<DeviceView>(`/v1/devices/name:d-${index}`);
const logins = (index: number) => fleet.ledger.summary(index);

/** Gives the first device another firmware. */
function upgrade(version: string) {
  const device = fleet.devices[0]!;
  device.firmware.version = device.firmware.version.replace(/07\.\d+\.\d+/, version);
  return device;
}

async function sweepAfter(seconds: number): Promise<void> {
  clock.pass(seconds * 1_000);
  await sweepAllDue(world, clock);
}

describe('the status sweep', () => {
  it('learns who each device is, through one login', async () => {
    await sweepAfter(0);
    const simulated = fleet.devices[0]!;
    expect(await read(0)).toMatchObject({ state: 'online', serial: simulated.serial, profile: 'rutos' });
    const { mac, model, firmware, networkOperator } = await read(0);
    expect(mac).toBe(simulated.mac.toLowerCase());
    expect(model).toBe(simulated.model);
    expect(firmware).toMatch(/\d+\.\d+/);
    expect(networkOperator).toBe(homeNetworkOf(simulated).op_name);
    expect(logins(0).logins).toBe(1);
    // The check shows the profile, so the login does not ask for it again: to a router, each request is a handshake.
    const asked = fleet.ledger.entries({ device: 0 }).filter(({ path }) => path === '/api/unauthorized/status');
    expect(asked).toHaveLength(1);
  });

  it('does not look again before it is time', async () => {
    const before = fleet.ledger.entries().length;
    await sweepAfter(60);
    expect(fleet.ledger.entries()).toHaveLength(before);
  });

  it('asks without a login whether the device is there, and for its identity once a day', async () => {
    const since = fleet.ledger.entries().at(-1)!.seq;
    await sweepAfter(300);
    expect(fleet.ledger.entries({ device: 0, since }).map(({ path }) => path)).toEqual(['/api/unauthorized/status']);
    expect(logins(0).logins).toBe(1);
  });

  it('learns the version of the API and the firmware of a device that was upgraded, at its next look', async () => {
    const device = upgrade('07.16.3');
    await sweepAfter(3_700); // a second try of this test begins as the first one
    const { apiVersion, firmware } = await read(0);
    const { logins: before } = logins(0);
    upgrade('07.21.0');
    await sweepAfter(400);
    expect(await read(0)).toMatchObject({ apiVersion: '1.13.0', firmware: device.firmware.version });
    expect([apiVersion, firmware]).not.toEqual(['1.13.0', device.firmware.version]);
    expect(logins(0).logins - before).toBeLessThanOrEqual(1); // its session has ended by age at the most
  });

  it('asks for the identity again an hour later where it could not be read after an upgrade', async () => {
    const device = upgrade('07.24.2');
    const fault = device.faults.add({ kind: 'html', path: '/api/system/device/status' });
    await sweepAfter(400);
    device.faults.remove(fault);
    expect((await read(0)).firmware).toContain('07.21.0');
    await sweepAfter(3_700);
    expect(await read(0)).toMatchObject({ apiVersion: '1.17.1', firmware: device.firmware.version });
  });

  it('keeps the mobile network that it knows while the modem names none', async () => {
    const { networkOperator } = await read(0);
    const fault = fleet.devices[0]!.faults.add({ kind: 'html', path: PATHS.modemsStatus });
    const since = fleet.ledger.entries().at(-1)!.seq;
    await sweepAfter(25 * 3_600);
    fleet.devices[0]!.faults.remove(fault);
    expect(fleet.ledger.entries({ device: 0, since }).map(({ path }) => path)).toContain(PATHS.modemsStatus);
    expect(await read(0)).toMatchObject({ state: 'online', networkOperator });
  });

  it('tries a wrong password once and not again', async () => {
    for (let pass = 0; pass < 5; pass++) await sweepAfter(3_700);
    expect(logins(2)).toMatchObject({ logins: 0, failedLogins: 1 });
    expect(await read(2)).toMatchObject({ state: 'credentials_refused' });
  });

  describe('identifies new hardware at once', () => {
    const device = () => fleet.devices[0]!;
    const account = () => ({ username: device().username, password: device().password });
    const replace = (more: object) => world.api.send('POST', '/v1/devices/name:d-0/replace', more);
    const expectIdentified = async (is: boolean) => {
      const { firmware, model } = await read(0);
      expect([firmware, model]).toEqual(is ? [device().firmware.version, device().model] : [null, null]);
    };

    it('after it was put in the place of the old one', async () => {
      await replace({ credentials: account() });
      await sweepAfter(0);
      await expectIdentified(true);
    });

    it('when its password is stored', async () => {
      await replace({});
      await sweepAfter(0);
      expect((await read(0)).state).toBe('online');
      await expectIdentified(false);
      await world.api.send('PUT', '/v1/devices/name:d-0/credentials', account());
      await sweepAfter(0);
      await expectIdentified(true);
    });

    it('when it answers a call, having been away before', async () => {
      await device().stop();
      await replace({ credentials: account() });
      await sweepAfter(0);
      await device().start();
      await world.api.get('/v1/devices/name:d-0/api/ntp/global');
      await vi.waitFor(async () => expect((await read(0)).state).toBe('online'), 60_000);
      await expectIdentified(false);
      await sweepAfter(0);
      await expectIdentified(true);
    });
  });

  it('sees a device go and come back, and remembers when', async () => {
    await fleet.devices[1]!.stop();
    await sweepAfter(400);
    expect(await read(1)).toMatchObject({ state: 'online' }); // one failed check shows little
    await sweepAfter(400);
    expect(await read(1)).toMatchObject({ state: 'offline' });
    await fleet.devices[1]!.start();
    await sweepAfter(400);
    expect(await read(1)).toMatchObject({ state: 'online', stateReason: null });
    const { items } = await world.api.get<{
      items: { field: string; before: string; after: string; reason: string | null }[];
    }>('/v1/devices/name:d-1/history');
    expect(items.filter(({ field }) => field === 'state').map(({ before, after }) => `${before} ${after}`)).toEqual([
      'offline online',
      'online offline',
      'new online',
    ]);
    const away = items.find(({ after }) => after === 'offline');
    expect(away?.reason).toBe('refused: ECONNREFUSED');
  });

  it('notices another certificate, and sends nothing more', async () => {
    fleet.devices[1]!.replaceCertificate();
    await sweepAfter(400);
    expect(await read(1)).toMatchObject({ state: 'trust_changed' });
    const since = fleet.ledger.entries().at(-1)!.seq;
    await sweepAfter(400);
    expect(fleet.ledger.entries({ device: 1, since })).toEqual([]);
  });

  it('checks a device at once whose new certificate is accepted', async () => {
    const { trust } = await world.api.get<{ trust: { offeredPin: string } }>('/v1/devices/name:d-1');
    await world.api.send('PUT', '/v1/devices/name:d-1/trust', { mode: 'pin', pin: trust.offeredPin });
    await sweepAfter(0);
    expect(await read(1)).toMatchObject({ state: 'online' });
  });
});
