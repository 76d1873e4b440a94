import { createHash, type Hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { deviceJson } from '../../device-api/device-json.js';
import { ExchangeError, type AnswerHeaders, type AnswerSink, type Exchange, type Flow } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';

/*
 * Receives the answer of one exchange and passes it to the caller. It withholds a 401 until it is clear whether the call
 * is retried, and stores the part of the answer that the audit reads.
 */

/** The timing of a call; `deviceMs` ends with the head of the answer. */
export interface Timing {
  queueMs: number;
  loginMs: number;
  deviceMs: number;
}

/** The audit's data of an answer besides its status; `ms` ends with its head. */
export interface AnswerMeasures {
  readonly bytes: number;
  readonly sha256?: string;
  readonly ms: number;
}

/** Receives the final answer of a call. */
export interface CallSink {
  head(status: number, headers: AnswerHeaders, flow: Flow, timing: Timing): void;
  data(chunk: Buffer): void;
}

/** A refusal is an envelope with a few error objects; a larger answer is no refusal. */
const MAX_WITHHELD_BYTES = 64 * 1024;

const NO_FLOW: Flow = { pause: () => undefined, resume: () => undefined };

export class Attempt implements AnswerSink {
  status = 0;
  /** Whether the caller has received the head: then no retry is possible. */
  passedOn = false;
  exchange: Exchange | null = null;
  private headers: AnswerHeaders = {};
  private flow: Flow = NO_FLOW;
  private withheld = false;
  private kept: Buffer[] | null = null;
  private keptBytes = 0;
  private bytes = 0;
  private readonly hash: Hash | null;

  constructor(
    private readonly sink: CallSink,
    readonly timing: Timing,
    /** Whether a 401 allows another attempt. */
    private readonly mayRetry: boolean,
    /** How much of an unsuccessful answer to store; of any answer when `always`. */
    private readonly keep: { readonly bytes: number; readonly always: boolean },
  ) {
    this.hash = keep.bytes > 0 ? createHash('sha256') : null;
  }

  head(status: number, headers: AnswerHeaders, flow: Flow): void {
    this.status = status;
    this.headers = headers;
    this.flow = flow;
    this.withheld = status === 401 && this.mayRetry;
    if (this.withheld || ((status >= 400 || this.keep.always) && this.keep.bytes > 0)) this.kept = [];
    if (!this.withheld) this.passHead();
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.hash?.update(chunk);
    if (this.kept) {
      this.keptBytes += chunk.length;
      this.kept.push(chunk);
      if (this.withheld && this.keptBytes > MAX_WITHHELD_BYTES) return this.passOn();
      if (!this.withheld && this.keptBytes > this.keep.bytes) this.kept = null;
    }
    if (!this.withheld) this.sink.data(chunk);
  }

  /** Whether the answer is a withheld 401. */
  get isWithheld(): boolean {
    return this.withheld;
  }

  /** Passes on the withheld answer. */
  passOn(): void {
    if (!this.withheld) return;
    this.withheld = false;
    this.passHead();
    for (const chunk of this.kept ?? []) this.sink.data(chunk);
  }

  /** Size, digest and time of a complete answer, for the audit; without a digest when nothing is stored. */
  measures(): AnswerMeasures {
    const sha256 = this.hash?.digest('hex');
    return { bytes: this.bytes, ...(sha256 === undefined ? {} : { sha256 }), ms: Math.round(this.timing.deviceMs) };
  }

  /** The stored answer, parsed; undefined when nothing was stored or it is not JSON. */
  keptJson(): unknown {
    return this.kept ? deviceJson(Buffer.concat(this.kept)) : undefined;
  }

  private passHead(): void {
    this.passedOn = true;
    this.timing.deviceMs = this.exchange?.headMs ?? 0;
    this.sink.head(this.status, this.headers, this.flow, this.timing);
  }
}

/** The buffer of an upload. With the default 16 KB every chunk of a socket (64 KB) fills it. */
const UP_BYTES = 1024 * 1024;

/**
 * Counts the bytes of a streamed body, so that its deadline sees progress, and stops at a limit. It stays one part
 * behind: with the last part the device has the complete body and acts, so that part is sent only after a final check.
 */
export class ByteCounter extends Transform {
  exchange: Exchange | null = null;
  private bytes = 0;
  private last: Buffer | null = null;

  constructor(
    private readonly limitBytes: number,
    private readonly mayEnd: (() => Promise<void>) | undefined,
    private readonly inspect: ((chunk: Buffer) => AppError | null) | undefined,
  ) {
    super({ highWaterMark: UP_BYTES });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.limitBytes) {
      done(abortedBecause('the body is too large', new AppError('body_too_large', { limitBytes: this.limitBytes })));
      return;
    }
    const refusal = this.inspect?.(chunk);
    if (refusal) {
      done(abortedBecause('the body may not be sent', refusal));
      return;
    }
    if (this.exchange) this.exchange.sentBytes = this.bytes;
    const { last } = this;
    this.last = chunk;
    if (last) done(null, last);
    else done();
  }

  override _flush(done: TransformCallback): void {
    const end = () => done(null, this.last);
    if (this.mayEnd)
      this.mayEnd().then(end, (why: unknown) => done(abortedBecause('its sender no longer has permission', why)));
    else end();
  }
}

const abortedBecause = (reason: string, cause: unknown) => new ExchangeError('aborted', { reason }, { cause });
