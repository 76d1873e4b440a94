import { type AppError } from '../../platform/errors.js';
import { REDACTED_MAX_BYTES, withheld, type RedactionStyle, type Redactor } from '../../secrets/redactor.js';
import { type CallSink } from '../calls/call-context.js';
import { type CallRequest } from '../connections/call-request.js';
import { RewritingSink } from './rewriting-sink.js';

/*
 * Redacts the answer of a device for a caller without the right to read secrets, or refuses it with `answer_withheld` and
 * the device's status. It is in front of the caller's own sink, so that callers with different rights can share one
 * read.
 */

/** Headers about the original bytes, which are not sent. */
const OF_THE_BYTES = ['content-length', 'content-encoding', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

export class RedactingSink extends RewritingSink {
  /** @param addHeader adds a header to the answer */
  constructor(
    sink: CallSink,
    private readonly call: CallRequest,
    private readonly redactor: Pick<Redactor, 'bytes'>,
    private readonly style: RedactionStyle,
    private readonly addHeader: (name: string, value: string) => void,
  ) {
    super(sink);
  }

  protected rewrite() {
    const body = this.bytes > 0 ? this.redacted() : Buffer.alloc(0);
    const headers = Object.fromEntries(Object.entries(this.headers).filter(([name]) => !OF_THE_BYTES.includes(name)));
    const hasNoLength = this.call.method === 'HEAD' || this.status === 204 || this.status === 304;
    return { headers: hasNoLength ? headers : { ...headers, 'content-length': String(body.length) }, body };
  }

  private redacted(): Buffer {
    const encoding = this.headers['content-encoding'];
    if (this.bytes > REDACTED_MAX_BYTES) throw this.refusal(withheld('it is too large to be checked'));
    if (encoding !== undefined && encoding !== 'identity') throw this.refusal(withheld('it is compressed'));
    const paths = this.call.acts.map(({ path }) => path);
    try {
      const { body, hidden } = this.redactor.bytes(this.collected(), paths, this.call.isBulkRequest, this.style);
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
