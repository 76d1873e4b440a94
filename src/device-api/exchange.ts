import { type Readable } from 'node:stream';
import { type Dispatcher } from 'undici';
import { type DeviceClient, ExchangeError, type Fault } from './http.js';

/* One HTTP exchange on a connection. No redirect is followed, no encoding is negotiated, and no retry is made. */

/** A request in the form in which it goes out: nothing is added to it but Host, Connection and the length of the body. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | null;
}

export interface Limits {
  /** Until the first byte of the answer, the connection included. */
  readonly firstByteMs: number;
  /** Until the last byte; bodies that move earn more time, see `bytesPerSecond`. */
  readonly totalMs: number;
  /** Largest body of the answer. */
  readonly maxBytes: number;
  /** The least rate at which a long body must move: each second's worth of bytes adds a second to both limits. */
  readonly bytesPerSecond: number;
}

/** Takes an answer while it arrives. Throwing ends the exchange; an error that is no ExchangeError becomes `cut`. */
export interface AnswerSink {
  head(status: number, headers: AnswerHeaders, flow: Flow): void;
  data(chunk: Buffer): void;
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Stops reading from the device while the receiver is full. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Of an answer that is complete already. */
export const NO_FLOW: Flow = { pause: () => undefined, resume: () => undefined };

/** undici's handler of one request and its answer. Nothing happens after its end, until it sends again. */
export abstract class AnswerHandler implements Dispatcher.DispatchHandler, Flow, DeadlineHolder {
  status = 0;
  receivedBytes = 0;
  /** Milliseconds from the sending to the head of the answer. */
  headMs = 0;
  /** Sent bytes of a streamed request body; the sender counts them here. */
  sentBytes = 0;
  dueAt = 0;
  deadlineIndex = -1;
  /** The deadlines count from here. */
  protected startedAt = 0;
  /** When the present request was given to undici; 0: none was. */
  protected sentAt = 0;
  private client: DeviceClient | null = null;
  private controller: Dispatcher.DispatchController | null = null;
  private sent = false;
  private fault: Error | null = null;
  private isIdle = true;
  private resolve!: () => void;
  private reject!: (error: Error) => void;

  constructor(protected readonly limits: Limits) {}

  /** Takes the head of the answer. Throwing ends the exchange as in `AnswerSink`, here and in `onPart`. */
  protected abstract onHead(status: number, headers: AnswerHeaders): void;
  protected abstract onPart(chunk: Buffer): void;

  /**
   * Sends a request. An earlier one of this handler must have ended.
   * @returns settles when the answer is complete, or with an ExchangeError
   */
  send(client: DeviceClient, request: WireRequest): Promise<void> {
    this.status = 0;
    this.receivedBytes = 0;
    this.sentBytes = 0;
    this.client = client;
    this.controller = null;
    this.sent = false;
    this.fault = null;
    this.isIdle = false;
    this.sentAt = performance.now();
    this.dueAt = this.startedAt + this.limits.firstByteMs;
    deadlines.add(this);
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      client.dispatch(request as Dispatcher.DispatchOptions, this);
    });
  }

  /** Whether a request was sent and has no complete answer. */
  protected get isSending(): boolean {
    return !this.isIdle;
  }

  /** Ends the exchange early. */
  abort(error: Error = new ExchangeError('aborted')): void {
    if (this.fault || this.isIdle) return;
    this.fault = error;
    if (this.controller) this.controller.abort(error);
    else this.fail(error); // not on a socket yet: undici drops it when its turn comes
  }

  /** Stops reading from the device; without effect once the answer is complete. */
  pause(): void {
    if (!this.isIdle) this.client?.gate.close();
  }

  resume(): void {
    if (!this.isIdle) this.client?.gate.open();
  }

  /** Milliseconds since the request was sent. */
  get elapsedMs(): number {
    return performance.now() - this.sentAt;
  }

  /** Ends the exchange when its time is up, unless the bytes that moved earned more of it. */
  checkTime(now: number): void {
    const { firstByteMs, totalMs, bytesPerSecond } = this.limits;
    const earnedMs = ((this.receivedBytes + this.sentBytes) / bytesPerSecond) * 1000;
    const allowedMs = (this.status === 0 ? firstByteMs : totalMs) + earnedMs;
    this.dueAt = this.startedAt + allowedMs;
    if (now < this.dueAt) return;
    this.abort(new ExchangeError('timeout', { phase: this.phase(), allowedMs: Math.round(allowedMs) }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.fault) controller.abort(this.fault);
    else this.sent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headMs = this.elapsedMs;
    if (Number(headers['content-length'] ?? 0) > this.limits.maxBytes) throw this.tooLarge();
    this.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    if (this.receivedBytes > this.limits.maxBytes) throw this.tooLarge();
    this.onPart(chunk);
  }

  onResponseEnd(): void {
    this.stop();
    this.client?.gate.open(); // the next answer of this connection is for another receiver
    this.resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.isIdle) this.fail(this.fault ?? error);
  }

  private stop(): void {
    this.isIdle = true;
    deadlines.remove(this);
  }

  private fail(error: Error): void {
    this.stop();
    const known = error instanceof ExchangeError ? error : answerFault(error);
    known.sent = this.sent;
    this.reject(known);
  }

  private tooLarge(): ExchangeError {
    return new ExchangeError('too_large', { limitBytes: this.limits.maxBytes });
  }

  private phase(): string {
    if (!this.sent) return 'connect';
    return this.status === 0 ? 'first byte' : 'body';
  }
}

