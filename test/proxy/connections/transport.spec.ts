import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Device } from '../../../src/devices/registry/device.entity.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { ExternalMemoryReserve } from '../../../src/proxy/connections/external-memory-reserve.js';
import { Transport } from '../../../src/proxy/connections/transport.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

/* A pool is made for one row of a device. It serves later rows with the same address, trust and key. */

const device = (trustPin: string | null, version = 1) =>
  ({ id: 'a', baseUrl: 'https://192.0.2.1', trust: 'pin', trustPin, trustCa: null, version }) as Device;

const POLICY = { allowLoopback: true, allowedCidrs: [], ownEndpoints: new Set<string>() };

describe('the connections of a device', () => {
  let transport: Transport;
  let metrics: Metrics;
  let server: Server | undefined;

  beforeEach(() => {
    const devices = {
      takePin: () => Promise.resolve(),
      noteCertificate: () => undefined,
      get: () => Promise.reject(new Error('this test makes no call')),
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

  const poolFor = (row: Device) => {
    const connection = transport.acquireConnection(row);
    transport.release(connection);
    return connection.pool;
  };

  it('is the same for all readings of a row', () => {
    expect(poolFor(device('sha256/one'))).toBe(poolFor(device('sha256/one')));
  });

  it('that met the device serves rows that were read before that and after it, and none that has lost the pin', () => {
    const pool = poolFor(device(null));
    Object.assign(pool, { pin: 'sha256/one', pinnedInVersion: 2 }); // as the first contact does
    expect(poolFor(device(null))).toBe(pool);
    expect(poolFor(device('sha256/one', 2))).toBe(pool);
    expect(poolFor(device(null))).toBe(pool);
    expect(poolFor(device(null, 3))).not.toBe(pool);
  });

  it('does not keep the pin that a person has taken away', () => {
    const pool = poolFor(device('sha256/one'));
    const other = poolFor(device(null));
    expect(other).not.toBe(pool);
    expect(other.pin).toBeNull();
  });

  it('counts the connections that are open, and balances the reserve with them', async () => {
    const balance = vi.spyOn(ExternalMemoryReserve.prototype, 'balance');
    server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    server.keepAliveTimeout = 60_000;
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = async () => (await metrics.deviceConnections.get()).values[0]!.value;
    const connections = ['a', 'b'].map((id) => transport.acquireConnection({ ...device(null), id, baseUrl }));
    expect(await open()).toBe(0);
    for (const { client } of connections) await (await client.request({ path: '/', method: 'GET' })).body.dump();
    expect(await open()).toBe(2);
    await connections[0]!.client.destroy();
    await until(async () => (await open()) === 1);
    await transport.close();
    expect(await until(async () => (await open()) === 0)).toBe(true);
    expect(balance.mock.calls.flat()).toEqual([1, 2, 1, 0]);
  });
});
