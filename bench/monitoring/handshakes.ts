/*
 * C10: what would it save a router to resume TLS sessions? The product does not. A client of a few lines asks for whole
 * samples, with a certificate of RSA 2048, each on its own connection, with and without the session of the one before.
 * Bytes are the ledger's, with 800 of TCP/IP for each connection; processor time is that of the simulator's process in
 * /proc, which does more for an answer than a router's web server. Then: many routers that answer slowly and close each
 * connection, by the product's own fan-outs.
 */
import { request } from 'node:https';
import { type TLSSocket } from 'node:tls';
import { METRICS, pathsOf, bulkReadRequest } from '../../src/monitoring/samples/sample-request.js';
import { fanOut } from '../fan-out-client.js';
import { Gateway } from '../gateway.js';
import { alternate, difference, median, ratio } from '../measuring.js';
import { cpuMicros } from '../processes.js';
import { significant } from '../report.js';
import { Routers, type Router } from './routers.js';
import { sized, type Bench } from './scene.js';

const TCP_BYTES = 800;
const LATENCY_MS: [number, number] = [200, 600];
const ROUNDS = 4;

export async function measureHandshakes(bench: Bench): Promise<void> {
  await measureResumption(bench);
  await measureSlowFanOut(bench);
}

interface Answer {
  readonly text: string;
  readonly isResumed: boolean;
  /** For the next connection: a resumed one may bring no new ticket. */
  readonly session: Buffer | undefined;
}

/** One request on a connection of its own. */
function ask({ baseUrl }: Router, path: string, body: object, token?: string, session?: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let ticket = session;
    let isResumed = false;
    const options = {
      method: 'POST',
      agent: false as const,
      rejectUnauthorized: false,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(session ? { session } : {}),
    };
    const asked = request(baseUrl + path, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.once('end', () => {
        if (!String(answer.statusCode).startsWith('2')) reject(new Error(`${path} answered ${answer.statusCode}`));
        else resolve({ text, isResumed, session: ticket });
      });
      answer.once('error', reject);
    });
    asked.once('socket', (socket) => {
      socket.on('session', (one: Buffer) => (ticket = one));
      socket.once('secureConnect', () => (isResumed = (socket as TLSSocket).isSessionReused()));
    });
    asked.once('error', reject);
    asked.end(JSON.stringify(body));
  });
}

interface Cost {
  readonly bytes: number;
  readonly cpuMs: number;
}

async function measureResumption(bench: Bench): Promise<void> {
  const routers = await Routers.start({ devices: 1, scale: 1, family: 'RUTX50', rsaBits: 2_048 });
  try {
    const samples = sized(bench, 500, 150);
    const [router] = routers.all;
    const { username, password } = router!;
    const login = await ask(router!, '/api/login', { data: { username, password } });
    const token = /"(?:token|ubus_rpc_session)": ?"([^"]+)"/.exec(login.text)![1]!;
    const sample = (session?: Buffer) =>
      ask(router!, '/api/bulk', bulkReadRequest(pathsOf({ metrics: METRICS, extra: [] })), token, session);
    for (let turn = 0; turn < 50; turn++) await sample(); // most of the code is compiled then
    const cost = async (resumes: boolean): Promise<Cost> => {
      const [before, cpu] = [await routers.sum(), await cpuMicros(routers.pid)];
      let last = await sample();
      for (let turn = 1; turn < samples; turn++) {
        last = await sample(resumes ? last.session : undefined);
        if (last.isResumed !== resumes) throw new Error(`a session was ${resumes ? 'not ' : ''}resumed`);
      }
      const [after, cpuAfter] = [await routers.sum(), await cpuMicros(routers.pid)];
      const bytes = after.bytes - before.bytes + TCP_BYTES * (after.connections - before.connections);
      return { bytes: bytes / samples, cpuMs: ((cpuAfter ?? NaN) - (cpu ?? NaN)) / 1_000 / samples };
    };
    tellResumption(bench, samples, await alternate({ whole: () => cost(false), resumed: () => cost(true) }, ROUNDS));
  } finally {
    await routers.stop();
  }
}

function tellResumption(
  { report }: Bench,
  samples: number,
  { whole, resumed }: Record<'whole' | 'resumed', readonly Cost[]>,
): void {
  const compare = (key: keyof Cost, what: string, unit: string, where: string, atMost: number) => {
    const [with_, without] = [resumed.map((cost) => cost[key]), whole.map((cost) => cost[key])];
    report.add({
      id: 'C10',
      what: `${what} of a sample that resumes TLS (RSA 2048)`,
      value: ratio(with_, without),
      unit: '×',
      against: 'one that does not',
      bound: { atMost },
      detail:
        `${where}: ${significant(median(with_))} against ${significant(median(without))} ${unit}, saved ` +
        `${significant(-difference(with_, without))}; ${ROUNDS} rounds of ${samples} samples`,
    });
  };
  compare('bytes', 'bytes', 'bytes', "simulator's ledger and 800 for TCP/IP", 0.87);
  compare('cpuMs', 'processor time of the router', 'ms', '/proc of the simulator', 0.6);
}

/** The bound: what all answers take when so many are waited for at once. */
async function measureSlowFanOut(bench: Bench): Promise<void> {
  const devices = sized(bench, 2_000, 200);
  const routers = await Routers.start({ devices, scale: 1, latencyMs: LATENCY_MS });
  const gateway = await Gateway.install({});
  try {
    await gateway.importCsv(routers.csv);
    const before = await routers.sum();
    const first = await fanOut(gateway, 'all', devices);
    const contact = await routers.sum();
    for (const atOnce of [128, 512]) tellFanOut(bench, devices, atOnce, await fanOut(gateway, 'all', devices, atOnce));
    const connections = contact.connections - before.connections;
    bench.report.add({
      id: 'C10',
      what: `first contact with ${devices.toLocaleString('en-GB')} slow routers: connections of each`,
      value: connections / devices,
      unit: 'connections',
      against: '',
      bound: { atMost: 3 },
      detail: `simulator's ledger: ${connections} connections, ${contact.logins - before.logins} logins; it took ${significant(first.ms / 1_000)} s`,
    });
  } finally {
    await gateway.remove();
    await routers.stop();
  }
}

function tellFanOut({ report }: Bench, devices: number, atOnce: number, { ms }: { readonly ms: number }): void {
  const [least, most] = LATENCY_MS;
  const boundMs = Math.max(most, ((devices / Math.min(atOnce, devices)) * (least + most)) / 2);
  report.add({
    id: 'C10',
    what: `fan-out over ${devices.toLocaleString('en-GB')} routers that answer in ${least} to ${most} ms and close, ${atOnce} at once`,
    value: ms / boundMs,
    unit: '×',
    against: 'the bound of the number at once',
    detail: `${significant(ms / 1_000)} s against ${significant(boundMs / 1_000)} s; in known sessions, the simulator on the same cores`,
  });
}
