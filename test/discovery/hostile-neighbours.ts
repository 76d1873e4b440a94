import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from '../../src/simulator/device/certificates.js';
import { BEHAVIOURS, type Behaviour } from '../device-api/hostile-device.js';

/* What a search meets besides devices: listeners that harm, at addresses of a network. */

const named = (name: string): Behaviour['write'] => {
  const behaviour = BEHAVIOURS.find((one) => one.name === name);
  if (!behaviour) throw new Error(`There is no behaviour ${name}`);
  return behaviour.write;
};

/** The first two never get as far as TLS. */
const RAW = ['closes without a word', 'speaks SSH'];
const OVER_TLS = ['never ends a body without length', 'answers JSON of 10,000 levels', 'answers the wrong envelope'];
export const HOSTILE_COUNT = RAW.length + OVER_TLS.length;

const identity = selfSigned({
  commonName: 'hostile',
  notBefore: new Date(Date.now() - 3_600_000),
  notAfter: new Date(Date.now() + 3_600_000),
  alternativeNames: ['127.0.0.1'],
});

export class HostileNeighbours {
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();

  /** One listener for each behaviour, at `${network}.${first}` and the addresses after it. */
  async listen(network: string, first: number, port: number): Promise<void> {
    const writes = [...RAW, ...OVER_TLS].map(named);
    for (const [index, write] of writes.entries()) {
      await this.add(`${network}.${first + index}`, port, write, index >= RAW.length);
    }
  }

  /** A listener over TLS that answers every request with these bytes. */
  answer(address: string, port: number, bytes: string): Promise<void> {
    return this.add(address, port, (socket) => void socket.end(bytes), true);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    for (const server of this.servers) server.close();
  }

  private async add(host: string, port: number, write: Behaviour['write'], isTls: boolean): Promise<void> {
    const take = (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
      socket.once('data', () => write(socket));
    };
    const { keyPem: key, certificatePem: cert } = identity;
    const server = isTls ? createTlsServer({ key, cert }, take) : createServer(take);
    server.on('tlsClientError', () => undefined);
    this.servers.push(server);
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
  }
}
