import { type AnswerHeaders, type Flow } from '../../device-api/http.js';
import { type AppError } from '../../platform/errors.js';
import { REDACTED_MAX_BYTES, withheld, type RedactionStyle, type Redactor } from '../../platform/secrets/redactor.js';
import { type CallSink, type Timing } from '../calls/call-context.js';
import { type CallRequest } from '../connections/call-request.js';

/*
 * Redacts the answer of a device for a caller without the right to read secrets: buffers it until it is complete,
 * redacts it and writes it again. It stands in front of the caller's own sink, so that callers with different rights
 * can share one read.
 */

const NO_FLOW: Flow = { pause: () => undefined, resume: () => undefined };

/** Headers about the original bytes, which are not sent. */
const OF_THE_BYTES = ['content-length', 'content-encoding', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

export class RedactingSink implements CallSink {
  private status = 0;
  private headers: AnswerHeaders = {};
  private timing: Timing = { queueMs: 0, loginMs: 0, deviceMs: 0 };
  private chunks: Buffer[] = [];
  private bytes = 0;

  /** @param addHeader adds a header to the answer */
  constructor(
    private readonly sink: CallSink,
    private readonly call: CallRequest,
    private readonly redactor: Pick<Redactor, 'bytes'>,
    private readonly style: RedactionStyle,
    private readonly addHeader: (name: string, value: string) => void,
  ) {}

  head(status: number, headers: AnswerHeaders, _flow: Flow, timing: Timing): void {
    this.status = status;
    this.headers = headers;
    this.timing = timing;
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    // An answer that is too large is still read to its end, to know the effect of the call.
    if (this.bytes <= REDACTED_MAX_BYTES) this.chunks.push(chunk);
    else this.chunks = [];
  }

  /** Passes on the redacted answer, or `answer_withheld` with the device's status. */
  end(): void {
    let body: Buffer;
    try {
      body = this.bytes > 0 ? this.redacted() : Buffer.alloc(0);
    } catch (error) {
      return this.sink.fail(error as AppError);
    }
    const headers = Object.fromEntries(Object.entries(this.headers).filter(([name]) => !OF_THE_BYTES.includes(name)));
    const length = this.call.method === 'HEAD' || this.status === 204 || this.status === 304 ? null : body.length;
    const out = length === null ? headers : { ...headers, 'content-length': String(length) };
    this.sink.head(this.status, out, NO_FLOW, this.timing);
    if (body.length > 0) this.sink.data(body);
    this.sink.end();
    return undefined;
  }

  fail(error: AppError): void {
    this.sink.fail(error);
  }

  private redacted(): Buffer {
    const encoding = this.headers['content-encoding'];
    if (this.bytes > REDACTED_MAX_BYTES) throw this.refusal(withheld('it is too large to be checked'));
    if (encoding !== undefined && encoding !== 'identity') throw this.refusal(withheld('it is compressed'));
    const paths = this.call.acts.map(({ path }) => path);
    try {
      const { body, hidden } = this.redactor.bytes(
        Buffer.concat(this.chunks),
        paths,
        this.call.isBulkRequest,
        this.style,
      );
      this.addHeader('fleetgate-redacted', String(hidden));
      return body;
    } catch (error) {
      throw this.refusal(error as AppError);
    }
  }

  private refusal(error: AppError): AppError {
    return Object.assign(error, { facts: { ...error.facts, deviceStatus: this.status } });
  }
}
