/*
 * Devices that cost next to nothing: bare TLS sockets with HTTP keep-alive and a constant answer of 1.5 KB, a port each,
 * in one separate process. The gateway and every baseline use the same ones; a device that did more would make the ratios
 * look better than they are. They accept any login and any body, and answer a login with a token.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from '../src/simulator/device/certificates.js';
import { serveParent, startHelper, type Helper } from './processes.js';

/** The usual answer of a status endpoint: an envelope with about 1.5 KB. */
const STATUS_BODY = JSON.stringify({
  success: true,
  data: Array.from({ length: 10 }, (_, index) => ({
    id: `interface-${index}`,
    up: true,
    proto: 'static',
    ipv4: `192.0.2.${index}`,
    rx_bytes: 982_451_653 + index,
    tx_bytes: 879_190_747 + index,
    uptime: 86_400 + index,
  })),
});

const LOGIN_BODY = JSON.stringify({ success: true, data: { username: 'admin', expires: 3600, token: 'f'.repeat(32) } });
const REFUSED_BODY = JSON.stringify({
  success: false,
  errors: [{ code: 121, error: 'Unauthorized', source: 'token' }],
});

const answerOf = (status: string, body: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Keep-Alive: timeout=60\r\n\r\n${body}`,
  );

const STATUS = answerOf('200 OK', STATUS_BODY);
const LOGIN = answerOf('200 OK', LOGIN_BODY);
const REFUSED = answerOf('401 Unauthorized', REFUSED_BODY);

export interface BareDevice {
  readonly name: string;
  readonly port: number;
}

export interface BareFleet extends Helper<readonly number[], never, never> {
  readonly devices: readonly BareDevice[];
  /** A file that the gateway imports. */
  readonly csv: string;
}

/** From how many milliseconds to how many. */
export type Range = readonly [from: number, to: number];

/** How long an answer takes; null: no time. */
type Latency = Range | null;

/**
 * Starts devices on free ports.
 * @param latencyMs how long their answers take, a new random time for each, so that callers do not synchronise; absent:
 *   they answer at once
 */
export async function startBareDevices(count: number, latencyMs: Latency = null): Promise<BareFleet> {
  const helper = await startHelper<readonly number[], never, never>('bare-devices.js', { count, latencyMs });
  const prefix = latencyMs === null ? 'bare' : `bare-${latencyMs.join('-')}-ms`;
  const devices = helper.ready.map((port, index) => ({ name: `${prefix}-${index}`, port }));
  const lines = devices.map(({ name, port }) => `${name},https://127.0.0.1:${port},admin,bare-password,bare`);
  return { ...helper, devices, csv: ['name,base_url,username,password,tags', ...lines, ''].join('\n') };
}

/** One connection: answers each request when its body has come in. */
function serve(socket: Socket, latencyMs: Latency): void {
  let rest: Buffer | null = null;
  let bodyLeft = 0;
  let answer = STATUS;
  const reply = () => {
    if (latencyMs === null) {
      socket.write(answer);
      return;
    }
    const [from, to] = latencyMs;
    setTimeout(() => void socket.write(answer), from + Math.random() * (to - from));
  };
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    rest = null;
    while (bytes.length > 0) {
      if (bodyLeft === 0) {
        const end = bytes.indexOf('\r\n\r\n');
        if (end < 0) {
          rest = bytes;
          return;
        }
        const head = bytes.toString('latin1', 0, end);
        answer = answerTo(head);
        bodyLeft = bodyLength(head);
        bytes = bytes.subarray(end + 4);
        if (bodyLeft === 0) reply();
        continue;
      }
      const taken = Math.min(bodyLeft, bytes.length);
      bytes = bytes.subarray(taken);
      bodyLeft -= taken;
      if (bodyLeft === 0) reply();
    }
  });
}

function answerTo(head: string): Buffer {
  if (head.startsWith('POST /api/login ')) return LOGIN;
  if (head.startsWith('GET /api/unauthorized/status ')) return REFUSED;
  return STATUS;
}

function bodyLength(head: string): number {
  const found = head.startsWith('GET') ? null : /\r\ncontent-length: *(\d+)/i.exec(head);
  return found ? Number(found[1]) : 0;
}

async function listen(count: number, latencyMs: Latency): Promise<number[]> {
  const now = Date.now();
  const { certificatePem, keyPem } = selfSigned({
    commonName: 'bare',
    notBefore: new Date(now - 86_400_000),
    notAfter: new Date(now + 86_400_000),
  });
  const tls = createTlsServer({ key: keyPem, cert: certificatePem }, (socket) => serve(socket, latencyMs));
  tls.on('tlsClientError', (_error, socket) => socket.destroy());
  const ports: number[] = [];
  for (let index = 0; index < count; index++) {
    const server = createServer((socket) => tls.emit('connection', socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 2_048, resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  return ports;
}

if (process.argv[1]?.endsWith('bare-devices.js')) {
  await serveParent(async ({ count, latencyMs }: { count: number; latencyMs: Latency }) => ({
    ready: await listen(count, latencyMs),
  }));
}
