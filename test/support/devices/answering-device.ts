import { createServer, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type TestApi } from '../test-api.js';

/** A device that lets the gateway log in and then answers what it is told to, however hostile. */
export class AnsweringDevice {
  /** The body of the answer to everything but a login. */
  answer: Buffer | string = '{"success":true,"data":{}}';
  status = 200;
  /** Instead of `answer` and `status`: all bytes of the answer, its head included. */
  raw: Buffer | null = null;
  /** What it says to a login; null: it lets everybody in. */
  refusal: string | null = null;
  /** Answers that were given, logins aside. */
  answered = 0;
  /** The paths of calls in the order in which they came, logins aside. */
  readonly paths: string[] = [];
  /** Answers wait for it, those to logins aside. */
  hold: Promise<void> | null = null;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void buffer(request).then(() => this.respond(request.url ?? '', response));
    });
  }

  /** @returns its base URL */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  /** Starts it and makes it known to a gateway. @returns its id there */
  async register(api: TestApi, name: string, tags: readonly string[] = []): Promise<string> {
    const { id } = await api.post<{ id: string }>('/v1/devices', {
      name,
      baseUrl: await this.start(),
      tags,
      trust: { mode: 'insecure', expiresAt: new Date(Date.now() + 20 * 86_400_000).toISOString() },
      credentials: { username: 'admin', password: 'Secret-123' },
    });
    return id;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async respond(url: string, response: ServerResponse): Promise<void> {
    response.setHeader('connection', 'close');
    response.setHeader('content-type', 'application/json');
    if (url.includes('/unauthorized/')) return void response.end('{"success":true,"data":{"api_version":"1.9"}}');
    if (url.includes('/login')) {
      if (this.refusal !== null) {
        response.statusCode = 401;
        return void response.end(this.refusal);
      }
      const data = { username: 'admin', token: 'a-token', expires: 299 };
      return void response.end(JSON.stringify({ success: true, data }));
    }
    this.paths.push(url);
    if (this.hold) await this.hold;
    this.answered++;
    if (this.raw) return void response.socket!.end(this.raw);
    response.statusCode = this.status;
    response.end(this.answer);
  }
}
