import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type LookupFunction } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Exchange, type Limits } from '../../src/device-api/exchange.js';
import { ExchangeError, openClient, type ConnectRules, type Trust } from '../../src/device-api/http.js';
import { isForbiddenAddress } from '../../src/devices/registry/base-url.js';
import { Collector } from '../../src/proxy/connections/collector.js';
import { BEHAVIOURS, startHostileDevice, type HostileDevice } from './hostile-device.js';

const limits: Limits = { firstByteMs: 300, totalMs: 300, maxBytes: 256 * 1024, bytesPerSecond: 64 * 1024 * 1024 };
/** For an end that no time decides, however busy the machine is. */
const patient: Limits = { ...limits, firstByteMs: 60_000, totalMs: 60_000 };
const anywhere: ConnectRules = { forbids: () => null, takePin: (pin) => Promise.resolve(pin) };
const insecure: Trust = { mode: 'insecure' };

/** One GET; resolves to what came of it. */
async function get(origin: string, rules = anywhere, wanted = limits) {
  const client = openClient(origin, insecure, rules);
  const answer = new Collector();
  const request = { method: 'GET', path: '/api/x', headers: ['accept', '*/*'], body: null };
  try {
    const { status, receivedBytes } = await new Exchange(client, request, answer, wanted).done;
    return { outcome: 'answer', status, receivedBytes, answer };
  } catch (error) {
    return { outcome: (error as ExchangeError).fault, sent: (error as ExchangeError).sent, error, answer };
  } finally {
    await client.destroy();
  }
}

