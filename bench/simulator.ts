/*
 * The simulator's own limits: time and memory of a start, and requests per second beside a bare `node:https` server with the
 * same kind of certificate and a constant body, in alternated runs of one invocation. One answer is the same each time and is
 * written once; two are live values, computed for each request. Ratios count, absolute figures only give the scale.
 * `npm run bench:simulator`.
 */
import { fork } from 'node:child_process';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { selfSigned } from '../src/simulator/device/certificates.js';
import { startFleet } from '../src/simulator/fleet.js';

const CONNECTIONS = 32;
const SECONDS = 1;
const WARM_UP_SECONDS = 1;
const ROUNDS = 11;

/** What the server process tells its parent. */
interface StartedServer {
  readonly url: string;
  readonly token: string;
  readonly startedMs: number;
  readonly residentMB: number;
}

interface ServerProcess {
  readonly ready: StartedServer;
  /** Microseconds of processor time used so far. */
  readonly cpu: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** A server in a process of its own, so that it does not share a processor's turn with the load. */
async function serverProcess(kind: string): Promise<ServerProcess> {
  const child = fork(fileURLToPath(import.meta.url), [kind], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ready = await new Promise<StartedServer>((resolve, reject) => {
    child.once('message', (message) => resolve(message as StartedServer));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    ready,
    cpu: () =>
      new Promise((resolve) => {
        child.once('message', (micros) => resolve(micros as number));
        child.send('cpu');
      }),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/** In the server process: answers its parent's question for the processor time. */
function answerCpu(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
}

/** What is asked for, and the least ratio that it may have; null: only measured. */
const READS: readonly (readonly [path: string, least: number | null])[] = [
  ['/api/system/device/status', 0.6],
  ['/api/modems/status', null],
  ['/api/data_usage/month/status', null],
];

async function bodyOf({ url, token }: StartedServer, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } };
    const request = httpsRequest(url + path, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
    request.end();
  });
}

const HEAD_END = '\r\n\r\n';

/** Bytes of an answer from its head on; NaN while the head is not complete. */
function lengthOf(head: string): number {
  const end = head.indexOf(HEAD_END);
  const body = /^content-length: (\d+)\r$/im.exec(head)?.[1];
  return end < 0 ? Number.NaN : end + HEAD_END.length + Number(body ?? 0);
}

/** One caller over one connection: asks, takes the answer, asks again. Returns the number of answers. */
function caller({ url, token }: StartedServer, path: string, end: number): Promise<number> {
  const { port, host } = new URL(url);
  const question = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let done = 0;
    let head = '';
    let received = 0;
    let length = Number.NaN;
    const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false }, () =>
      socket.write(question),
    );
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (Number.isNaN(length)) {
        head += chunk.toString('latin1');
        length = lengthOf(head);
      }
      if (Number.isNaN(length) || received < length) return;
      done++;
      [head, received, length] = ['', 0, Number.NaN];
      if (performance.now() < end) socket.write(question);
      else {
        socket.destroy();
        resolve(done);
      }
    });
  });
}

interface Run {
  readonly rate: number;
  readonly cpuMicros: number;
}

/** Requests per second of `CONNECTIONS` callers, made with bare TLS sockets so that the load costs less than the server. */
async function load(server: ServerProcess, path: string, seconds: number): Promise<Run> {
  const cpuBefore = await server.cpu();
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => caller(server.ready, path, end)));
  const done = counts.reduce((sum, count) => sum + count, 0);
  const elapsed = (performance.now() - begun) / 1000;
  return { rate: done / elapsed, cpuMicros: ((await server.cpu()) - cpuBefore) / done };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const residentMB = (): number => Math.round(process.memoryUsage.rss() / 1e6);

