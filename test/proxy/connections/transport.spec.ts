import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Device } from '../../../src/devices/registry/device.entity.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { Ballast } from '../../../src/proxy/connections/ballast.js';
import { Transport } from '../../../src/proxy/connections/transport.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

/* A road is made for a row, and serves other readings of it as far as they agree on where the device is and who it is. */

const device = (trustPin: string | null, version = 1) =>
  ({ id: 'a', baseUrl: 'https://192.0.2.1', trust: 'pin', trustPin, trustCa: null, version }) as Device;

const POLICY = { allowLoopback: true, allowedCidrs: [], ownEndpoints: new Set<string>() };

describe('the road to a device', () => {
  let transport: Transport;
  let metrics: Metrics;
  let server: Server | undefined;

  beforeEach(() => {
    const devices = {
      takePin: () => Promise.resolve(),
      target: () => Promise.reject(new Error('nobody is met here')),
      onChange: () => () => undefined,
    };
    metrics = new Metrics();
    transport = new Transport({ policy: () => POLICY }, devices, new FakeClock(), metrics);
  });
  afterEach(async () => {
    await transport.close();
    server?.close();
    vi.restoreAllMocks();
  });

  const roadFor = (row: Device) => {
    const lane = transport.lane(row);
    transport.release(lane);
    return lane.road;
  };

  it('is the same for all readings of a row', () => {
    expect(roadFor(device('sha256/one'))).toBe(roadFor(device('sha256/one')));
  });

  it('that met the device serves rows that were read before that and after it, and none that has lost the pin', () => {
    const road = roadFor(device(null));
    Object.assign(road, { pin: 'sha256/one', metIn: 2 }); // as the first contact does
    expect(roadFor(device(null))).toBe(road);
    expect(roadFor(device('sha256/one', 2))).toBe(road);
    expect(roadFor(device(null))).toBe(road);
    expect(roadFor(device(null, 3))).not.toBe(road);
  });

  it('does not keep the pin that a person has taken away', () => {
    const road = roadFor(device('sha256/one'));
    const other = roadFor(device(null));
    expect(other).not.toBe(road);
    expect(other.pin).toBeNull();
  });

  it('counts the connections that are open, and balances the ballast with them', async () => {
    const balance = vi.spyOn(Ballast.prototype, 'balance');
    server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    server.keepAliveTimeout = 60_000;
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = async () => (await metrics.deviceConnections.get()).values[0]!.value;
    const lanes = ['a', 'b'].map((id) => transport.lane({ ...device(null), id, baseUrl }));
    expect(await open()).toBe(0);
    for (const { client } of lanes) await (await client.request({ path: '/', method: 'GET' })).body.dump();
    expect(await open()).toBe(2);
    await lanes[0]!.client.destroy();
    await until(async () => (await open()) === 1);
    await transport.close();
    expect(await until(async () => (await open()) === 0)).toBe(true);
    expect(balance.mock.calls.flat()).toEqual([1, 2, 1, 0]);
  });
});
