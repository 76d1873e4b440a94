import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { endWithProblem } from './bare-answer.js';
import { AppError } from '../platform/errors.js';

/*
 * One time limit for the bodies of all requests. Without it a caller that sends a byte now and then could hold its
 * connection for ever. The limit is at the server, since some requests are refused before any hook runs. Only the time
 * in which the gateway waits for the caller counts: a slow device or disk also delays the caller.
 */

export interface BodyLimits {
  /** For a body that is not streamed, and for the rest of an answered request's body. */
  readonly withinMs: number;
  /** The lowest rate of a streamed body: each second's worth of bytes adds a second to its time. */
  readonly bytesPerSecond: number;
}

/** A small rest of an answered request's body may arrive within this time, which saves its connection. */
const AFTER_ANSWER_MS = 5_000;

const STEP_MS = 1_000;

const WATCH = Symbol('watch over the body');
const WAITING = Symbol('asks for its body');

type WatchedRequest = IncomingMessage & { [WATCH]?: BodyWatch; [WAITING]?: () => void };

/** Watches the body of one request until it is complete or its connection is closed. */
class BodyWatch {
  private readonly timer: NodeJS.Timeout;
  private readonly stepMs: number;
  private readonly socket: Socket;
  private readonly bytesBefore: number;
  private waitedMs = 0;
  private answeredMs = 0;
  private isBuffered = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly limits: BodyLimits,
  ) {
    this.socket = request.socket;
    this.bytesBefore = this.socket.bytesRead;
    this.stepMs = Math.min(STEP_MS, limits.withinMs / 4);
    this.timer = setInterval(onStep, this.stepMs, this).unref();
    request.once('end', () => this.stop());
    this.socket.destroySoon = () => this.close();
  }

  /** The rate no longer counts: the body is read completely before it is used. */
  requireInTime(): void {
    this.isBuffered = true;
  }

  step(): void {
    const { request, response, limits } = this;
    if (request.complete || this.socket.destroyed) {
      this.stop();
      return;
    }
    if (response.writableFinished) this.answeredMs += this.stepMs;
    // Unread bytes mean that the gateway is behind, not the caller.
    else if (request.readableLength === 0) this.waitedMs += this.stepMs;
    const earnedMs = this.isBuffered ? 0 : ((this.socket.bytesRead - this.bytesBefore) / limits.bytesPerSecond) * 1_000;
    if (this.answeredMs >= Math.min(AFTER_ANSWER_MS, limits.withinMs)) this.end();
    else if (this.waitedMs >= limits.withinMs + earnedMs) this.end();
  }

  /**
   * Node calls this at the end of the last answer of a connection. A connection that is closed with unread bytes is reset,
   * and the caller, still sending, would lose the answer. So the rest is discarded, unparsed, until the caller closes or
   * `step` ends it.
   */
  private close(): void {
    const { request, socket } = this;
    if (request.complete) {
      Socket.prototype.destroySoon.call(socket);
      return;
    }
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    socket.resume();
    socket.end();
  }

  private end(): void {
    this.stop();
    if (this.response.writableFinished) this.socket.destroy();
    else endWithProblem(this.socket, new AppError('request_too_slow'));
  }

  private stop(): void {
    clearInterval(this.timer);
  }
}

function onStep(watch: BodyWatch): void {
  watch.step();
}

/** Watches the bodies of all requests of a server; a request without a body gets no timer. */
export function watchBodies(server: Server, limits: BodyLimits): void {
  server.prependListener('request', (request: WatchedRequest, response: ServerResponse) => {
    if (announcesBody(request)) request[WATCH] = new BodyWatch(request, response, limits);
  });
  // Without these listeners Node answers such requests itself: the first with 417, the second with 100 before any check.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request: WatchedRequest, response: ServerResponse) => {
    waitForCheck(request, response);
    server.emit('request', request, response);
  });
}

/**
 * The caller waits for `100 Continue` before it sends its body. Until `requestBodyOf` the connection ends with the
 * answer: the next bytes of the caller may be the body or another request (RFC 9110, section 10.1.1).
 */
function waitForCheck(request: WatchedRequest, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  request[WAITING] = () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  };
}

/** Asks a caller that waits for `100 Continue` for the body. Call it when the caller may send one, before it is read. */
export function requestBodyOf(request: WatchedRequest): void {
  const ask = request[WAITING];
  delete request[WAITING];
  ask?.();
}

/** For a request whose body is read completely before it is used: it must be complete in time. */
export function requireBodyInTime(request: WatchedRequest): void {
  request[WATCH]?.requireInTime();
}

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
