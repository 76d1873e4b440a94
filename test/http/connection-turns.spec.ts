import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { takeTurns } from '../../src/connection-turns.js';
import { until } from '../support/until.js';

/* Many requests on one connection. A server of its own: what it starts and answers is seen exactly. */

/** As in the gateway. */
const WAITING_MAX = 64;

class World {
  /** The paths of the requests that were handed over, in order. */
  readonly started: string[] = [];
  /** The most that were in progress at once on one connection. */
  most = 0;
  private inProgress = 0;
  private readonly held: ServerResponse[] = [];
  private readonly sockets: Socket[] = [];
  readonly server = http.createServer((request, response) => void this.handle(request, response));

  async start(): Promise<this> {
    this.server.on('checkContinue', (request, response) => {
      response.writeContinue();
      this.server.emit('request', request, response);
    });
    takeTurns(this.server);
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!;
    this.started.push(path);
    this.most = Math.max(this.most, ++this.inProgress);
    response.once('close', () => this.inProgress--);
    if (path === '/held') this.held.push(response);
    else if (path === '/broken') response.destroy();
    else if (path === '/late') setImmediate(() => response.end('late'));
    else if (path === '/closing') response.setHeader('connection', 'close').end('closing');
    else if (request.method === 'POST') response.end(await text(request));
    else response.end(path.slice(1));
  }

  /** Ends the answers that wait. */
  release(): void {
    for (const response of this.held.splice(0)) response.end('held');
  }

  /** Opens a connection. */
  connect(): { socket: Socket; received: () => string } {
    const socket = net.connect((this.server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    this.sockets.push(socket);
    return { socket, received: () => received };
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    this.server.closeAllConnections();
  }
}

let world: World;
afterEach(() => world.close());

const get = (path: string, headers = '', version = '1.1') => `GET ${path} HTTP/${version}\r\nHost: a\r\n${headers}\r\n`;
const post = (body: string, headers = '') =>
  `POST /post HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
const many = (count: number, path = '/x') => Array.from({ length: count }, () => get(path)).join('');

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

interface Case {
  readonly sent: readonly string[];
  /** The paths that are handed over. */
  readonly started: readonly string[];
  readonly statuses: readonly number[];
  /** Whether the connection is closed afterwards. */
  readonly closes?: true;
}

const ok = (count: number) => Array.from({ length: count }, () => 200);
const times = (count: number, path: string) => Array.from({ length: count }, () => path);

const cases: Record<string, Case> = {
  'one request': { sent: [get('/a')], started: ['/a'], statuses: [200] },
  'three in one packet': {
    sent: [get('/a') + get('/b') + get('/c')],
    started: ['/a', '/b', '/c'],
    statuses: ok(3),
  },
  'as many as may wait': { sent: [many(65)], started: times(65, '/x'), statuses: ok(65) },
  'one more than may wait': { sent: [many(66)], started: times(65, '/x'), statuses: [...ok(65), 429], closes: true },
  thousands: { sent: [many(3_000)], started: times(65, '/x'), statuses: [...ok(65), 429], closes: true },
  'bytes one by one': { sent: [...(get('/a') + get('/b'))], started: ['/a', '/b'], statuses: ok(2) },
  'bodies between them': {
    sent: [post('one') + post('two') + get('/c')],
    started: ['/post', '/post', '/c'],
    statuses: ok(3),
  },
  'a body in chunks before another request': {
    sent: [`POST /post HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n`, `0\r\n\r\n${get('/b')}`],
    started: ['/post', '/b'],
    statuses: ok(2),
  },
  'HEAD before GET': {
    sent: [get('/a').replace('GET', 'HEAD') + get('/b')],
    started: ['/a', '/b'],
    statuses: ok(2),
  },
  'late answers': { sent: [many(5, '/late')], started: times(5, '/late'), statuses: ok(5) },
  'one that closes before others': {
    sent: [get('/a') + get('/closing') + get('/never')],
    started: ['/a', '/closing'],
    statuses: ok(2),
    closes: true,
  },
  'one that the caller closes after others': {
    sent: [get('/a') + get('/b', 'Connection: close\r\n')],
    started: ['/a', '/b'],
    statuses: ok(2),
    closes: true,
  },
  'HTTP/1.0 before others': {
    sent: [get('/a', '', '1.0') + get('/never')],
    started: ['/a'],
    statuses: [200],
    closes: true,
  },
  'one that breaks before others': {
    sent: [get('/a') + get('/broken') + get('/never')],
    started: ['/a', '/broken'],
    statuses: [200],
    closes: true,
  },
  'a caller that waits for 100 Continue': {
    sent: [get('/a') + post('two', 'Expect: 100-continue\r\n') + get('/c')],
    started: ['/a', '/post', '/c'],
    statuses: [200, 100, 200, 200],
  },
};

describe('a connection with', () => {
  it.each(Object.entries(cases))('%s has one in progress, answered in order', async (_name, test) => {
    world = await new World().start();
    const { socket, received } = world.connect();
    for (const part of test.sent) {
      socket.write(part);
      if (test.sent.length > 1) await new Promise(setImmediate);
    }
    await until(() => statuses(received()).length === test.statuses.length);
    if (test.closes) await until(() => socket.closed || socket.readableEnded);
    expect(statuses(received())).toEqual(test.statuses);
    expect(world.started).toEqual(test.started);
    expect(world.most).toBe(1);
  });

  it('a reader that left starts nothing that waited', async () => {
    world = await new World().start();
    const { socket } = world.connect();
    socket.write(get('/held') + many(20));
    await until(() => world.started.length > 0);
    const [accepted] = await Promise.all([once(world.server, 'request'), other('/mark')]);
    socket.destroy();
    await until(() => world.server.listening && socket.closed);
    world.release();
    await other('/last');
    expect(accepted).toBeDefined();
    expect(world.started).toEqual(['/held', '/mark', '/last']);
  });

  it('many requests lets those of other connections between', async () => {
    world = await new World().start();
    const { socket, received } = world.connect();
    socket.write(get('/held') + many(WAITING_MAX - 1));
    await until(() => world.started.length > 0);
    await other('/mark');
    world.release();
    await other('/between');
    await until(() => statuses(received()).length === WAITING_MAX);
    expect(world.started.indexOf('/mark')).toBe(1);
    expect(world.started).toContain('/between');
  });

  it('a flood of requests holds no more than may wait, and reads no further', async () => {
    world = await new World().start();
    const { socket, received } = world.connect();
    const [accepted] = (await Promise.all([once(world.server, 'connection'), once(socket, 'connect')]))[0] as [Socket];
    socket.write(get('/held') + many(200_000));
    await until(() => accepted.isPaused());
    const { bytesRead } = accepted;
    await other('/mark');
    await other('/mark');
    expect(accepted.bytesRead).toBe(bytesRead);
    world.release();
    await until(() => received().includes(' 429 '));
    expect(world.started.filter((path) => path === '/x').length).toBe(WAITING_MAX);
  });
});

/** A request on a connection of its own, answered. */
async function other(path: string): Promise<void> {
  const { socket, received } = world.connect();
  socket.write(get(path));
  await until(() => received().endsWith(path.slice(1)));
  socket.destroy();
}
