import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* A body that does not come in time ends its connection: whatever its path, its method, its key and its answer. */

let world: TestGateway;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, undefined, { BODY_WITHIN_SECONDS: 1, BODY_BYTES_PER_SECOND: 1000 });
});
afterAll(() => world.close());

const LONG = { 'Content-Length': '10000' };

interface SlowBody {
  readonly what: string;
  readonly line: string;
  readonly role?: 'viewer' | 'administrator';
  readonly headers?: Readonly<Record<string, string>>;
  /** What its answer begins with; absent: there is none, or it is told that it was too slow. */
  readonly answer?: string;
}

const json = { 'Content-Type': 'application/json' };
const csv = { 'Content-Type': 'text/csv' };
const device = '/v1/devices/6f9619ff-8b86-4d01-b42d-00cf4fc964ff/api/wireguard/config';

const cases: SlowBody[] = [
  { what: 'an unknown address', line: 'POST /v1/nothing', headers: json },
  { what: 'an unknown address without a content type', line: 'POST /nothing' },
  { what: 'an unknown address in chunks', line: 'POST /v1/nothing', headers: { 'Transfer-Encoding': 'chunked' } },
  { what: 'a wrong method', line: 'PUT /health/live', headers: json },
  { what: 'a read', line: 'GET /health/live' },
  { what: 'an address that cannot be read', line: 'POST /v1/%zz', headers: json },
  { what: 'a sign-in', line: 'POST /v1/login', headers: json },
  { what: 'no key', line: 'POST /v1/devices', headers: json, answer: 'HTTP/1.1 401' },
  { what: 'too few rights', line: 'POST /v1/devices', headers: json, role: 'viewer', answer: 'HTTP/1.1 403' },
  { what: 'an import without a key', line: 'POST /v1/devices/import', headers: csv, answer: 'HTTP/1.1 401' },
  { what: 'an import', line: 'POST /v1/devices/import', headers: csv, role: 'administrator' },
  {
    what: 'an artifact',
    line: 'POST /v1/artifacts?kind=firmware&name=slow',
    headers: { 'Content-Type': 'application/octet-stream' },
    role: 'administrator',
  },
  { what: 'a call to a device without a key', line: `POST ${device}`, answer: 'HTTP/1.1 401' },
  { what: 'an address under a device that is none', line: 'POST /d/x/y', headers: json },
  { what: 'an unknown expectation', line: 'POST /v1/login', headers: { ...json, Expect: 'a-miracle' } },
];

/** Opens a connection, sends a head and then a byte now and then. Resolves to what was answered once it is closed. */
async function dribble({ line, headers, role }: SlowBody): Promise<string> {
  const { hostname, port } = new URL(world.url);
  const socket = net.connect(Number(port), hostname);
  const key = role ? { Authorization: `Bearer ${world.keys[role]}` } : {};
  const length = headers?.['Transfer-Encoding'] ? {} : LONG;
  const all = { Host: hostname, ...length, ...headers, ...key };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
  socket.on('error', () => undefined); // the gateway closed while a byte was on its way
  socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n`);
  const bytes = setInterval(
    () => socket.writable && socket.write(headers?.['Transfer-Encoding'] ? '1\r\n \r\n' : ' '),
    50,
  );
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(bytes);
  return answer;
}

describe('A body that comes a byte at a time', () => {
  it.concurrent.each(casesOf(cases, 4))('ends its connection: $what', async (slow) => {
    const answer = await dribble(slow);
    if (slow.answer) expect(answer.slice(0, 12)).toBe(slow.answer);
    else expect(answer).toMatch(/^HTTP\/1\.1 (?:408|404|405|200|400) /);
  });

  it('is told why', async () => {
    const answer = await dribble({ what: '', line: 'POST /v1/login', headers: json });
    const [head, body] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(head!.toLowerCase()).toContain('content-type: application/problem+json');
    expect(head!.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(body!)).toMatchObject({ code: 'request_too_slow', status: 408 });
  });
});

describe('A file that comes slowly', () => {
  it('is taken to its end when it moves at the least rate', async () => {
    let left = 10;
    const body = new ReadableStream<Uint8Array>({
      async pull(stream) {
        if (left-- === 0) return stream.close();
        await new Promise((resolve) => setTimeout(resolve, 300));
        stream.enqueue(new Uint8Array(4_000));
      },
    });
    const answer = await fetch(`${world.url}/v1/artifacts?kind=firmware&name=steady`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.keys.administrator}`,
        'content-type': 'application/octet-stream',
      },
      body,
      duplex: 'half',
    });
    expect(answer.status).toBe(201);
  });
});
