import net from 'node:net';

/** Passes bytes on to a gateway, until it is cut. */
export class CutProxy {
  private readonly sockets = new Set<net.Socket>();
  private isCut = false;
  private readonly server: net.Server;

  constructor(private readonly target: () => URL) {
    this.server = net.createServer((from) => this.pass(from));
  }

  /** @returns its origin */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as net.AddressInfo).port}`;
  }

  /** Ends all connections and takes no others. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private pass(from: net.Socket): void {
    if (this.isCut) return void from.destroy();
    const { hostname, port } = this.target();
    const to = net.connect(Number(port), hostname);
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    from.pipe(to).pipe(from);
  }
}
