/* Receivers of notifications: an HTTP server on loopback with a log of what arrived. It can lose answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A notification as it arrived. */
export interface Arrival {
  readonly receiver: string;
  /** `webhook-id`: the same for all attempts of one notification. */
  readonly id: string;
  readonly at: number;
  readonly isAnswered: boolean;
  readonly text: string;
  /** Of the CloudEvent; empty for a chat. */
  readonly data: { readonly rule?: string; readonly opened?: number; readonly closed?: number; readonly open?: number };
}

export class Receivers {
  readonly log: Arrival[] = [];
  /** So many answers get lost: the message is taken, and the connection breaks. */
  losesAnswers = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receivers> {
    const server = createServer();
    const receivers = new Receivers(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const isAnswered = receivers.losesAnswers === 0;
        if (!isAnswered) receivers.losesAnswers--;
        const [receiver, id] = [request.url!.slice(1), String(request.headers['webhook-id'])];
        receivers.take({ receiver, id, isAnswered, text: Buffer.concat(chunks).toString() });
        if (isAnswered) response.writeHead(204).end();
        else request.socket.destroy();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return receivers;
  }

  urlOf(receiver: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${receiver}`;
  }

  /** What arrived at one receiver, about one rule where it is named, each notification once. */
  arrived(receiver: string, rule?: string): Arrival[] {
    const all = this.log.filter((arrival) => arrival.receiver === receiver && (!rule || arrival.data.rule === rule));
    return [...new Map(all.toReversed().map((arrival) => [arrival.id, arrival])).values()].toReversed();
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private take(arrival: Omit<Arrival, 'at' | 'data'>): void {
    const message = JSON.parse(arrival.text) as { data?: Arrival['data'] };
    this.log.push({ ...arrival, at: Date.now(), data: message.data ?? {} });
  }
}
