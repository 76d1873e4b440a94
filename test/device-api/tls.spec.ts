import { randomBytes, X509Certificate } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from '../../src/device-api/exchange.js';
import { openClient, pinOf, type ConnectRules, type ExchangeError, type Trust } from '../../src/device-api/http.js';
import { Collector } from '../../src/proxy/connections/collector.js';
import { selfSigned } from '../../src/simulator/device/certificates.js';
import { sizeOf } from '../support/forms.js';

/* Who a device is, is settled before the first byte of HTTP. */

interface ShownCertificate {
  readonly key: string;
  readonly cert: string;
  readonly pin: string;
}

let server: Server;
let origin: string;
let device: ShownCertificate;
let impostor: ShownCertificate;
let requests = 0;

function identity(commonName: string): ShownCertificate {
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

const show = (shown: ShownCertificate) => server.setSecureContext({ key: shown.key, cert: shown.cert });
const rules: ConnectRules = { forbids: () => null, takePin: (pin) => Promise.resolve(pin) };
const limits = { firstByteMs: 60_000, totalMs: 60_000, maxBytes: 1_000, bytesPerSecond: 1_000 };

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

/** One GET on a connection that is kept; resolves to `answer` or the fault. */
function ask(client: ReturnType<typeof openClient>): Promise<string> {
  const request = { method: 'GET', path: '/api/x', headers: [], body: null };
  return new Exchange(client, request, new Collector(), limits).done.then(
    () => 'answer',
    (error: unknown) => (error as ExchangeError).fault,
  );
}

/** Connections, and swaps of the device for an impostor. */
const SWAPS = sizeOf({ short: 30, long: 100, nightly: 1_000 });

describe('a pinned device', () => {
  it(`raises no false alarm in ${SWAPS} connections, and an impostor gets no byte of HTTP in ${SWAPS} random swaps`, async () => {
    const trust: Trust = { mode: 'pin', pin: device.pin };
    let expected = requests;
    for (let connect = 0; connect < 2 * SWAPS; connect++) {
      const isImpostor = connect >= SWAPS && (connect * 7919) % 13 < 7;
      show(isImpostor ? impostor : device);
      const { outcome } = await get(trust);
      expect({ connect, outcome }).toEqual({ connect, outcome: isImpostor ? 'pin' : 'answer' });
      if (!isImpostor) expected++;
    }
    expect(requests).toBe(expected);
  });

  it(`keeps its connection through ${SWAPS} swaps, and whoever takes its place when that drops gets no byte of HTTP`, async () => {
    const ticketKeys = randomBytes(48); // the impostor could resume a session of the device, if one were offered
    const met = { impostor: 0, resumed: 0, sockets: 0 };
    const impostors = new WeakSet<object>();
    let shown = device;
    const onSocket = (socket: TLSSocket) => {
      met.sockets++;
      if (socket.isSessionReused()) met.resumed++;
      if (shown === impostor) impostors.add(socket);
    };
    const onRequest = ({ socket }: IncomingMessage) => void (impostors.has(socket) && met.impostor++);
    server.on('secureConnection', onSocket).on('request', onRequest);
    const client = openClient(origin, { mode: 'pin', pin: device.pin }, rules);
    const outcomes = { answer: 0, pin: 0 };
    let isOpen = false;
    for (let call = 0; call < SWAPS; call++) {
      shown = (call * 7919) % 13 < 7 ? impostor : device;
      show(shown);
      server.setTicketKeys(ticketKeys);
      if ((call * 31) % 5 < 2) {
        server.closeAllConnections();
        isOpen = false;
      }
      let outcome = await ask(client);
      // The end of a connection can cross with a request on it; a read is then made again, on a new one.
      while (outcome === 'cut') outcome = await ask(client);
      expect({ call, outcome }).toEqual({ call, outcome: isOpen || shown === device ? 'answer' : 'pin' });
      isOpen = outcome === 'answer';
      outcomes[isOpen ? 'answer' : 'pin']++;
    }
    await client.destroy();
    server.off('secureConnection', onSocket).off('request', onRequest);
    expect(met).toEqual({ impostor: 0, resumed: 0, sockets: expect.any(Number) });
    expect(met.sockets).toBeLessThan(SWAPS); // connections were kept
    expect(Math.min(outcomes.answer, outcomes.pin)).toBeGreaterThan(SWAPS / 5);
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
    expect(await get({ mode: 'pin', pin: null }, { ...rules, takePin: remember })).toEqual({ outcome: 'answer' });
    expect(adopted).toEqual([device.pin]);
  });

  it('is not spoken to when another process had met someone else first', async () => {
    show(impostor);
    const before = requests;
    const elsewhere = { ...rules, takePin: () => Promise.resolve(device.pin) };
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

describe('the certificate of a handshake', () => {
  it('is noted once for each connection after the device was recognised, and never of an impostor', async () => {
    const noted: string[] = [];
    const noting = { ...rules, noteCertificate: (der: Buffer) => void noted.push(pinOf(new X509Certificate(der))) };
    show(device);
    const client = openClient(origin, { mode: 'pin', pin: device.pin }, noting);
    expect([await ask(client), await ask(client)]).toEqual(['answer', 'answer']);
    await client.destroy();
    expect(noted).toEqual([device.pin]);
    await get({ mode: 'pin', pin: null }, noting);
    await get({ mode: 'ca', ca: device.cert }, noting);
    expect(noted).toEqual([device.pin, device.pin, device.pin]);
    show(impostor);
    expect(await get({ mode: 'pin', pin: device.pin }, noting)).toMatchObject({ outcome: 'pin' });
    expect(await get({ mode: 'ca', ca: device.cert }, noting)).toMatchObject({ outcome: 'tls' });
    expect(noted).toHaveLength(3);
    await get({ mode: 'insecure' }, noting);
    expect(noted.at(-1)).toBe(impostor.pin);
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
