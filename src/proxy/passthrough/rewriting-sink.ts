import { NO_FLOW, type AnswerHeaders, type Flow } from '../../device-api/exchange.js';
import { type AppError } from '../../platform/errors.js';
import { REDACTED_MAX_BYTES } from '../../secrets/redactor.js';
import { type AnswerNotes, type CallSink } from '../calls/call-context.js';

/** Collects the answer of a device until it is complete, and passes another one on in its place. */
export abstract class RewritingSink implements CallSink {
  protected status = 0;
  protected headers: AnswerHeaders = {};
  /** Received bytes; what exceeds `REDACTED_MAX_BYTES` is not collected. */
  protected bytes = 0;
  private notes: AnswerNotes = { queueMs: 0, loginMs: 0, deviceMs: 0, demand: null };
  private chunks: Buffer[] = [];

  constructor(private readonly sink: CallSink) {}

  /** The answer in the place of the collected one, with the same status. @throws AppError there is none */
  protected abstract rewrite(): { readonly headers: AnswerHeaders; readonly body: Buffer };

  head(status: number, headers: AnswerHeaders, _flow: Flow, notes: AnswerNotes): void {
    this.status = status;
    this.headers = headers;
    this.notes = notes;
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    // An answer that is too large is still read to its end, to know the effect of the call.
    if (this.bytes <= REDACTED_MAX_BYTES) this.chunks.push(chunk);
    else this.chunks = [];
  }

  end(): void {
    let answer: ReturnType<RewritingSink['rewrite']>;
    try {
      answer = this.rewrite();
    } catch (error) {
      return this.sink.fail(error as AppError);
    }
    this.sink.head(this.status, answer.headers, NO_FLOW, this.notes);
    if (answer.body.length > 0) this.sink.data(answer.body);
    return this.sink.end();
  }

  fail(error: AppError): void {
    this.sink.fail(error);
  }

  protected collected(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
