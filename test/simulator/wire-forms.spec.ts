/* Forms that a front end with default parsers refuses, and real devices take; and what no device should take, which must not end it. */
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../../src/simulator/device/random.js';
import type { SimulatedDevice } from '../../src/simulator/fleet.js';
import { sizeOf } from '../support/forms.js';
import { Caller, Fleets } from './caller.js';

const fleets = new Fleets();
let admin: Caller;
beforeEach(async () => {
  admin = await fleets.caller({ profile: 'rutos' });
});
afterEach(() => fleets.close());

describe('odd forms that are taken', () => {
  it('a POST action without content type and body', async () => {
    expect((await admin.send('POST', '/api/wireguard/actions/generate_keys')).status).toBe(200);
  });

  it('a POST action as application/octet-stream of length 0', async () => {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': '0' };
    expect((await admin.send('POST', '/api/wireguard/actions/generate_keys', { headers })).status).toBe(200);
  });

  it('a GET with a JSON body', async () => {
    expect((await admin.send('GET', '/api/interfaces/config', { body: { data: {} } })).status).toBe(200);
  });

  it('a DELETE with a JSON body', async () => {
    await admin.post('/api/wireguard/config', { id: 'wg0' });
    expect((await admin.delete('/api/wireguard/config', ['wg0'])).body.data).toEqual([{ id: 'wg0' }]);
  });

  it('a trailing slash', async () => {
    expect((await admin.get('/api/interfaces/config/')).status).toBe(200);
  });

  it('JSON as text/plain, and in chunks', async () => {
    const body = { data: { id: 'wg1', listen_port: '51899' } };
    const headers = { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' };
    expect((await admin.send('POST', '/api/wireguard/config', { body, headers })).status).toBe(201);
  });

  it('multipart fields before and after the file', async () => {
    const fields = { before: 'one', after: 'two', later: 'three' };
    const { body } = await admin.upload('/api/certificates/root_ca/config', 'ca.pem', Buffer.from('pem'), fields);
    expect(body.data).toEqual({ path: '/etc/certificates/ca.pem' });
    expect(admin.device.ledger.entries({ effect: 'upload' })).toHaveLength(1);
  });
});

describe('broken forms that are refused', () => {
  it.each([
    ['no boundary', { 'content-type': 'multipart/form-data' }, 'x'],
    [
      'an end that is missing',
      { 'content-type': 'multipart/form-data; boundary=b' },
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ],
    [
      'another part',
      { 'content-type': 'multipart/form-data; boundary=b' },
      '--b\r\nContent-Disposition: form-data; name="other"\r\n\r\nabc\r\n--b--\r\n',
    ],
    ['JSON', { 'content-type': 'application/json' }, '{}'],
  ])('an upload with %s', async (_what, headers, body) => {
    const reply = await admin.send('POST', '/api/certificates/root_ca/config', { headers, body });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.body.success).toBe(false);
  });
});

/** Sends raw bytes over TLS; true when the device answered or closed, false when it did neither in time. */
function sendRaw(device: SimulatedDevice, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: device.port, rejectUnauthorized: false }, () =>
      socket.end(bytes),
    );
    const timer = setTimeout(() => done(false), 15_000);
    const done = (settled: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(settled);
    };
    socket.on('data', () => done(true));
    socket.on('close', () => done(true));
    socket.on('error', () => done(true));
  });
}

function seeds(token: string): string[] {
  const head = (line: string, body = '', more = ''): string =>
    `${line} HTTP/1.1\r\nHost: device\r\nAuthorization: Bearer ${token}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pem"\r\n\r\nabc\r\n--b--\r\n';
  return [
    head('GET /api/system/device/status'),
    head('GET /api/events_log/config/system?limit=3&offset=1'),
    head('POST /api/login', '{"data":{"username":"admin","password":"no"}}'),
    head('POST /api/wireguard/config', '{"data":{"id":"wg7","addresses":["10.0.0.1/24"]}}'),
    head('PUT /api/wireguard/config/wg7', '{"data":{"enabled":"1"}}'),
    head('DELETE /api/wireguard/config', '{"data":["wg7"]}'),
    head(
      'POST /api/bulk',
      '{"data":[{"endpoint":"/api/interfaces/config","method":"GET"},{"endpoint":"/api/x","method":"PUT","data":{}}]}',
    ),
    head('POST /api/certificates/root_ca/config', form, 'Content-Type: multipart/form-data; boundary=b\r\n'),
    head('POST /api/certificates/actions/generate', '{"data":{"type":"client","name":"x","key_size":"512"}}'),
    head('PUT /api/users/groups/config', '{"data":{"id":"user","api":{"/api/*":["read"]}}}'),
  ];
}

const FRAGMENTS = [
  '\0',
  '%00',
  '%',
  '../',
  '//',
  '{',
  '}',
  '[',
  '"',
  '\\',
  '\r\n',
  ',',
  'null',
  '__proto__',
  '9e999',
  'é',
  '\u{1F600}',
  'Content-Length: 9\r\n',
  'Transfer-Encoding: chunked\r\n',
];

/** One to four changes: a byte turned, a piece cut, doubled, or put in. */
function mutated(text: string, chance: Random): Buffer {
  let bytes = Buffer.from(text);
  for (let change = chance.integer(1, 4); change > 0; change--) {
    const at = chance.integer(0, Math.max(0, bytes.length - 1));
    const piece = bytes.subarray(at, at + chance.integer(1, 12));
    const fragment = Buffer.from(FRAGMENTS[chance.integer(0, FRAGMENTS.length - 1)]!);
    const middle = [Buffer.from([chance.integer(0, 255)]), Buffer.alloc(0), Buffer.concat([piece, piece]), fragment][
      chance.integer(0, 3)
    ]!;
    bytes = Buffer.concat([
      bytes.subarray(0, at),
      middle,
      bytes.subarray(at + (middle === fragment ? 0 : piece.length)),
    ]);
  }
  return bytes;
}

/** Mutated requests. */
const REQUESTS = sizeOf({ short: 150, long: 1_000, nightly: 10_000 });

describe('a fuzz run', () => {
  it(`of ${REQUESTS} mutated requests is answered or closed each time, and meets no error of the simulator`, async () => {
    const fleet = await fleets.start({ profile: 'rutos', rsaBits: 512 });
    const device = fleet.devices[0]!;
    const { token } = await new Caller(device).login();
    const chance = new Random('fuzz');
    const requests = seeds(token!);
    let settled = 0;
    let left = REQUESTS;
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const request = mutated(requests[chance.integer(0, requests.length - 1)]!, chance);
        if (await sendRaw(device, request)) settled++;
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    expect(settled).toBe(REQUESTS);
    expect(fleet.errors).toEqual([]);
    device.sessions.unblockAll();
    expect((await (await new Caller(device).login()).get('/api/system/device/status')).status).toBe(200);
  }, 900_000);
});
