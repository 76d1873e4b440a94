/*
 * The network side of the devices. Each device has a TCP listener and a certificate of its own, and all share one HTTP parser:
 * a connection is taken raw, its first byte tells TLS from plain HTTP, the device's own secure context answers the handshake,
 * and the decrypted stream goes to the shared server. Ten thousand devices cost ten thousand sockets and little more.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls';
import type { Listener, SimulatedDevice } from '../device/device.js';
import { FaultyStream } from './wire.js';

export interface Connection {
  readonly device: SimulatedDevice;
  readonly raw: Socket;
  readonly faulty?: FaultyStream;
}

const connections = new WeakMap<object, Connection>();

/** The device and the TCP socket of a request or of its socket. */
export function connectionOf(socket: object): Connection {
  const connection = connections.get(socket);
  if (!connection) throw new Error('The socket belongs to no device');
  return connection;
}

/**
 * Ends a TCP connection by a reset. One that is already closing is destroyed instead: libuv refuses to reset a socket after
 * shutdown(), and Node would then keep the handle for ever. `over` is the TLS stream on top, whose end shuts the socket down.
 */
export function reset(raw: Socket, over?: Duplex): void {
  if (raw.destroyed) return;
  if (raw.writableEnded || over?.writableEnded) {
    over?.destroy();
    raw.destroy();
  } else raw.resetAndDestroy();
}

/** A caller that connects must begin its handshake, and end it, within this time. */
const HANDSHAKE_MS = 30_000;
const TLS_HANDSHAKE_RECORD = 0x16;

/** The one HTTP server of a fleet; it never listens itself. */
export function createSharedServer(
  keepAliveTimeout: number,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): HttpServer {
  const server = createHttpServer({ keepAliveTimeout, requestTimeout: 300_000, headersTimeout: 30_000 }, handle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      const body = JSON.stringify({
        success: false,
        errors: [{ code: 122, error: 'The request is not HTTP', source: 'http' }],
      });
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    }
  });
  server.on('connect', (_request, socket: Duplex) => socket.destroy());
  // Header and request deadlines are checked by a timer that only a listening server starts.
  server.emit('listening');
  return server;
}

export class DeviceListener implements Listener {
  private readonly server: Server;
  private readonly sockets = new Map<Socket, TLSSocket | undefined>();
  private context: SecureContext | undefined;
  /** Opening and closing one after the other, in the order in which they were asked for. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly device: SimulatedDevice,
    private readonly shared: HttpServer,
    readonly host: string,
    public port: number,
  ) {
    this.server = createServer({ noDelay: true }, (raw) => this.accept(raw));
    this.server.on('error', () => undefined);
  }

  open(): Promise<void> {
    return (this.turn = this.turn.then(() => this.listen()));
  }

  close(): Promise<void> {
    this.dropConnections();
    return (this.turn = this.turn.then(
      () =>
        new Promise<void>((resolve) => {
          if (!this.server.listening) resolve();
          else this.server.close(() => resolve());
          this.dropConnections();
        }),
    ));
  }

  dropConnections(): void {
    for (const [raw, tls] of this.sockets) reset(raw, tls);
  }

  forgetCertificate(): void {
    this.context = undefined;
  }

  /** The port may still be held by a connection of the previous life: it is asked for again for a while. */
  private async listen(): Promise<void> {
    for (let attempt = 1; !this.server.listening; attempt++) {
      try {
        await this.listenOnce();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt >= 50) throw error;
        await this.device.clock.pause(100);
      }
    }
  }

  /** @throws Error EADDRINUSE and whatever else listening meets */
  listenOnce(): Promise<unknown> {
    this.server.listen({ host: this.host, port: this.port, backlog: 511 });
    return once(this.server, 'listening');
  }

  private accept(raw: Socket): void {
    const { device } = this;
    raw.on('error', () => raw.destroy());
    device.catchUp();
    if (device.clock.now() < device.resetsUntil || this.sockets.size >= device.behaviour.maxConnections) {
      raw.resetAndDestroy();
      return;
    }
    this.sockets.set(raw, undefined);
    raw.once('close', () => {
      this.sockets.delete(raw);
      device.ledger.connectionEnded(device.index, raw.bytesRead + raw.bytesWritten);
    });
    raw.setTimeout(HANDSHAKE_MS, () => raw.destroy());
    raw.once('data', (first: Buffer) => {
      if (first[0] !== TLS_HANDSHAKE_RECORD) {
        this.redirect(raw, first);
        return;
      }
      raw.pause();
      raw.unshift(first);
      this.secure(raw);
    });
  }

  /** Plain HTTP is sent to the same path by HTTPS (observed-devices.md 1.15); what is not HTTP is closed. */
  private redirect(raw: Socket, first: Buffer): void {
    const path = /^[A-Z]+ (\/[\x21-\x7e]*) HTTP\/1\.[01]\r\n/.exec(first.toString('latin1'))?.[1];
    if (path === undefined) raw.destroy();
    else {
      const head = [
        'HTTP/1.1 307 Temporary Redirect',
        `Location: ${this.device.baseUrl}${path}`,
        'Content-Length: 0',
        'Connection: close',
      ];
      raw.end(`${head.join('\r\n')}\r\n\r\n`);
    }
  }

  private secure(raw: Socket): void {
    const { device } = this;
    const rules = device.faults.hasWire ? device.faults.strikeWire() : null;
    const faulty = rules && new FaultyStream(raw, rules, device.clock, device.random.fork('wire'));
    const tls = new TLSSocket(faulty ?? raw, {
      isServer: true,
      secureContext: this.secureContext(),
      requestCert: false,
    });
    this.sockets.set(raw, tls);
    tls.on('error', () => raw.destroy());
    tls.once('secure', () => {
      if (rules?.some(({ kind }) => kind === 'tls-close')) tls.end();
      else this.hand(tls, { device, raw, ...(faulty ? { faulty } : {}) });
    });
  }

  private hand(socket: Socket, connection: Connection): void {
    connection.raw.setTimeout(0);
    connections.set(socket, connection);
    this.shared.emit('connection', socket);
  }

  private secureContext(): SecureContext {
    const { certificatePem, keyPem } = this.device.tls;
    return (this.context ??= createSecureContext({ cert: certificatePem, key: keyPem, minVersion: 'TLSv1.2' }));
  }
}
