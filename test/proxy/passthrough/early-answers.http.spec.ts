import http from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, EarlyRefuser, type EarlyEnd } from '../../support/devices/early-refuser.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

/* A device may end an upload before it has read it. The caller gets the device's answer when there was one. */

let world: TestGateway;
const device = new EarlyRefuser();
let deviceId: string;
let uploads = 0;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  deviceId = await device.register(world.api, 'refuser');
});
afterAll(async () => {
  device.close();
  await world.close();
});

const REFUSAL = '{"success":false,"errors":[{"code":117,"error":"File is too large","source":"file"}]}';
const TOO_LARGE = answerOf(413, REFUSAL);
const CLOSES = TOO_LARGE.replace('\r\n', '\r\nconnection: close\r\n');
const CHUNKED =
  'HTTP/1.1 413 X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n' +
  `${REFUSAL.length.toString(16)}\r\n${REFUSAL}\r\n0\r\n\r\n`;
const UNTIL_CLOSE = `HTTP/1.1 413 X\r\ncontent-type: application/json\r\n\r\n${REFUSAL}`;
const { length: middle } = 'HTTP/1.1 413 X\r\ncontent-ty';

const fin =
  (bytes: string): EarlyEnd =>
  (tls) =>
    void tls.end(bytes);
const reset =
  (bytes: string): EarlyEnd =>
  (tls, raw) =>
    void tls.write(bytes, () => raw.resetAndDestroy());

/** The ends, with the status that the caller gets and the outcome in the audit. */
const ENDS: [string, EarlyEnd, number, string][] = [
  ['an answer and a reset', reset(TOO_LARGE), 413, 'refused'],
  ['an answer and a close', fin(TOO_LARGE), 413, 'refused'],
  [
    'an answer in two packets and a reset',
    (tls, raw) => tls.write(TOO_LARGE.slice(0, middle), () => setImmediate(reset(TOO_LARGE.slice(middle)), tls, raw)),
    413,
    'refused',
  ],
  ['an answer in chunks and a reset', reset(CHUNKED), 413, 'refused'],
  ['an answer that ends with the connection', fin(UNTIL_CLOSE), 413, 'refused'],
  ['an answer, and the connection stays open and unread', (tls) => void tls.write(CLOSES), 413, 'refused'],
  ['success and a reset', reset(answerOf(200, '{"success":true}')), 200, 'succeeded'],
  ['a 401 and a reset', reset(answerOf(401, REFUSAL)), 401, 'refused'],
  ['a 500 and a reset', reset(answerOf(500, '')), 500, 'failed'],
  ['a reset without an answer', (_tls, raw) => raw.resetAndDestroy(), 502, 'unknown'],
  ['a close without an answer', (tls) => void tls.end(), 502, 'unknown'],
  ['a reset in the middle of the head', reset(TOO_LARGE.slice(0, middle)), 502, 'unknown'],
  ['a close in the middle of the head', fin(TOO_LARGE.slice(0, middle)), 502, 'unknown'],
];

interface Upload {
  readonly bytes: number;
  readonly isChunked?: boolean;
  readonly prefix?: string;
}

/** Sends an upload. @returns status and body, or 0 when the connection ended without an answer */
function upload({ bytes, isChunked = false, prefix = '/v1/devices/' }: Upload): Promise<[number, string]> {
  return new Promise((resolve) => {
    const request = http.request(`${world.url}${prefix}${deviceId}/api/files/${++uploads}/upload`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${world.keys.operator}`,
        'content-type': 'application/octet-stream',
        ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }),
      },
    });
    request.on('response', (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += String(chunk)));
      answer.on('end', () => resolve([answer.statusCode!, text]));
      answer.on('error', () => resolve([0, 'broken off']));
    });
    request.on('error', (error) => resolve([0, error.message]));
    Readable.from(pieces(bytes)).pipe(request);
  });
}

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= 64 * 1024) yield Buffer.alloc(Math.min(left, 64 * 1024), 'a');
}

async function lastOutcome(): Promise<string | null> {
  const { items } = await world.api.get<{ items: { outcome: string | null }[] }>(
    `/v1/audit?action=device.call_write&deviceId=${deviceId}&limit=1`,
  );
  return items[0]!.outcome;
}

/** Two answers for each end without one: the circuit of the device stays closed. */
beforeEach(async () => {
  for (const path of ['a', 'b']) await world.api.get(`/v1/devices/${deviceId}/api/system/${path}`);
});

const MB = 1024 * 1024;

describe.each(ENDS)('%s', (_end, end, status, outcome) => {
  it.each<[string, Upload]>([
    ['a large upload', { bytes: 8 * MB }],
    ['a large upload in chunks', { bytes: 8 * MB, isChunked: true }],
    ['a small upload', { bytes: 20_000 }],
    ['a small upload in chunks', { bytes: 20_000, isChunked: true }],
    ['a large upload through the façade', { bytes: 8 * MB, prefix: '/d/' }],
    ['a small upload in chunks through the façade', { bytes: 20_000, isChunked: true, prefix: '/d/' }],
  ])('ends %s with its answer', async (_what, given) => {
    device.end = end;
    const [answered, body] = await upload(given);
    expect([answered, body]).toEqual([status, expect.any(String)]);
    if (status === 413) expect(body).toBe(REFUSAL);
    if (status === 502) expect(body).toContain(given.prefix ? '"success":false' : 'device_outcome_unknown');
    await until(async () => (await lastOutcome()) === outcome);
  });
});

it('answers each of 20 parallel uploads to a device that refuses and resets', async () => {
  device.end = reset(TOO_LARGE);
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload({ bytes: 4 * MB })));
  expect(answers).toEqual(Array.from({ length: 20 }, () => [413, REFUSAL]));
});
