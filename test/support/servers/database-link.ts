import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The network between a gateway and its database, its Redis or a device: it passes everything until a test breaks it. */
export class DatabaseLink {
  private readonly pairs = new Set<{ near: Socket; far: Socket; isSilent: boolean }>();
  /** New connections are reset at their first bytes. */
  refuses = false;

  private constructor(
    private readonly server: Server,
    private readonly databaseUrl: string,
  ) {}

  static async open(databaseUrl: string): Promise<DatabaseLink> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const link = new DatabaseLink(server, databaseUrl);
    server.on('connection', (socket) => link.pass(socket));
    return link;
  }

  /** The address of a database of that server through this link. */
  through(databaseUrl = this.databaseUrl): string {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Resets all connections, as a router or a server does that has forgotten them. */
  reset(): void {
    for (const { near, far } of this.pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  }

  /** Swallows what all present connections send, without an end of them, as a host that is gone. New ones work. */
  silence(): void {
    for (const pair of this.pairs) {
      pair.isSilent = true;
      pair.far.unpipe(pair.near).resume();
    }
  }

  /** The process may end before it is closed. */
  unref(): void {
    this.server.unref();
  }

  async close(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(near: Socket): void {
    const { hostname, port } = new URL(this.databaseUrl);
    const far = connect(Number(port), hostname);
    const pair = { near, far, isSilent: false };
    this.pairs.add(pair);
    for (const [one, other] of [[near, far], [far, near]] as const) {
      one.on('error', () => undefined);
      one.once('close', () => {
        this.pairs.delete(pair);
        other.destroy();
      });
    } // prettier-ignore
    far.pipe(near);
    near.on('data', (bytes) => {
      if (this.refuses) near.resetAndDestroy();
      else if (!pair.isSilent) far.write(bytes);
    });
  }
}
