import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { endWithProblem } from './bare-answer.js';
import { AppError } from '../errors.js';

/*
 * One limit for the bodies of all requests, whatever their route, method and answer: a caller that sends a byte now and then
 * would hold its connection without end. It is at the server, since some requests are refused before any hook runs. Only the
 * time in which the gateway waits for the caller counts: a device that takes an upload slowly, or a disk, holds the caller back.
 */

export interface BodyLimits {
  /** A whole body must be there by then, and so must the rest of one whose request was answered. */
  readonly withinMs: number;
  /** The least rate of a body that is read as a stream: each second's worth of bytes adds a second to its time. */
  readonly bytesPerSecond: number;
}

/** What is left of the body of an answered request is of no use; so long lets small ones end and saves their connection. */
const AFTER_ANSWER_MS = 5_000;

/** Time is counted in steps of this length. */
const STEP_MS = 1_000;

const WATCH = Symbol('watch over the body');

type Watched = IncomingMessage & { [WATCH]?: BodyWatch };

/** Watches the body of one request until it is complete or its connection is closed. */
class BodyWatch {
  private readonly timer: NodeJS.Timeout;
  private readonly stepMs: number;
  private readonly socket: Socket;
  private readonly bytesBefore: number;
  private waitedMs = 0;
  private answeredMs = 0;
  private isWhole = false;

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
  }

  /** From here on the rate does not count: the body is wanted as a whole. */
  wantWhole(): void {
    this.isWhole = true;
  }

  step(): void {
    const { request, response, limits } = this;
    if (request.complete || this.socket.destroyed) {
      this.stop();
      return;
    }
    if (response.writableFinished) this.answeredMs += this.stepMs;
    // What has come and was not taken says that the gateway is behind, not the caller.
    else if (request.readableLength === 0) this.waitedMs += this.stepMs;
    const earnedMs = this.isWhole ? 0 : ((this.socket.bytesRead - this.bytesBefore) / limits.bytesPerSecond) * 1_000;
    if (this.answeredMs >= Math.min(AFTER_ANSWER_MS, limits.withinMs)) this.end();
    else if (this.waitedMs >= limits.withinMs + earnedMs) this.end();
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

/** Watches the bodies of all requests of a server; those without a body cost nothing. */
export function watchBodies(server: Server, limits: BodyLimits): void {
  server.prependListener('request', (request: Watched, response: ServerResponse) => {
    if (announcesBody(request)) request[WATCH] = new BodyWatch(request, response, limits);
  });
  // Without a listener Node answers these itself, and no 'request' happens.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** For a request whose body is wanted as a whole, before anything is done with it: it must be there in time. */
export function wantWholeBody(request: Watched): void {
  request[WATCH]?.wantWhole();
}

/** Whether a body comes with a request. */
const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
