import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { selfSigned } from '../../../src/simulator/device/certificates.js';
import { type TestApi } from '../test-api.js';

/** What the device does with an upload once it has its head and the first bytes of its body. */
export type EarlyEnd = (tls: TLSSocket, raw: Socket) => void;

const identity = selfSigned({
  commonName: 'refuser',
  notBefore: new Date(Date.now() - 3_600_000),
  notAfter: new Date(Date.now() + 3_600_000),
  alternativeNames: ['127.0.0.1'],
});
const secureContext = createSecureContext({ cert: identity.certificatePem, key: identity.keyPem });

/** A device with TLS that lets the gateway log in and ends uploads in a way of its own, before it has read them. */
export class EarlyRefuser {
  /** What it does with an upload; reads get an ordinary answer. */
  end: EarlyEnd = () => undefined;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((raw) => {
      const tls = new TLSSocket(raw, { isServer: true, secureContext });
      raw.setNoDelay(true);
      this.sockets.add(raw);
      for (const socket of [raw, tls]) socket.on('error', () => undefined);
      raw.once('close', () => this.sockets.delete(raw));
      this.serve(tls, raw);
    });
  }

  /** Starts it and makes it known to a gateway. @returns its id there */
  async register(api: TestApi, name: string): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const { id } = await api.post<{ id: string }>('/v1/devices', {
      name,
      baseUrl: `https://127.0.0.1:${(this.server.address() as { port: number }).port}`,
      credentials: { username: 'admin', password: 'Secret-123' },
    });
    return id;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private serve(tls: TLSSocket, raw: Socket): void {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (;;) {
        const headEnd = text.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const head = text.slice(0, headEnd);
        const isOwn = /^\w+ \/api\/(?:login|logout|session|unauthorized)/.test(head);
        if (!isOwn && !head.startsWith('GET ')) {
          if (text.length <= headEnd + 4) return; // the body has not begun
          tls.off('data', onData).pause();
          this.end(tls, raw);
          return;
        }
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (text.length < headEnd + 4 + length) return;
        text = text.slice(headEnd + 4 + length);
        tls.write(answerOf(200, head.includes('/api/login') ? LOGIN : '{"success":true,"data":{"active":true}}'));
      }
    };
    tls.on('data', onData);
  }
}

const LOGIN = '{"success":true,"data":{"username":"admin","token":"a-token","expires":299}}';

/** The bytes of an answer with its head. */
export function answerOf(status: number, body: string): string {
  return `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}
