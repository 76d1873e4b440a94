import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { AppError } from './platform/errors.js';
import { endWithProblem } from './http/bare-answer.js';

/*
 * A connection has one request in progress. HTTP/1.1 answers in the order of the requests anyway (RFC 9112, section
 * 9.3.2), but Node hands over every request that it has read: one packet of 64 kB holds 2,000. Further ones wait for
 * the answer before them, and each starts in a turn of the event loop of its own. So one connection delays others by
 * one request at a time, a client that reads no answers gets no further ones, and a client that left starts nothing.
 */

/** Browsers and load balancers send no second request; benchmarks send ten to fifty. A waiting one costs about 5 kB. */
const WAITING_MAX = 64;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Exchange = readonly [IncomingMessage, ServerResponse];

const TURNS = Symbol('requests of this connection');
const LATEST = Symbol('the answer in progress');

type TurnSocket = Socket & { [TURNS]?: Turns; [LATEST]?: ServerResponse };

/**
 * Makes a server hand over one request of a connection at a time. Call it after all other listeners are added: they
 * hear of a request when its turn comes.
 */
export function takeTurns(server: Server): void {
  const handlers = server.listeners('request') as Handler[];
  const handle: Handler = (request, response) => {
    for (const handler of handlers) handler.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const socket = request.socket as TurnSocket;
    const { [TURNS]: turns, [LATEST]: latest } = socket;
    if (turns) turns.add([request, response]);
    else if (latest && !latest.closed) {
      socket[TURNS] = new Turns(socket, handle);
      socket[TURNS].add([request, response]);
      socket[TURNS].follow(latest);
    } else {
      socket[LATEST] = response;
      handle(request, response);
    }
  });
}

/** The requests of one connection that wait. It exists only while there are some. */
class Turns {
  private readonly waiting: Exchange[] = [];
  private isFull = false;

  constructor(
    private readonly socket: TurnSocket,
    private readonly handle: Handler,
  ) {}

  add(exchange: Exchange): void {
    if (this.isFull) return;
    this.waiting.push(exchange);
    if (this.waiting.length <= WAITING_MAX) return;
    // The last one gets the refusal, which closes the connection. Until then nothing more is read.
    this.isFull = true;
    this.socket.on('resume', () => this.socket.pause());
    this.socket.pause();
  }

  /** Starts the next request in the turn after the end of an answer. */
  follow(answer: ServerResponse): void {
    answer.once('close', () => setImmediate(() => this.next()));
  }

  private next(): void {
    const { socket } = this;
    if (socket.destroyed || socket.writableEnded) {
      this.waiting.length = 0;
      return;
    }
    const [request, response] = this.waiting.shift()!;
    socket[LATEST] = response;
    if (this.waiting.length > 0) this.follow(response);
    else if (this.isFull) {
      endWithProblem(socket, new AppError('too_many_requests_at_once', { limit: WAITING_MAX }));
      return;
    } else delete socket[TURNS];
    this.handle(request, response);
  }
}
