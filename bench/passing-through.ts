/*
 * P1, P2, P6: one call through the gateway, beside other proxies in front of the same devices.
 *
 * Each of the 32 callers has a device of its own, so that neither the slots of a device nor the sharing of equal reads
 * plays a part; the baselines get the same paths and a pool for each device. The gateway looks at key, rights, path and
 * session, counts, and (P2) commits an audit entry before each write; the baselines do nothing of the kind.
 */
import { type BareDevice, type BareFleet } from './bare-devices.js';
import { haproxyVersion, startHaproxy } from './baselines/haproxy.js';
import { nginxVersion, startNginx } from './baselines/nginx.js';
import { type Gateway } from './gateway.js';
import { requestText, type Load, type LoadQuestion, type LoadResult } from './load.js';
import { alternate, difference, median, ratio, undisturbedRatio } from './measuring.js';
import { familyCpuMicros, startHelper, type Helper } from './processes.js';
import { significant, type Report } from './report.js';

export const CONNECTIONS = 32;

/** Requests before the first that counts: connections and sessions are there by then, and V8 has compiled what is hot. */
export const warmUpAnswers = (short: boolean): number => (short ? 1_500 : 15_000);

export const GET_PATH = '/api/interfaces/basic/status';
const PUT_PATH = '/api/interfaces/config/lan';
const PUT_BODY = JSON.stringify({ data: { id: 'lan', ipaddr: '192.0.2.1', netmask: '255.255.255.0', enabled: '1' } });

export interface World {
  readonly gateway: Gateway;
  readonly bare: BareFleet;
  readonly load: Load;
  readonly report: Report;
  readonly short: boolean;
}

