import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestApi } from '../../support/test-api.js';
import { startFleet, type Fleet } from '../../../src/simulator/fleet.js';
import { BEHAVIOURS, type Behaviour } from '../../device-api/hostile-device.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { isNightlyForm, sizeOf } from '../../support/forms.js';
import { GatewayProcess } from '../../support/gateway-process.js';

/*
 * A fleet in which one device of ten is broken or means harm, in every way that `hostile-device.ts` knows, behind a gateway
 * that is a process of its own. Half of the hostile ones let the gateway log in first, so that the call itself is met.
 * `HOSTILE_FLEET_DEVICES=1000` makes it larger.
 */

const DEVICES = Number(process.env['HOSTILE_FLEET_DEVICES'] ?? sizeOf({ short: 40, long: 40, nightly: 200 }));
const HOSTILE = Math.max(DEVICES / 10, 1);
const HEALTHY = DEVICES - HOSTILE;

/** Reads of healthy devices that are under way at once, and the least number for each device. */
const AT_ONCE = 32;
const MIN_ROUNDS = sizeOf({ short: 3, long: 3, nightly: 5 });

/** How often each hostile device is called, one call after the other. */
const HOSTILE_CALLS = sizeOf({ short: 1, long: 1, nightly: 2 });

/** What the process may grow by: connections of the whole fleet (80 KB each at most), and answers that are cut at 1 MiB. */
const MAX_GROWTH_BYTES = 160 * 1024 * 1024 + DEVICES * 80 * 1024;

const SETUP_TOKEN = 'setup-token-of-the-hostile-fleet';
const STATUS = 'api/system/device/status';

/** A device that is hostile from the first byte, or only once the gateway has logged in. */
class HostileMember {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(
    private readonly behaviour: Behaviour,
    private readonly letsIn: boolean,
  ) {
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
      socket.once('data', (head: Buffer) => this.answer(socket, head.toString('latin1')));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private answer(socket: Socket, head: string): void {
    const isLogin = head.includes('/api/login ');
    if (!this.letsIn || (!isLogin && !head.includes('/api/unauthorized/'))) return this.behaviour.write(socket);
    const data = isLogin ? { username: 'admin', token: 'a-token', expires: 299 } : { api_version: '1.9' };
    const body = JSON.stringify({ success: true, data });
    socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  }
}

let database: TestDatabase;
let dataDir: string;
let gateway: GatewayProcess;
let fleet: Fleet;
let key: string;
const hostile: HostileMember[] = [];
const ids = { healthy: [] as string[], hostile: [] as string[] };
const agent = new http.Agent({ keepAlive: true });

beforeAll(async () => {
  database = await freshDatabase();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-hostile-'));
  gateway = await GatewayProcess.start({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
    DEVICE_ALLOW_LOOPBACK: 'true',
    DEVICE_BODY_LIMIT_BYTES: String(1024 * 1024),
    STATUS_EVERY_SECONDS: '0',
    METRICS_PUBLIC: 'true',
    LOG_LEVEL: 'silent',
  });
  const open = new TestApi({ url: gateway.url });
  const setup = { token: SETUP_TOKEN, operatorName: 'Ada' };
  ({ key } = (await open.post<{ apiKey: { key: string } }>('/v1/setup', setup)).apiKey);
  fleet = await startFleet({ devices: HEALTHY });
  const api = new TestApi({ url: gateway.url, key });
  await eachOf(fleet.devices, 16, async ({ name, baseUrl, username, password }) => {
    const device = { name, baseUrl, credentials: { username, password } };
    ids.healthy.push((await api.post<{ id: string }>('/v1/devices', device)).id);
  });
  for (let index = 0; index < HOSTILE; index++) {
    // The order of all behaviours, and in the second turn through them the other half lets the gateway in.
    const turn = Math.floor(index / BEHAVIOURS.length);
    const member = new HostileMember(BEHAVIOURS[(index * 7) % BEHAVIOURS.length]!, (index + turn) % 2 === 0);
    hostile.push(member);
    const trust = { mode: 'insecure', expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
    const credentials = { username: 'admin', password: 'Secret-123' };
    const device = { name: `hostile-${index}`, baseUrl: await member.start(), trust, credentials };
    ids.hostile.push((await api.post<{ id: string }>('/v1/devices', device)).id);
  }
});
afterAll(async () => {
  agent.destroy();
  for (const member of hostile) member.close();
  await gateway.stop();
  await fleet.close();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** One GET; resolves to its status, 0 when the answer broke off. */
function read(deviceId: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` };
    const request = http.get(`${gateway.url}/v1/devices/${deviceId}/${STATUS}`, { agent, headers }, (answer) => {
      answer.on('error', () => resolve(0));
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    request.on('error', () => resolve(0));
  });
}

/** Does something with each, so many at once. */
async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const run = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

/** What the process says about itself. */
async function vitals(): Promise<{ startedAt: number; heap: number; resident: number }> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^\\w*${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    startedAt: value('process_start_time_seconds'),
    heap: value('nodejs_heap_size_used_bytes'),
    resident: value('process_resident_memory_bytes'),
  };
}

it('serves its healthy devices, stays alive and does not grow', async () => {
  await eachOf(ids.healthy, AT_ONCE, async (id) => void (await read(id)));
  const before = await vitals();
  const peak = { heap: before.heap, resident: before.resident };
  const healthy = { calls: 0, good: 0 };
  const met = new Map<number, number>();
  const trouble = { isOver: false };

  const watching = (async () => {
    while (!trouble.isOver) {
      const now = await vitals();
      peak.heap = Math.max(peak.heap, now.heap);
      peak.resident = Math.max(peak.resident, now.resident);
      await pause(200);
    }
  })();
  const troubling = eachOf(ids.hostile, HOSTILE, async (id) => {
    for (let call = 0; call < HOSTILE_CALLS; call++) {
      const status = await read(id);
      met.set(status, (met.get(status) ?? 0) + 1);
    }
  }).finally(() => (trouble.isOver = true));
  for (let round = 0; round < MIN_ROUNDS || !trouble.isOver; round++) {
    await eachOf(ids.healthy, AT_ONCE, async (id) => {
      healthy.calls++;
      if ((await read(id)) === 200) healthy.good++;
    });
    if (round >= MIN_ROUNDS) await pause(sizeOf({ short: 1_000, long: 1_000, nightly: 100 }));
  }
  await Promise.all([troubling, watching]);

  const after = await vitals();
  const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
  const figures = {
    devices: DEVICES,
    hostile: HOSTILE,
    healthyCalls: healthy.calls,
    healthyFailed: healthy.calls - healthy.good,
    hostileAnswers: Object.fromEntries(met),
    heapMiB: { before: mib(before.heap), peak: mib(peak.heap), after: mib(after.heap) },
    residentMiB: { before: mib(before.resident), peak: mib(peak.resident), after: mib(after.resident) },
  };
  process.stdout.write(`hostile fleet: ${JSON.stringify(figures)}\n`);
  expect(after.startedAt).toBe(before.startedAt);
  expect(healthy.good / healthy.calls).toBeGreaterThanOrEqual(0.999);
  expect([...met.values()].reduce((sum, count) => sum + count, 0)).toBe(HOSTILE * HOSTILE_CALLS);
  expect(met.get(500)).toBeUndefined();
  if (!isNightlyForm) return; // how much a process holds depends on when it last collected
  expect(peak.heap - before.heap).toBeLessThan(MAX_GROWTH_BYTES);
  expect(peak.resident - before.resident).toBeLessThan(MAX_GROWTH_BYTES);
});
