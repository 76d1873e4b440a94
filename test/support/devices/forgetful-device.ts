import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type TestApi } from '../test-api.js';

/** An answer as it is sent. */
export interface RawAnswer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the body is cut into parts; each is sent when the gateway had time to read the one before. */
  readonly cuts?: readonly number[];
  /** After its parts it says nothing more, and does not end. */
  readonly stalls?: boolean;
  /** Sent at the end, when this is done. */
  readonly rest?: { readonly after: Promise<void>; readonly body: string };
}

/** Between two parts. */
const PART_MS = 10;

/** A device that answers calls with a dead token in a way of its own. */
export class ForgetfulDevice {
  logins = 0;
  /** Calls that it carried out, with method and path. */
  readonly done: string[] = [];
  /** To a token that it does not know, and to `session/status` with one. */
  dead: RawAnswer = { status: 401, body: '{"success":false,"errors":[{"code":123}]}' };
  /** To a token that it knows; null: the ordinary answer. */
  alive: RawAnswer | null = null;
  /** Whether each call ends the session that it uses, as a restart or another password does. */
  endsSessions = false;
  /** To `session/status` with a token that it does not know; null: as to other calls. */
  deadStatus: RawAnswer | null = null;
  private token = '';
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => this.respond(request, response));
  }

  /** Starts it and makes it known to a gateway. @returns its id there */
  async register(api: TestApi, name: string): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const { id } = await api.post<{ id: string }>('/v1/devices', {
      name,
      baseUrl: `http://127.0.0.1:${(this.server.address() as { port: number }).port}`,
      trust: { mode: 'insecure', expiresAt: new Date(Date.now() + 20 * 86_400_000).toISOString() },
      credentials: { username: 'admin', password: 'Secret-123' },
    });
    return id;
  }

  /** Forgets its session, as after a restart. */
  forget(): void {
    this.token = '';
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    request.on('end', () => {
      const path = (request.url ?? '').split('?', 1)[0]!;
      if (path === '/api/unauthorized/status') return send(response, OK({ api_version: '1.9' }));
      if (path === '/api/login') {
        this.token = `t-${++this.logins}`;
        return send(response, OK({ username: 'admin', group: 'root', token: this.token, expires: 299 }));
      }
      const isKnown = this.token !== '' && request.headers.authorization === `Bearer ${this.token}`;
      const isStatus = path === '/api/session/status';
      if (!isKnown) return send(response, (isStatus && this.deadStatus) || this.dead);
      if (isStatus) return send(response, OK({ active: true }));
      this.done.push(`${request.method} ${path}`);
      if (this.endsSessions) this.forget();
      return send(response, this.alive ?? OK({ a: 'b' }));
    });
  }
}

const OK = (data: object): RawAnswer => ({ status: 200, body: JSON.stringify({ success: true, data }) });

function send(
  response: ServerResponse,
  { status, body = '', headers = {}, cuts = [], stalls = false, rest }: RawAnswer,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.flushHeaders();
  if (rest) {
    response.write(body);
    void rest.after.then(() => response.end(rest.body));
  } else if (cuts.length === 0 && !stalls) response.end(body);
  else void sendParts(response, [0, ...cuts].map((from, at) => body.slice(from, cuts[at])), stalls); // prettier-ignore
}

async function sendParts(
  response: ServerResponse,
  parts: readonly (string | Buffer)[],
  stalls: boolean,
): Promise<void> {
  for (const part of parts) {
    if (part.length > 0) response.write(part);
    await setTimeout(PART_MS);
  }
  if (!stalls) response.end();
}
