import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceHosts } from '../../../src/proxy/passthrough/device-hosts.js';
import { startFleet, type Fleet } from '../../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { rawRequest, type AskOptions } from '../proxy-world.js';

/* A device under a host name of its own, for clients that know no path before /api/. */

let world: TestGateway;
let fleet: Fleet;
let ids: string[];
const agent = new http.Agent({ keepAlive: true });
const STATUS = '/api/system/device/status';

beforeAll(async () => {
  [world, fleet] = await Promise.all([
    startTestGateway({ ROLE: 'api', DEVICE_HOST_SUFFIX: 'Devices.Example' }),
    startFleet({ devices: 3, profile: 'rutos' }),
  ]);
  const facts = [
    { name: 'Pump-1', serial: 'AB12' },
    { name: 'a pump. with a name', serial: 'cd34' },
    { name: 'serial-ab12x' },
  ];
  ids = await Promise.all(
    facts.map(async (fact, index) => {
      const simulated = fleet.devices[index]!;
      if (fact.serial !== undefined) simulated.replaceSerial(fact.serial);
      const { baseUrl, username, password } = simulated;
      const device = { ...fact, baseUrl, credentials: { username, password } };
      return (await world.api.post<{ id: string }>('/v1/devices', device)).id;
    }),
  );
});
afterAll(async () => {
  agent.destroy();
  await world.close();
  await fleet.close();
});

const ask = (host: string, path: string, options: AskOptions = {}, method = 'GET') =>
  rawRequest(world, agent, path, method, { ...options, headers: { ...options.headers, host } });

describe('the host name of a device', () => {
  it.each<[string, () => string, number]>([
    ['its name', () => 'pump-1.devices.example', 0],
    ['its name in any letter case, with a port', () => 'PUMP-1.DEVICES.Example:8080', 0],
    ['its name, with the dot of the root', () => 'pump-1.devices.example.', 0],
    ['its id', () => `${ids[1]}.devices.example`, 1],
    ['its serial number', () => 'serial-cd34.devices.example', 1],
    ['its serial number in capitals, as the registry has it', () => 'serial-AB12.devices.example', 0],
    ['its serial number in capitals, as a browser writes it', () => 'serial-ab12.devices.example', 0],
    ['a name that looks like a serial number', () => 'serial-ab12x.devices.example', 2],
  ])('can be %s', async (_what, host, index) => {
    const answer = await ask(host(), STATUS);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'proxy-status': 'fleetgate; received-status=200' },
      json: { data: { mnfinfo: { serial: fleet.devices[index]!.serial } } },
    });
  });

  it('has a login of its own, with an API key as the password', async () => {
    const body = JSON.stringify({ username: 'admin', password: world.keys.operator });
    const answer = await ask('pump-1.devices.example', '/api/login', { role: null, body }, 'POST');
    expect(answer).toMatchObject({ status: 200, json: { success: true, data: { token: world.keys.operator } } });
  });

  it.each([
    ['the API of the gateway', 'GET', '/v1/devices'],
    ['another device', 'GET', '/v1/devices/name:pump-1/api/system/device/status'],
    ['the façade of another device', 'GET', '/d/name:pump-1/api/system/device/status'],
    ['the health of the gateway', 'GET', '/health/live'],
    ['the metrics', 'GET', '/metrics'],
    ['the documents', 'GET', '/docs'],
    ['the set-up', 'POST', '/v1/setup'],
    ['the root', 'GET', '/'],
    ['the server as a whole', 'OPTIONS', '*'],
    ['an absolute address', 'GET', 'http://gateway.example/v1/devices'],
    ['a method that no device has', 'PROPFIND', '/v1/devices'],
    ['/api without a slash', 'GET', '/api'],
    ['a path that climbs', 'GET', '/../v1/devices'],
  ])('leads not to %s, and says so as a device would', async (_what, method, path) => {
    const answer = await ask('pump-1.devices.example', path, { role: 'administrator' }, method);
    expect(answer).toMatchObject({ status: 404, json: { success: false, errors: [{ code: 122 }] } });
    expect(answer.headers['proxy-status']).toContain('fleetgate; error=');
  });

  it.each(['/api/../v1/devices', '/api/x/%2e%2e/%2e%2e/v1/devices', '/api//v1/devices'])(
    'leads nowhere by %s',
    async (path) => {
      const before = fleet.ledger.summary(0).requests;
      const answer = await ask('pump-1.devices.example', path, { role: 'administrator' });
      expect(answer).toMatchObject({ status: 400, json: { success: false, errors: [{ section: 'path_refused' }] } });
      expect(fleet.ledger.summary(0).requests).toBe(before);
    },
  );

  it.each(['nobody.devices.example', 'a.pump-1.devices.example', '-.devices.example', '.devices.example'])(
    'is no device: %s',
    async (host) => {
      const answer = await ask(host, STATUS);
      expect(answer).toMatchObject({ status: 404, json: { success: false, errors: [{ code: 122 }] } });
    },
  );

  it('is no Host with a colon in its name, in the words of a device', async () => {
    const answer = await ask('name:pump-1.devices.example', STATUS);
    expect(answer).toMatchObject({ status: 400, json: { success: false, errors: [{ code: 122 }] } });
  });

  it('tells nobody without a key which devices there are', async () => {
    const answers = await Promise.all(
      ['pump-1', 'nobody'].map((label) => ask(`${label}.devices.example`, STATUS, { role: null })),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  it.each(['devices.example', 'gateway.example', 'pump-1.devices.example.evil.example', 'pump-1devices.example'])(
    'is not %s: there the gateway answers',
    async (host) => {
      expect((await ask(host, '/health/live')).status).toBe(200);
      expect((await ask(host, STATUS)).json).toMatchObject({ code: 'route_not_found' });
    },
  );

  it('does not come from a header that is not there', () => {
    expect(deviceHosts('devices.example')({ url: '/x', headers: {} })).toBe('/x');
  });
});
