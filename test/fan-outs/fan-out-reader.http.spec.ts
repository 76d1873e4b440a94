import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FanOutLine, type SummaryLine } from '../../src/fan-outs/fan-outs.contract.js';
import { FanOutReader } from '../../src/fan-outs/fan-out-reader.js';
import { AnsweringDevice } from '../support/devices/answering-device.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey } from '../support/people.js';
import { until } from '../support/until.js';

/* Fan-outs that are not read. */

/** Their answers are more than what sockets and the gateway hold for one reader. */
const DEVICES = 80;
const ANSWER = JSON.stringify({ success: true, data: { text: 'plain '.repeat(40_000) } });
const PER_OPERATOR = 2;

const FAN_OUT = {
  selector: 'tag:f',
  request: { method: 'GET', path: '/api/some/service/global' },
  policy: { bodies: 'all', concurrency: 2 },
};

let world: TestGateway;
const devices: AnsweringDevice[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  const constants = { FAN_OUTS_PER_OPERATOR: PER_OPERATOR, FAN_OUT_READER_SECONDS: 1 };
  world = await startTestGateway({ ROLE: 'api' }, undefined, constants);
  for (let index = 0; index < DEVICES; index++) {
    const device = new AnsweringDevice();
    device.answer = ANSWER;
    devices.push(device);
    await device.register(world.api, `d-${index}`, ['f']);
  }
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const device of devices) device.close();
  await world.close();
});

/** Sends a fan-out, and reads nothing more once its answer has begun. */
async function sendUnread(): Promise<void> {
  const { hostname, port } = new URL(world.url);
  const body = JSON.stringify(FAN_OUT);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST /v1/fan-out HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.keys.operator}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  sockets.push(socket);
  const begun = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.pause();
  expect(begun.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
}

async function send(body: unknown, key = world.keys.operator): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${world.url}/v1/fan-out`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

const answered = () => devices.reduce((sum, device) => sum + device.answered, 0);

it('are few for each operator, whatever the key, call no more devices than fit, and end', async () => {
  const { operatorId } = await world.as('operator').get<{ operatorId: string }>('/v1/self');
  const second = await addKey(world, operatorId, {});
  for (let index = 0; index < PER_OPERATOR; index++) await sendUnread();
  const small = { ...FAN_OUT, dryRun: true };
  await until(async () => (await send(small, second.key)).status === 429);
  const refused = await send(small, second.key);
  if (refused.status === 429) {
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'too_many_fan_outs', limit: PER_OPERATOR });
  }
  await until(async () => (await send(small)).status === 200);
  expect(answered()).toBeGreaterThan(0);
  expect(answered()).toBeLessThan(PER_OPERATOR * DEVICES);
});

/** A reader whose connection the test holds. */
function heldReader(stallMs: number, silenceMs = 60_000) {
  const raw = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => void raw.emit('close') });
  return { raw, reader: new FanOutReader(raw as unknown as ServerResponse, stallMs, silenceMs) };
}

const LINES: FanOutLine[] = Array.from({ length: 4 }, () => ({ type: 'broken_off', reason: 'x'.repeat(70_000) }));

it('are told from those that are read slowly, whose last line says why they stopped', async () => {
  const { raw, reader } = heldReader(20);
  let left = 0;
  raw.once('close', () => left++);
  const written = reader.write(LINES);
  await until(() => reader.stalled);
  expect(reader.stalled).toBe('its reader read nothing for 0.02 s');
  await until(() => left === 1);
  expect(reader.cancellation.isCancelled).toBe(true);
  await written;
});

it('hear of each silence that the stream lives, between two lines, and not after the last one', async () => {
  const { reader } = heldReader(60_000, 1);
  let text = '';
  reader.stream.on('data', (piece: Buffer) => (text += piece.toString()));
  await until(() => text.length > 2);
  await reader.write([{ type: 'broken_off', reason: 'one' }]);
  reader.end();
  await until(() => reader.stream.readableEnded);
  expect(text).toMatch(/^ +\{"type":"broken_off","reason":"one"\}\n *$/);
});

it('are read to the summary when their reader begins again in time', async () => {
  const { text } = await send(FAN_OUT);
  const summary = JSON.parse(text.trim().split('\n').at(-1)!) as SummaryLine;
  expect(summary).toMatchObject({ type: 'summary', total: DEVICES, counts: { succeeded: DEVICES }, stopped: null });
});
