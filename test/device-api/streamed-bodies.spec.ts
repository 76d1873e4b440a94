import { createHash, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerSink, Exchange, type Flow } from '../../src/device-api/exchange.js';
import { openClient } from '../../src/device-api/http.js';

/*
 * Bodies of all sizes and framings, to readers that are fast, slow, or leave. STREAMED_BODIES=large adds 16 and 64 MB.
 */

const KB = 1024;
const SIZES = [1, 60, 100, 150, 2048].concat(process.env.STREAMED_BODIES === 'large' ? [16_384, 65_536] : []);
const FRAMINGS = ['keep-alive', 'close', 'chunked', 'chunked, close', 'until the end'] as const;
type Framing = (typeof FRAMINGS)[number];

/** What the gateway may hold of an answer that its reader has not taken: one read of a socket, and one buffer of it. */
const HELD_MAX_BYTES = 512 * KB;

const limits = { firstByteMs: 60_000, totalMs: 120_000, maxBytes: 128 * 1024 * KB, bytesPerSecond: KB };
const rules = { forbids: () => null, takePin: (pin: string) => Promise.resolve(pin) };

/** Answers `/<framing>/<kilobytes>` with random bytes of that size, and closes at once where the framing says so. */
class Device {
  server!: Server;
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private readonly contents = new Map<number, Buffer>();

  content(kilobytes: number): Buffer {
    const content = this.contents.get(kilobytes) ?? randomBytes(kilobytes * KB);
    this.contents.set(kilobytes, content);
    return content;
  }

  async start(): Promise<string> {
    this.server = createServer((socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (!text.includes('\r\n\r\n')) return;
        const [, framing, kilobytes] = /^GET \/([^/]+)\/(\d+)/.exec(text)!;
        text = '';
        this.answer(socket, decodeURIComponent(framing!) as Framing, this.content(Number(kilobytes)));
      });
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(socket: Socket, framing: Framing, content: Buffer): void {
    const isChunked = framing.startsWith('chunked');
    const length = isChunked ? 'transfer-encoding: chunked\r\n' : `content-length: ${content.length}\r\n`;
    const connection = framing === 'keep-alive' || framing === 'chunked' ? 'keep-alive' : 'close';
    socket.write(`HTTP/1.1 200 OK\r\n${framing === 'until the end' ? '' : length}connection: ${connection}\r\n\r\n`);
    if (isChunked) {
      for (let at = 0; at < content.length; at += 3_000) {
        const part = content.subarray(at, at + 3_000);
        socket.write(`${part.length.toString(16)}\r\n`);
        socket.write(part);
        socket.write('\r\n');
      }
      socket.write('0\r\n\r\n');
    } else socket.write(content);
    if (connection === 'close') socket.end();
  }
}

/** Hands an answer on as a stream, as the calls of jobs do. */
class StreamingSink implements AnswerSink {
  flow: Flow | null = null;
  pauses = 0;
  readonly body = new Readable({ read: () => this.flow?.resume() });

  head(_status: number, _headers: unknown, flow: Flow): void {
    this.flow = flow;
  }

  data(chunk: Buffer): void {
    if (this.body.push(chunk)) return;
    this.pauses++;
    this.flow!.pause();
  }
}

const device = new Device();
let origin: string;

beforeAll(async () => {
  origin = await device.start();
});
afterAll(() => device.close());

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function read(client: ReturnType<typeof openClient>, framing: Framing, kilobytes: number, isSlow: boolean) {
  const sink = new StreamingSink();
  const request = {
    method: 'GET',
    path: `/${encodeURIComponent(framing)}/${kilobytes}`,
    headers: [] as string[],
    body: null,
  };
  const exchange = new Exchange(client, request, sink, limits);
  const ended = exchange.done.then(
    () => void sink.body.push(null),
    (error: Error) => void sink.body.destroy(error),
  );
  const hash = createHash('sha256');
  let taken = 0;
  let heldMost = 0;
  const reader = new Writable({
    highWaterMark: isSlow ? 1 : 1024 * KB,
    write: (chunk: Buffer, _encoding, done) => {
      heldMost = Math.max(heldMost, exchange.receivedBytes - taken);
      taken += chunk.length;
      hash.update(chunk);
      if (isSlow) void nextTurn().then(() => nextTurn().then(() => done()));
      else done();
    },
  });
  await pipeline(sink.body, reader);
  await ended;
  return { taken, digest: hash.digest('hex'), heldMost, pauses: sink.pauses };
}

describe.each(FRAMINGS)('an answer that is framed by: %s', (framing) => {
  it.each(SIZES)('arrives whole with %i kB, however fast it is read, and again on the next request', async (size) => {
    const client = openClient(origin, { mode: 'insecure' }, rules);
    const expected = { taken: size * KB, digest: sha256(device.content(size)) };
    for (const isSlow of [true, false, true]) {
      const { heldMost, ...got } = await read(client, framing, size, isSlow);
      expect(got).toMatchObject(expected);
      expect(heldMost).toBeLessThanOrEqual(HELD_MAX_BYTES);
      if (isSlow && size > 500) expect(got.pauses).toBeGreaterThan(0);
    }
    await client.destroy();
  });
});

describe('a reader that holds the answer back', () => {
  const open = () => openClient(origin, { mode: 'insecure' }, rules);
  const ask = (client: ReturnType<typeof open>, path: string, sink: AnswerSink) =>
    new Exchange(client, { method: 'GET', path, headers: [], body: null }, sink, limits);

  it('may let go in the same breath', async () => {
    const client = open();
    const chunks: Buffer[] = [];
    let flow: Flow;
    const sink: AnswerSink = {
      head: (_status, _headers, itsFlow) => (flow = itsFlow),
      data: (chunk) => {
        chunks.push(chunk);
        flow.pause();
        flow.resume();
      },
    };
    await ask(client, '/close/2048', sink).done;
    expect(Buffer.concat(chunks).equals(device.content(2048))).toBe(true);
    await client.destroy();
  });

  it('does not hold back the next answer of the connection', async () => {
    const client = open();
    const before = device.connections;
    let flow: Flow;
    const first: AnswerSink = {
      head: (_status, _headers, itsFlow) => (flow = itsFlow),
      data: () => flow.pause(), // with the only part: the answer is complete
    };
    await ask(client, '/keep-alive/1', first).done;
    const { taken } = await read(client, 'keep-alive', 150, true);
    flow!.pause();
    const again = await read(client, 'keep-alive', 150, true);
    expect([taken, again.taken, device.connections - before]).toEqual([150 * KB, 150 * KB, 1]);
    await client.destroy();
  });

  it('may give it up', async () => {
    const client = open();
    let exchange: Exchange | null = null;
    const sink: AnswerSink = {
      head: (_status, _headers, flow) => {
        flow.pause();
        setImmediate(() => exchange!.abort());
      },
      data: () => undefined,
    };
    exchange = ask(client, '/close/2048', sink);
    await expect(exchange.done).rejects.toMatchObject({ fault: 'aborted' });
    const { taken } = await read(client, 'close', 150, true);
    expect(taken).toBe(150 * KB);
    await client.destroy();
  });
});
