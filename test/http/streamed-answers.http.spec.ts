import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* Answers as streams have many listeners, and one more while the next request of their connection waits. None is a leak. */

let world: TestGateway;
const warnings: string[] = [];
const onWarning = ({ message }: Error) => void warnings.push(message);

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  await world.api.post('/v1/devices', { name: 'a', baseUrl: 'https://127.0.0.1:9' });
});
afterAll(() => world.close());
beforeEach(() => {
  warnings.length = 0;
  process.on('warning', onWarning);
});
afterEach(() => void process.off('warning', onWarning));

/** Sends requests in one packet, and reads to the end of the last answer. */
async function sendTogether(...requests: readonly { line: string; body?: string }[]): Promise<string> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  const packet = requests.map(({ line, body = '' }, index) =>
    [
      `${line} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${world.keys.operator}`,
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      ...(index === requests.length - 1 ? ['Connection: close'] : []),
      '',
      body,
    ].join('\r\n'),
  );
  socket.write(packet.join(''));
  return text(socket);
}

const FAN_OUT = JSON.stringify({ selector: 'all', request: { method: 'GET', path: '/api/system/device/status' } });

it.each([
  ['an export', { line: 'GET /v1/devices/export' }],
  ['a fan-out', { line: 'POST /v1/fan-out', body: FAN_OUT }],
])('%s makes no warning, also with another request behind it', async (_name, request) => {
  const answers = await sendTogether(request, { line: 'GET /v1/self' });
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  expect(answers).toMatch(/transfer-encoding: chunked/i);
  expect(warnings).toEqual([]);
});
