import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Exchange,
  openClient,
  pinOf,
  type ConnectRules,
  type ExchangeError,
  type Trust,
} from '../../src/device-api/http.js';
import { Collector } from '../../src/proxy/collector.js';
import { selfSigned } from '../../src/simulator/certificates.js';

/* Who a device is, is settled before the first byte of HTTP. */

interface Shown {
  readonly key: string;
  readonly cert: string;
  readonly pin: string;
}

let server: Server;
let origin: string;
let device: Shown;
let impostor: Shown;
let requests = 0;

function identity(commonName: string): Shown {
  const { keyPem: key, certificatePem: cert } = selfSigned({
    commonName,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 3_600_000),
    alternativeNames: ['127.0.0.1'],
  });
  return { key, cert, pin: pinOf(new X509Certificate(cert)) };
}

beforeAll(async () => {
  [device, impostor] = [identity('device'), identity('impostor')];
  server = createServer({ key: device.key, cert: device.cert }, (_request, response) => {
    requests++;
    response.end('{"success":true}');
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const show = (shown: Shown) => server.setSecureContext({ key: shown.key, cert: shown.cert });
const rules: ConnectRules = { forbids: () => null, adopt: (pin) => Promise.resolve(pin) };
const limits = { firstByteMs: 5_000, totalMs: 5_000, maxBytes: 1_000, bytesPerSecond: 1_000 };

/** One GET on a connection of its own; resolves to `answer` or the fault. */
async function get(trust: Trust, itsRules = rules) {
  const client = openClient(origin, trust, itsRules);
  try {
    await new Exchange(client, { method: 'GET', path: '/api/x', headers: [], body: null }, new Collector(), limits)
      .done;
    return { outcome: 'answer' };
  } catch (error) {
    const { fault, facts, sent } = error as ExchangeError;
    return { outcome: fault as string, facts, sent };
  } finally {
    await client.destroy();
  }
}

describe('a pinned device', () => {
  it('raises no false alarm in 1,000 connections, and an impostor gets no byte of HTTP in 1,000 random swaps', async () => {
    const trust: Trust = { mode: 'pin', pin: device.pin };
    let expected = requests;
    for (let connect = 0; connect < 2_000; connect++) {
      const isImpostor = connect >= 1_000 && (connect * 7919) % 13 < 7;
      show(isImpostor ? impostor : device);
      const { outcome } = await get(trust);
      expect({ connect, outcome }).toEqual({ connect, outcome: isImpostor ? 'pin' : 'answer' });
      if (!isImpostor) expected++;
    }
    expect(requests).toBe(expected);
  });

  it('shows both fingerprints when it is another one', async () => {
    show(impostor);
    expect(await get({ mode: 'pin', pin: device.pin })).toEqual({
      outcome: 'pin',
      sent: false,
      facts: { pinned: device.pin, offered: impostor.pin },
    });
  });

  it('is taken at first contact with the key it shows, once that is written down', async () => {
    show(device);
    const adopted: string[] = [];
    const remember = (pin: string) => Promise.resolve(void adopted.push(pin)).then(() => pin);
    expect(await get({ mode: 'pin', pin: null }, { ...rules, adopt: remember })).toEqual({ outcome: 'answer' });
    expect(adopted).toEqual([device.pin]);
  });

  it('is not spoken to when another process had met someone else first', async () => {
    show(impostor);
    const before = requests;
    const elsewhere = { ...rules, adopt: () => Promise.resolve(device.pin) };
    expect(await get({ mode: 'pin', pin: null }, elsewhere)).toMatchObject({ outcome: 'pin', sent: false });
    expect(requests).toBe(before);
  });
});

describe('a device with a certificate of a CA', () => {
  it('is spoken to when the bundle signs its certificate, and else not', async () => {
    show(device);
    const before = requests;
    expect(await get({ mode: 'ca', ca: device.cert })).toEqual({ outcome: 'answer' });
    expect(await get({ mode: 'ca', ca: impostor.cert })).toMatchObject({ outcome: 'tls', sent: false });
    show(impostor);
    expect(await get({ mode: 'ca', ca: device.cert })).toMatchObject({ outcome: 'tls', sent: false });
    expect(requests).toBe(before + 1);
  });
});

describe('a device with trust `insecure`', () => {
  it('is spoken to whatever it shows', async () => {
    show(impostor);
    expect(await get({ mode: 'insecure' })).toEqual({ outcome: 'answer' });
  });
});

describe('a device that speaks nothing newer than TLS 1.1', () => {
  it('is not spoken to', async () => {
    const old = createServer(
      { key: device.key, cert: device.cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      (_request, response) => response.end(),
    );
    old.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    const client = openClient(
      `https://127.0.0.1:${(old.address() as { port: number }).port}`,
      { mode: 'insecure' },
      rules,
    );
    const exchange = new Exchange(
      client,
      { method: 'GET', path: '/', headers: [], body: null },
      new Collector(),
      limits,
    );
    await expect(exchange.done).rejects.toMatchObject({ fault: 'tls', sent: false });
    await client.destroy();
    old.close();
  });
});
