import http from 'node:http';
import { ApiError } from '../../src/api-client/api-error.js';
import { type Fleet, type FleetOptions } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { type Actor, systemActor } from '../../src/platform/actor.js';
import { SystemClock } from '../../src/platform/clock.js';
import { DeviceCalls } from '../../src/proxy/calls/device-calls.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/** Real time that a test can be ahead of, for what the gateway waits for by the clock. */
export class AheadClock extends SystemClock {
  private aheadMs = 0;

  override nowMs(): number {
    return Date.now() + this.aheadMs;
  }

  pass(ms: number): void {
    this.aheadMs += ms;
  }
}

/** A gateway and a fleet of simulated devices that it knows. */
export interface ProxyWorld {
  readonly world: TestGateway;
  readonly fleet: Fleet;
  /** Ids in the gateway, in the order of `fleet.devices`. */
  readonly ids: readonly string[];
  readonly calls: DeviceCalls;
  readonly actor: Actor;
  readonly clock: AheadClock;
  /** One request to the passthrough, exactly as given. `path` follows the device, from `/api/` on. */
  ask(index: number, method: string, path: string, options?: AskOptions): Promise<ProxyAnswer>;
  audit(index: number): Promise<AuditLine[]>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly body?: string | Buffer;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly role?: keyof TestGateway['keys'] | null;
}

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly json: Record<string, unknown>;
}

export interface AuditLine {
  readonly action: string;
  readonly subject: string;
  readonly outcome: string | null;
  readonly facts: Record<string, unknown>;
  readonly outcomeFacts: Record<string, unknown> | null;
}

/** A gateway, which runs no jobs unless `env` says so, and a fleet for one another: `close` ends both. */
export async function startProxyWorld(options: FleetOptions, env: Record<string, string> = {}): Promise<ProxyWorld> {
  const clock = new AheadClock();
  const [world, fleet] = await Promise.all([startTestGateway({ ROLE: 'api', ...env }, clock), startOwnFleet(options)]);
  return connect(world, clock, fleet, () => world.close());
}

/** A gateway for all tests of a file. Each test connects a fleet of its own, and closes what it got. */
export class ProxyGateway {
  private constructor(
    private readonly world: TestGateway,
    private readonly clock: AheadClock,
  ) {}

  static async start(): Promise<ProxyGateway> {
    const clock = new AheadClock();
    const world = await startTestGateway({ ROLE: 'api' }, clock);
    // The search for secrets at the end opens what is sealed then. This device keeps the password of those that were removed.
    await register(world, 'stays', 'https://127.0.0.1:9');
    return new ProxyGateway(world, clock);
  }

  /** `close` of what this gives removes the devices, and the gateway goes on. */
  async connect(options: FleetOptions): Promise<ProxyWorld> {
    const { world, clock } = this;
    return connect(world, clock, await startOwnFleet(options), async (ids) => {
      await Promise.all(ids.map((id) => removeDevice(world, id)));
    });
  }

  close(): Promise<void> {
    return this.world.close();
  }
}

async function connect(
  world: TestGateway,
  clock: AheadClock,
  fleet: Fleet,
  leave: (ids: readonly string[]) => Promise<void>,
): Promise<ProxyWorld> {
  const ids: string[] = [];
  for (const device of fleet.devices) {
    ids.push(await register(world, device.name, device.baseUrl, device.username, device.password));
  }
  const agent = new http.Agent({ keepAlive: true });
  return {
    world,
    fleet,
    ids,
    calls: world.gateway.app.get(DeviceCalls),
    actor: systemActor('test'),
    clock,
    ask: (index, method, path, ask = {}) => rawRequest(world, agent, `/v1/devices/${ids[index]}${path}`, method, ask),
    audit: (index) => auditOf(world, ids[index]!),
    async close() {
      agent.destroy();
      await leave(ids);
      await fleet.close();
    },
  };
}

/** A test may have removed it. */
async function removeDevice(world: TestGateway, id: string): Promise<void> {
  await world.api.send('DELETE', `/v1/devices/${id}`).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'device_not_found')) throw error;
  });
}

export async function register(
  world: TestGateway,
  name: string,
  baseUrl: string,
  username = 'admin',
  password = 'Secret-123',
): Promise<string> {
  const { id } = await world.api.post<{ id: string }>('/v1/devices', {
    name,
    baseUrl,
    credentials: { username, password },
  });
  return id;
}

/** A request as it is given, without the help of a client that repairs paths. */
export function rawRequest(
  world: TestGateway,
  agent: http.Agent,
  path: string,
  method: string,
  { body, headers, role = 'operator' }: AskOptions = {},
): Promise<ProxyAnswer> {
  return new Promise((resolve, reject) => {
    const url = new URL(world.url);
    const request = http.request(
      {
        agent,
        host: url.hostname,
        port: url.port,
        path,
        method,
        headers: { ...(role ? { authorization: `Bearer ${world.keys[role]}` } : {}), ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes, json: parsed(bytes) });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function auditOf(world: TestGateway, deviceId: string): Promise<AuditLine[]> {
  const { default: pg } = await import('pg');
  const db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  try {
    const { rows } = await db.query<AuditLine>(
      `select entry.action, entry.subject, entry.facts, outcome.outcome, outcome.facts as "outcomeFacts"
         from audit_entry entry left join audit_outcome outcome on outcome.entry_id = entry.id
        where entry.device_id = $1 and entry.action = 'device.call_write'
        order by entry.opened_at, entry.id`,
      [deviceId],
    );
    return rows;
  } finally {
    await db.end();
  }
}
