import { IncomingMessage } from 'node:http';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { ExchangeError } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';

/** The buffer of an upload. With the default 16 KB every chunk of a socket (64 KB) fills it. */
const UP_BYTES = 1024 * 1024;

/** The call that sends the body: its deadline sees these bytes move. */
interface SentBytes {
  sentBytes: number;
}

/**
 * Counts the bytes of a streamed body, so that its deadline sees progress, and stops at a limit. It stays one part
 * behind: with the last part the device has the complete body and acts, so that part is sent only after a final check.
 */
export class ByteCounter extends Transform {
  private bytes = 0;
  private last: Buffer | null = null;

  constructor(
    private readonly call: SentBytes,
    private readonly limitBytes: number,
    private readonly mayEnd: (() => Promise<void>) | undefined,
    private readonly inspect: ((chunk: Buffer) => AppError | null) | undefined,
  ) {
    super({ highWaterMark: UP_BYTES });
  }

  /** Whether it waits for its sender, and not for its receiver. */
  get isStarving(): boolean {
    return this.writableLength === 0 && this.readableLength < this.readableHighWaterMark && !this.writableEnded;
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
    this.call.sentBytes = this.bytes;
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

/**
 * Passes a body to a counter. When either one ends early, so does the other. `pipeline` would destroy the request of
 * the caller, and with it the connection that the answer needs.
 */
export function passBody(body: Readable, counter: ByteCounter): void {
  body.once('error', (cause) => counter.destroy(abortedBecause('the body ended early', cause)));
  body.once('close', () => {
    if (!body.readableEnded) counter.destroy(abortedBecause('the body ended early', null));
  });
  counter.on('error', () => undefined); // undici has its own listener while it reads
  counter.once('close', () => releaseBody(body));
  body.pipe(counter);
}

/**
 * Ends the reading of a body that is no longer needed. What comes of a request is discarded: the caller reads the answer
 * after it has sent its body, and a closed connection would take the answer from it. The server limits that time.
 */
export function releaseBody(body: Readable): void {
  if (!(body instanceof IncomingMessage)) body.destroy();
  else if (!body.destroyed) body.unpipe().resume();
}

const abortedBecause = (reason: string, cause: unknown) => new ExchangeError('aborted', { reason }, { cause });
