import https from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { startFleet, type Fleet, type FleetOptions, type SimulatedDevice } from '../../src/simulator/fleet.js';

export interface Reply {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests read answers of many shapes, and fail on the wrong one
  body: any;
  bytes: Buffer;
  headers: IncomingHttpHeaders;
}

export interface RequestParts {
  body?: unknown;
  headers?: Record<string, string>;
  token?: string | null;
  /** Gives up after so long; for devices that never answer. */
  timeoutMs?: number;
}

/** Device time passes so fast in tests that a flash of four minutes takes some hundredths of a second. */
export const FAST = 10_000;

/** A client that shares no code with the gateway's. */
export class Caller {
  token: string | null = null;

  constructor(
    readonly device: SimulatedDevice,
    private readonly agent?: https.Agent,
  ) {}

  send(
    method: string,
    path: string,
    { body, headers = {}, token = this.token, timeoutMs = 10_000 }: RequestParts = {},
  ): Promise<Reply> {
    const bytes = body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = https.request(`${this.device.baseUrl}${path}`, {
        method,
        agent: this.agent ?? false,
        rejectUnauthorized: false,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(bytes === undefined || headers['transfer-encoding']
            ? {}
            : { 'content-length': String(Buffer.byteLength(bytes)) }),
          ...headers,
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const all = Buffer.concat(chunks);
          resolve({ status: response.statusCode!, body: parsed(all), bytes: all, headers: response.headers });
        });
      });
      request.end(bytes);
    });
  }

  async login(username = 'admin', password = this.device.password): Promise<this> {
    const reply = await this.send('POST', '/api/login', { body: { data: { username, password } }, token: null });
    this.token = reply.body?.data?.token ?? reply.body?.ubus_rpc_session ?? null;
    if (this.token === null) throw new Error(`the login failed: ${JSON.stringify(reply.body)}`);
    return this;
  }

  /** What a failed expectation prints instead of the whole fleet, which takes minutes. */
  toJSON(): string {
    return `caller of device ${this.device.index}`;
  }

  get = (path: string, sending?: RequestParts): Promise<Reply> => this.send('GET', path, sending);
  post = (path: string, data?: unknown, sending?: RequestParts): Promise<Reply> =>
    this.send('POST', path, { ...(data === undefined ? {} : { body: { data } }), ...sending });
  put = (path: string, data: unknown): Promise<Reply> => this.send('PUT', path, { body: { data } });
  delete = (path: string, data?: unknown): Promise<Reply> =>
    this.send('DELETE', path, data === undefined ? {} : { body: { data } });

  /** A multipart form with one file, and fields before and after it when asked for. */
  upload(path: string, name: string, content: Buffer, fields: Record<string, string> = {}): Promise<Reply> {
    const field = ([key, value]: [string, string]): string =>
      `--limit\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
    const [before, ...after] = Object.entries(fields);
    const body = Buffer.concat([
      Buffer.from(before ? field(before) : ''),
      Buffer.from(
        `--limit\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      ),
      content,
      Buffer.from(`\r\n${after.map(field).join('')}--limit--\r\n`),
    ]);
    return this.send('POST', path, { body, headers: { 'content-type': 'multipart/form-data; boundary=limit' } });
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.toString();
  }
}

/** Waits until `holds` gives something; never by a fixed time. */
export async function until<T>(holds: () => T | Promise<T>, what: string, withinMs = 10_000): Promise<NonNullable<T>> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > end) throw new Error(`it did not come about within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Fleets of one test file, closed together. */
export class Fleets {
  private readonly open: Fleet[] = [];

  async start(options: Partial<FleetOptions> = {}): Promise<Fleet> {
    const fleet = await startFleet({ devices: 1, timeScale: FAST, rsaBits: 1024, ...options });
    this.open.push(fleet);
    return fleet;
  }

  /** The first device of a new fleet, logged in. */
  async caller(options: Partial<FleetOptions> = {}): Promise<Caller> {
    return new Caller((await this.start(options)).devices[0]!).login();
  }

  async close(): Promise<void> {
    const closing = this.open.splice(0);
    const errors = closing.flatMap((fleet) => fleet.errors);
    await Promise.all(closing.map((fleet) => fleet.close()));
    if (errors.length > 0) throw new AggregateError(errors, 'the simulator met errors of its own');
  }
}