async function login(baseUrl: string, password: string): Promise<string> {
  const body = JSON.stringify({ data: { username: 'admin', password } });
  return new Promise((resolve, reject) => {
    const request = httpsRequest(`${baseUrl}/api/login`, { method: 'POST', rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve((JSON.parse(text) as { data: { token: string } }).data.token));
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function serveFleet(devices: number, withCertificates: boolean): Promise<StartedServer> {
  const begun = performance.now();
  const fleet = await startFleet({ devices, profile: 'rutos', keepAlive: true });
  if (withCertificates) fleet.csv();
  const startedMs = performance.now() - begun;
  const device = fleet.devices[0]!;
  return {
    url: device.baseUrl,
    token: await login(device.baseUrl, device.password),
    startedMs,
    residentMB: residentMB(),
  };
}

/** The baseline: one constant body of the same size, nothing looked at. */
async function serveBare(body: string): Promise<StartedServer> {
  const now = Date.now();
  const { certificatePem, keyPem } = selfSigned({
    commonName: 'bare',
    notBefore: new Date(now),
    notAfter: new Date(now + 86_400_000),
  });
  const server = createServer({ key: keyPem, cert: certificatePem }, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'none',
    startedMs: 0,
    residentMB: residentMB(),
  };
}

async function compare(): Promise<void> {
  console.log(
    `simulator bench: ${CONNECTIONS} connections, ${SECONDS} s each, ${ROUNDS} alternated rounds, Node ${process.version}`,
  );
  for (const [devices, certificates] of [
    [1_000, 'certificates on first contact'],
    [1_000, 'all certificates made'],
    [10_000, 'certificates on first contact'],
    [10_000, 'all certificates made'],
  ] as const) {
    const { ready, stop } = await serverProcess(`fleet:${devices}:${certificates.startsWith('all') ? 1 : 0}`);
    console.log(
      `  ${String(devices).padStart(6)} devices, ${certificates}: ready in ${(ready.startedMs / 1000).toFixed(2)} s, ${ready.residentMB} MB resident`,
    );
    await stop();
  }
  const fleet = await serverProcess('fleet:1:1');
  for (const [path, least] of READS) await compareRead(fleet, path, least);
  await fleet.stop();
}

/** One read of the simulator beside a bare server with a body of the same size. */
async function compareRead(fleet: ServerProcess, path: string, least: number | null): Promise<void> {
  const body = await bodyOf(fleet.ready, path);
  process.env['BENCH_BODY'] = body;
  const bare = await serverProcess('bare');
  await load(fleet, path, WARM_UP_SECONDS);
  await load(bare, path, WARM_UP_SECONDS);
  const runs: Record<'fleet' | 'bare', Run[]> = { fleet: [], bare: [] };
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // The order changes, and each ratio is of neighbours: a machine that others use is slow at times.
    const own = round % 2 === 0 ? await load(fleet, path, SECONDS) : null;
    runs.bare.push(await load(bare, path, SECONDS));
    runs.fleet.push(own ?? (await load(fleet, path, SECONDS)));
    ratios.push(runs.fleet.at(-1)!.rate / runs.bare.at(-1)!.rate);
  }
  await bare.stop();
  const of = (kind: keyof typeof runs, what: keyof Run): number => median(runs[kind].map((run) => run[what]));
  console.log(`  GET ${path}, body of ${body.length} bytes`);
  for (const kind of ['bare', 'fleet'] as const) {
    const name = kind === 'bare' ? 'bare node:https' : 'simulator';
    console.log(
      `    ${name.padEnd(15)} ${Math.round(of(kind, 'rate'))} req/s, ${Math.round(of(kind, 'cpuMicros'))} µs of processor time per request`,
    );
  }
  const limit = least === null ? '' : ` (at least ${least.toFixed(2)})`;
  console.log(`    ratio ${median(ratios).toFixed(2)} of the requests per second${limit}`);
}

const [kind, devices, certificates] = (process.argv[2] ?? '').split(':');
if (kind === 'fleet' || kind === 'bare') answerCpu();
if (kind === 'fleet') process.send!(await serveFleet(Number(devices), certificates === '1'));
else if (kind === 'bare') process.send!(await serveBare(process.env['BENCH_BODY'] ?? '{}'));
else await compare();
