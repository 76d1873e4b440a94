import { deviceJson } from '../../device-api/device-json.js';
import { type AnswerHeaders, type Flow } from '../../device-api/http.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { AppError } from '../../platform/errors.js';
import { REDACTED_MAX_BYTES } from '../../platform/secrets/redactor.js';
import { type CallSink, type Timing } from '../calls/call-context.js';

/*
 * Completes the answer to a bulk request of which the gateway refused some items: the device answered the others, and
 * each refusal goes to the place of its item.
 */

const NO_FLOW: Flow = { pause: () => undefined, resume: () => undefined };

/** The answer to an item that was not sent. */
export interface RefusedItemAnswer {
  /** The place of the item in the caller's request. */
  readonly index: number;
  readonly answer: object;
}

/** Nothing of a bulk request is left to be sent: the entry answers it by itself. */
export class AllItemsRefused extends Error {
  /** As the device's answers to bulk requests (observed behaviour 1.5). */
  readonly status: number;
  readonly items: readonly object[];

  constructor(refused: readonly RefusedItemAnswer[], profile: Device['profile']) {
    super('Every item of the bulk request is refused');
    this.status = profile === 'spec' ? 200 : 207;
    this.items = refused.map(({ answer }) => answer);
  }
}

export class BulkItemsSink implements CallSink {
  private status = 0;
  private headers: AnswerHeaders = {};
  private timing: Timing = { queueMs: 0, loginMs: 0, deviceMs: 0 };
  private chunks: Buffer[] = [];
  private bytes = 0;

  /** @param refused in the order of their places */
  constructor(
    private readonly sink: CallSink,
    private readonly refused: readonly RefusedItemAnswer[],
  ) {}

  head(status: number, headers: AnswerHeaders, _flow: Flow, timing: Timing): void {
    this.status = status;
    this.headers = headers;
    this.timing = timing;
  }

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
    // The rest is still read, so that the effect of the call is known.
    if (this.bytes <= REDACTED_MAX_BYTES) this.chunks.push(chunk);
    else this.chunks = [];
  }

  /** Passes on the completed answer, or `device_answer_too_large`, `device_answer_invalid` with the device's status. */
  end(): void {
    let body: Buffer;
    try {
      body = this.completed();
    } catch (error) {
      return this.sink.fail(error as AppError);
    }
    this.sink.head(this.status, { ...this.headers, 'content-length': String(body.length) }, NO_FLOW, this.timing);
    if (body.length > 0) this.sink.data(body);
    this.sink.end();
    return undefined;
  }

  fail(error: AppError): void {
    this.sink.fail(error);
  }

  private completed(): Buffer {
    const facts = { deviceStatus: this.status };
    if (this.bytes > REDACTED_MAX_BYTES) throw new AppError('device_answer_too_large', facts);
    const bytes = Buffer.concat(this.chunks);
    if (this.status >= 300) return bytes; // a refusal of the whole request
    const answer = deviceJson(bytes) as { readonly data?: unknown } | null | undefined;
    if (!answer || !Array.isArray(answer.data)) throw new AppError('device_answer_invalid', facts);
    const data: unknown[] = [...(answer.data as readonly unknown[])];
    for (const { index, answer: refusal } of this.refused) data.splice(index, 0, refusal);
    return Buffer.from(JSON.stringify({ ...answer, data }));
  }
}