interface Proxy {
  readonly port: number;
  /** Null: its processor time is not looked at. */
  readonly pid: number | null;
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface Run extends LoadResult {
  readonly cpuPerRequest: number;
}

/** P1. */
export async function measureGet(world: World): Promise<void> {
  const { report } = world;
  const devices = world.bare.devices.slice(0, CONNECTIONS);
  const proxies = { ours: oursOf(world), ...(await startAll(['fastify-proxy.js', 'nest-axios.js'], devices)) };
  const nginx = nginxVersion();
  if (nginx) Object.assign(proxies, { nginx: { ...(await startNginx({ devices })), pid: null, headers: {} } });
  else report.skip('P1', 'GET, against nginx', 'nginx is not installed here');
  const haproxy = haproxyVersion();
  if (haproxy) Object.assign(proxies, { haproxy: { ...(await startHaproxy({ devices })), pid: null, headers: {} } });
  else report.skip('P1', 'GET, against HAProxy', 'HAProxy is not installed here');
  const request = (name: string) => requestText('GET', target(name, GET_PATH));
  const runs = await compare(world, proxies, request, devices);
  const ours = runs['ours']!;
  const baselines = [
    ['fastify-proxy.js', '@fastify/http-proxy', 1.2],
    ['nest-axios.js', 'Nest + axios', 4],
    ['nginx', `nginx ${nginx}`, 0.25],
    ['haproxy', `HAProxy ${haproxy}, the ceiling`, null],
  ] as const;
  for (const [name, against, atLeast] of baselines) {
    const theirs = runs[name];
    if (!theirs) continue;
    const detail = `${figures(ours)} against ${figures(theirs)}`;
    report.add({
      id: 'P1',
      what: `GET, ${CONNECTIONS} connections`,
      value: ratio(rates(ours), rates(theirs)),
      undisturbed: undisturbedRatio(rates(ours), rates(theirs), 'high'),
      unit: '×',
      against,
      ...(atLeast === null ? {} : { bound: { atLeast } }),
      detail,
    });
  }
  const cpu = (of: readonly Run[]) => of.map((run) => run.cpuPerRequest);
  const theirs = runs['fastify-proxy.js']!;
  report.add({
    id: 'P1',
    what: 'GET, processor time per request',
    value: ratio(cpu(ours), cpu(theirs)),
    undisturbed: undisturbedRatio(cpu(ours), cpu(theirs), 'low'),
    unit: '×',
    against: '@fastify/http-proxy',
    bound: { atMost: 0.85 },
    detail: `${significant(median(cpu(ours)))} µs against ${significant(median(cpu(theirs)))} µs`,
  });
}

/** P2. */
export async function measurePut(world: World): Promise<void> {
  const devices = world.bare.devices.slice(0, CONNECTIONS);
  const proxies = { ours: oursOf(world), ...(await startAll(['fastify-proxy.js'], devices)) };
  const request = (name: string) => putRequest(name);
  const runs = await compare(world, proxies, request, devices);
  const [ours, theirs] = [runs['ours']!, runs['fastify-proxy.js']!];
  world.report.add({
    id: 'P2',
    what: `PUT with its audit entry, ${CONNECTIONS} connections`,
    value: ratio(rates(ours), rates(theirs)),
    undisturbed: undisturbedRatio(rates(ours), rates(theirs), 'high'),
    unit: '×',
    against: '@fastify/http-proxy',
    bound: { atLeast: 0.75 },
    detail: `${figures(ours)} against ${figures(theirs)}`,
  });
}

/** The write of P2 to one device. */
export const putRequest = (name: string, headers: Readonly<Record<string, string>> = {}): string =>
  requestText('PUT', target(name, PUT_PATH), headers, PUT_BODY);

const oursOf = ({ gateway }: World): Proxy => ({
  port: gateway.port,
  pid: gateway.pid,
  headers: gateway.headers(),
  stop: async () => {},
});

/** Starts baselines of the folder by the names of their files. */
async function startAll(files: readonly string[], devices: readonly BareDevice[]): Promise<Record<string, Proxy>> {
  const start = async (file: string): Promise<[string, Proxy]> => {
    const helper: Helper<number, never, never> = await startHelper(`baselines/${file}`, { devices });
    return [file, { port: helper.ready, pid: helper.pid, headers: {}, stop: () => helper.stop() }];
  };
  return Object.fromEntries(await Promise.all(files.map(start)));
}

/** Loads each proxy in turn, several rounds, and stops those that were started for it. */
async function compare(
  { load, short }: World,
  proxies: Record<string, Proxy>,
  request: (name: string) => string,
  devices: readonly BareDevice[],
): Promise<Record<string, Run[]>> {
  const way = (proxy: Proxy, until: Pick<LoadQuestion, 'seconds' | 'answers'>) => async (): Promise<Run> => {
    const cpuBefore = proxy.pid && (await familyCpuMicros(proxy.pid));
    const requests = devices.map(({ name }) => withHeaders(request(name), proxy.headers));
    const result = await load.ask({ port: proxy.port, requests, ...until });
    const cpuAfter = proxy.pid && (await familyCpuMicros(proxy.pid));
    return { ...result, cpuPerRequest: ((cpuAfter ?? Number.NaN) - (cpuBefore ?? Number.NaN)) / result.answers };
  };
  try {
    const ways = (until: Pick<LoadQuestion, 'seconds' | 'answers'>) =>
      Object.fromEntries(Object.entries(proxies).map(([name, proxy]) => [name, way(proxy, until)]));
    await alternate(ways({ answers: warmUpAnswers(short) }), 1);
    return await alternate(ways({ seconds: short ? 0.5 : 2 }), short ? 3 : 7);
  } finally {
    await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
  }
}

/** P6: what the gateway adds to one call of one caller, over the same call made to the device directly. */
export async function measureLatency({ gateway, bare, load, report, short }: World): Promise<void> {
  const device = bare.devices[CONNECTIONS]!;
  const seconds = short ? 0.3 : 1.5;
  const direct = { port: device.port, tls: true, requests: [requestText('GET', GET_PATH)] };
  const through = {
    port: gateway.port,
    requests: [requestText('GET', target(device.name, GET_PATH), gateway.headers())],
  };
  for (const way of [direct, through]) await load.ask({ ...way, answers: warmUpAnswers(short) });
  const runs = await alternate(
    { direct: () => load.ask({ ...direct, seconds }), through: () => load.ask({ ...through, seconds }) },
    short ? 3 : 9,
  );
  for (const [share, atMost] of [
    ['p50Ms', 0.2],
    ['p99Ms', 1.5],
  ] as const) {
    const of = (name: 'direct' | 'through') => runs[name].map((run) => run[share]);
    report.add({
      id: 'P6',
      what: `latency added at 1 connection, ${share.slice(0, 3)}`,
      value: difference(of('through'), of('direct')),
      unit: 'ms',
      against: 'a direct call',
      bound: { atMost },
      detail: `${significant(median(of('through')))} ms against ${significant(median(of('direct')))} ms`,
    });
  }
}

export const target = (name: string, path: string): string => `/v1/devices/name:${name}${path}`;

function withHeaders(request: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = request.indexOf('\r\n') + 2;
  return request.slice(0, end) + lines.join('') + request.slice(end);
}

const rates = (runs: readonly LoadResult[]): number[] => runs.map(({ perSecond }) => perSecond);

const figures = (runs: readonly LoadResult[]): string =>
  `${significant(median(rates(runs)))}/s, p99 ${significant(median(runs.map(({ p99Ms }) => p99Ms)))} ms`;