/** One request and its answer. `done` settles once the last byte went to the sink, or with an ExchangeError. */
export class Exchange extends AnswerHandler {
  readonly done: Promise<this>;

  constructor(
    client: DeviceClient,
    request: WireRequest,
    private readonly sink: AnswerSink,
    limits: Limits,
  ) {
    super(limits);
    this.startedAt = performance.now();
    this.done = this.send(client, request).then(() => this);
  }

  protected onHead(status: number, headers: AnswerHeaders): void {
    this.sink.head(status, headers, this);
  }

  protected onPart(chunk: Buffer): void {
    this.sink.data(chunk);
  }
}

const ANSWER_FAULTS: Readonly<Record<string, Fault>> = {
  UND_ERR_SOCKET: 'cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'cut',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_ABORTED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  ECONNRESET: 'cut',
  EPIPE: 'cut',
  ETIMEDOUT: 'cut',
};

function answerFault(error: NodeJS.ErrnoException): ExchangeError {
  const code = error.code ?? '';
  const fault = ANSWER_FAULTS[code] ?? (error.name === 'HTTPParserError' ? 'protocol' : 'cut');
  return new ExchangeError(fault, { reason: code || error.name }, { cause: error });
}

/*
 * The deadlines of all running calls, checked by one timer. A timer for each call would cost more than the rest of its
 * book-keeping, and nearly none of them ever fires.
 */

/** The interval of checks, and so the longest delay after a deadline. */
const SWEEP_MS = 25;

/** What has a deadline. */
interface DeadlineHolder {
  /** By `performance.now()`. */
  dueAt: number;
  /** Its index in the list; -1: it is not in it. */
  deadlineIndex: number;
  /** Called when it is due, until it is removed or due later. */
  checkTime(now: number): void;
}

/** An array whose entries know their index: each call is added and removed. */
class Deadlines {
  private readonly running: DeadlineHolder[] = [];
  private timer: NodeJS.Timeout | null = null;

  add(timed: DeadlineHolder): void {
    if (timed.deadlineIndex >= 0) return;
    timed.deadlineIndex = this.running.push(timed) - 1;
    this.timer ??= setInterval(() => this.checkAll(), SWEEP_MS).unref();
  }

  remove(timed: DeadlineHolder): void {
    const { deadlineIndex } = timed;
    if (deadlineIndex < 0) return;
    const last = this.running.pop()!;
    if (last !== timed) {
      this.running[deadlineIndex] = last;
      last.deadlineIndex = deadlineIndex;
    }
    timed.deadlineIndex = -1;
  }

  private checkAll(): void {
    const now = performance.now();
    // Backwards, since a check removes what is due.
    for (let index = this.running.length - 1; index >= 0; index--) {
      const timed = this.running[index];
      if (timed && timed.dueAt <= now) timed.checkTime(now);
    }
    if (this.running.length > 0 || !this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

const deadlines = new Deadlines();