describe('a device that is broken or means harm', () => {
  let device: HostileDevice;
  beforeAll(async () => {
    device = await startHostileDevice();
  });
  afterAll(() => device.close());

  it.each(BEHAVIOURS)('$name: $expect', async ({ expect: expected, status, write }) => {
    device.behave(write);

    const seen = await get(device.origin, anywhere, ['timeout', 'an end'].includes(expected) ? limits : patient);

    if (expected === 'an end') expect(['cut', 'timeout', 'too_large', 'protocol', 'answer']).toContain(seen.outcome);
    else expect(seen.outcome).toBe(expected);
    if (status !== undefined) expect(seen.answer.status).toBe(status);
    if (seen.outcome !== 'answer') expect(seen).toMatchObject({ sent: true, error: expect.any(ExchangeError) });
  });

  it('is one of at least sixty', () => {
    expect(BEHAVIOURS.length).toBeGreaterThanOrEqual(60);
  });

  it('gets more time for a long body that moves', async () => {
    const piece = Buffer.alloc(16 * 1024, 'x');
    device.behave((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${piece.length * 10}\r\n\r\n`);
      let sent = 0;
      const next = () => {
        socket.write(piece);
        if (++sent < 10) setTimeout(next, 50);
      };
      next();
    });

    const seen = await get(device.origin, anywhere, { ...limits, firstByteMs: 60_000, bytesPerSecond: 1_600 });

    expect(seen).toMatchObject({ outcome: 'answer', receivedBytes: 160 * 1024 });
  });
});

describe('where a connection goes', () => {
  const reached: string[] = [];
  const listeners: Server[] = [];
  let port = 0;
  beforeAll(async () => {
    for (const address of ['127.0.0.1', '127.0.0.2', '::1']) {
      const server = createServer((socket) => {
        reached.push(address);
        socket.on('error', () => undefined);
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
      });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, address, resolve);
      });
      port = (server.address() as { port: number }).port;
      listeners.push(server);
    }
  });
  afterAll(() => {
    for (const server of listeners) server.close();
  });

  const policy = { allowLoopback: false, allowedCidrs: [], ownEndpoints: new Set<string>() };
  /** Loopback is forbidden as in real use; 127.0.0.2 stands for the one device that is allowed. */
  const rules = (lookup?: LookupFunction): ConnectRules => ({
    forbids: (address, at) => (address === '127.0.0.2' ? null : isForbiddenAddress(address, at, policy)),
    takePin: (pin) => Promise.resolve(pin),
    ...(lookup ? { lookup } : {}),
  });
  const resolvesTo = (...addresses: string[]): LookupFunction => {
    return (_host, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };

  it.each([
    '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1.', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]',
    '0.0.0.0', '[::]', '0', '127.0.0.3', '127.255.255.254', 'localhost', 'LOCALHOST',
    '169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '100.100.100.200', '192.0.0.192', '255.255.255.255', '224.0.0.1', '[ff02::1]',
    '240.0.0.1', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001::1]', '[100::1]', '198.18.0.1',
  ])('is never %s', async (host) => {
    const seen = await get(`http://${host}:${port}`, rules());
    expect({ host, outcome: seen.outcome, sent: seen.sent }).toEqual({ host, outcome: 'address', sent: false });
  }); // prettier-ignore

  it.each([
    [['127.0.0.1']], [['::1']], [['::ffff:127.0.0.1']], [['169.254.169.254']], [['0.0.0.0']], [['::']], [['127.0.0.1', '::1']],
    [['fe80::1']], [['100.100.100.200']], [['fd00:ec2::254']], [['not an address']], [[]],
    [['127.9.9.9']], [['224.0.0.251']], [['255.255.255.255']], [['64:ff9b::7f00:1']], [['2002:7f00:1::']], [['192.0.0.192']],
    [['::1', '169.254.169.254']], [['240.0.0.1']], [['ff02::fb']], [['::ffff:169.254.169.254']], [['127.0.0.1', '127.0.0.1']],
  ])('is never where a name leads when that is %j', async (addresses) => {
    const seen = await get(`http://device.example:${port}`, rules(resolvesTo(...addresses)));
    expect(seen).toMatchObject({ outcome: 'address', sent: false });
  }); // prettier-ignore

  it('is the allowed one of several addresses of a name', async () => {
    const seen = await get(`http://device.example:${port}`, rules(resolvesTo('127.0.0.1', '127.0.0.2', '::1')));
    expect(seen.outcome).toBe('answer');
  });

  it('is looked at again for each connection, so that a name which leads elsewhere later is not followed', async () => {
    let asked = 0;
    const rebinding: LookupFunction = (host, options, done) =>
      resolvesTo(asked++ === 0 ? '127.0.0.2' : '127.0.0.1')(host, options, done);

    const first = await get(`http://device.example:${port}`, rules(rebinding));
    const second = await get(`http://device.example:${port}`, rules(rebinding));

    expect([first.outcome, second.outcome]).toEqual(['answer', 'address']);
  });

  it('was never a forbidden listener in all of this', () => {
    expect(new Set(reached)).toEqual(new Set(['127.0.0.2']));
  });

  it('is no forbidden address when it hangs up before anybody has looked where it went', async () => {
    const listener = new Worker(
      `const listener = require('node:net').createServer((socket) => socket.destroy());
       listener.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(listener.address().port));`,
      { eval: true },
    );
    const [port] = (await once(listener, 'message')) as [number];
    const policy = { allowLoopback: true, allowedCidrs: [], ownEndpoints: new Set<string>() };
    const loopback: ConnectRules = { ...anywhere, forbids: (address, at) => isForbiddenAddress(address, at, policy) };
    const seen: Awaited<ReturnType<typeof get>>[] = [];
    for (let call = 0; call < 50; call++) seen.push(await get(`https://127.0.0.1:${port}`, loopback));
    await listener.terminate();
    for (const { sent, outcome } of seen) {
      expect(sent).toBe(false);
      expect(['refused', 'tls']).toContain(outcome);
    }
  });

  it('is unreachable when the name is unknown, and refused when nobody listens', async () => {
    const unknown: LookupFunction = (_host, _options, done) =>
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    expect(await get('http://device.example', rules(unknown))).toMatchObject({ outcome: 'unreachable', sent: false });
    expect(await get('http://127.0.0.2:1', rules())).toMatchObject({ outcome: 'refused', sent: false });
  });
});
