/*
 * P1, P2, P6: one call through the gateway, beside other proxies in front of the same devices.
 *
 * Each of the 32 callers has a device of its own, so that neither the slots of a device nor the sharing of equal reads
 * plays a part; the baselines get the same paths and a pool for each device. The gateway looks at key, rights, path and
 * session, counts, and (P2) commits an audit entry before each write; the baselines do nothing of the kind.
 */
import { type BareDevice, type BareFleet } from './bare-devices.js';
import { nginxVersion, startNginx } from './baselines/nginx.js';
import { type Gateway } from './gateway.js';
import { requestText, type Load, type LoadResult } from './load.js';
import { alternate, difference, median, ratio } from './measuring.js';
import { cpuMicros, startHelper, type Helper } from './processes.js';
import { significant, type Report } from './report.js';

export const CONNECTIONS = 32;

const GET_PATH = '/api/interfaces/basic/status';
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

/** P1 and P2. */
export async function measureProxying(world: World): Promise<void> {
  const { gateway, bare, report, short } = world;
  const devices = bare.devices.slice(0, CONNECTIONS);
  const ours: Proxy = { port: gateway.port, pid: gateway.pid, headers: gateway.headers(), stop: async () => {} };
  const proxies: Record<string, Proxy> = { ours, fastify: await started('fastify-proxy.js', devices) };
  try {
    const { rounds, seconds } = short ? { rounds: 3, seconds: 0.6 } : { rounds: 7, seconds: 2 };
    await measurePut(world, proxies, devices, rounds, seconds);
    proxies['nest'] = await started('nest-axios.js', devices);
    if (nginxVersion()) proxies['nginx'] = { ...(await startNginx({ devices })), pid: null, headers: {} };
    await measureGet(world, proxies, devices, rounds, seconds);
  } finally {
    await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
  }
  if (!proxies['nginx']) report.skip('P1', 'GET, against nginx', 'nginx is not installed here');
}

async function measureGet(
  { load, report }: World,
  proxies: Record<string, Proxy>,
  devices: readonly BareDevice[],
  rounds: number,
  seconds: number,
): Promise<void> {
  const runs = await compare(load, proxies, (name) => requestText('GET', target(name, GET_PATH)), devices, {
    rounds,
    seconds,
  });
  const bounds = { fastify: 1.7, nest: 6, nginx: 0.25 };
  const names = { fastify: '@fastify/http-proxy', nest: 'Nest + axios', nginx: `nginx ${nginxVersion()}` };
  for (const [name, atLeast] of Object.entries(bounds) as [keyof typeof bounds, number][]) {
    const theirs = runs[name];
    if (!theirs) continue;
    const value = ratio(rates(runs['ours']!), rates(theirs));
    const detail = `${figures(runs['ours']!)} against ${figures(theirs)}`;
    report.add({
      id: 'P1',
      what: `GET, ${CONNECTIONS} connections`,
      value,
      unit: '×',
      against: names[name],
      bound: { atLeast },
      detail,
    });
  }
  const cpu = (name: string) => runs[name]!.map((run) => run.cpuPerRequest);
  report.add({
    id: 'P1',
    what: 'GET, processor time per request',
    value: ratio(cpu('ours'), cpu('fastify')),
    unit: '×',
    against: names.fastify,
    bound: { atMost: 0.65 },
    detail: `${significant(median(cpu('ours')))} µs against ${significant(median(cpu('fastify')))} µs`,
  });
}

async function measurePut(
  { load, report }: World,
  proxies: Record<string, Proxy>,
  devices: readonly BareDevice[],
  rounds: number,
  seconds: number,
): Promise<void> {
  const request = (name: string) => requestText('PUT', target(name, PUT_PATH), {}, PUT_BODY);
  const runs = await compare(load, proxies, request, devices, { rounds, seconds });
  report.add({
    id: 'P2',
    what: `PUT with its audit entry, ${CONNECTIONS} connections`,
    value: ratio(rates(runs['ours']!), rates(runs['fastify']!)),
    unit: '×',
    against: '@fastify/http-proxy',
    bound: { atLeast: 1.3 },
    detail: `${figures(runs['ours']!)} against ${figures(runs['fastify']!)}`,
  });
}

async function compare(
  load: Load,
  proxies: Record<string, Proxy>,
  request: (name: string) => string,
  devices: readonly BareDevice[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Record<string, Run[]>> {
  const way = (proxy: Proxy, forSeconds: number) => async (): Promise<Run> => {
    const cpuBefore = proxy.pid && (await cpuMicros(proxy.pid));
    const requests = devices.map(({ name }) => withHeaders(request(name), proxy.headers));
    const result = await load.ask({ port: proxy.port, requests, seconds: forSeconds });
    const cpuAfter = proxy.pid && (await cpuMicros(proxy.pid));
    return { ...result, cpuPerRequest: ((cpuAfter ?? Number.NaN) - (cpuBefore ?? Number.NaN)) / result.answers };
  };
  for (const proxy of Object.values(proxies)) await way(proxy, Math.max(1, seconds / 2))(); // connections, sessions, compiled code
  const ways = Object.fromEntries(Object.entries(proxies).map(([name, proxy]) => [name, way(proxy, seconds)]));
  return alternate(ways, rounds);
}

/** P6: what the gateway adds to one call of one caller, over the same call made to the device directly. */
export async function measureLatency({ gateway, bare, load, report, short }: World): Promise<void> {
  const device = bare.devices[CONNECTIONS]!;
  const seconds = short ? 0.5 : 1.5;
  const direct = { port: device.port, tls: true, requests: [requestText('GET', GET_PATH)], seconds };
  const through = {
    port: gateway.port,
    requests: [requestText('GET', target(device.name, GET_PATH), gateway.headers())],
    seconds,
  };
  await load.ask(direct);
  await load.ask(through);
  const runs = await alternate({ direct: () => load.ask(direct), through: () => load.ask(through) }, short ? 3 : 9);
  for (const [share, atMost] of [
    ['p50Ms', 0.25],
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

async function started(file: string, devices: readonly BareDevice[]): Promise<Proxy> {
  const helper: Helper<number, never, never> = await startHelper(`baselines/${file}`, { devices });
  return { port: helper.ready, pid: helper.pid, headers: {}, stop: () => helper.stop() };
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
