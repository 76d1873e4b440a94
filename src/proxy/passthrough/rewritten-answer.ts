import { deviceJson } from '../../device-api/device-json.js';
import { NO_FLOW, type AnswerHeaders, type Flow } from '../../device-api/exchange.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { AppError } from '../../platform/errors.js';
import { REDACTED_MAX_BYTES, withheld, type RedactionStyle, type Redactor } from '../../secrets/redactor.js';
import { type AnswerNotes, type CallSink } from '../calls/call-context.js';
import { type CallRequest } from '../connections/call-request.js';

/*
 * An answer of a device that its caller gets in another form: redacted, for a caller without the right to read secrets, or
 * completed by the refusals of items of a bulk request that were not sent. It is collected first. Each caller of a shared
 * read has its own.
 */

/** The complete answer; `bytes` may be more than `body`, which is empty when the answer is too large. */
interface CollectedAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
  readonly bytes: number;
}

/** Gives another answer with the same status. @throws AppError there is none */
type Rewrite = (answer: CollectedAnswer) => { readonly headers: AnswerHeaders; readonly body: Buffer };

/** Collects an answer until it is complete. */
export class RewrittenAnswer implements CallSink {
  private status = 0;
  private headers: AnswerHeaders = {};
  private bytes = 0;
  private notes: AnswerNotes = { queueMs: 0, loginMs: 0, deviceMs: 0, demand: null };
  private chunks: Buffer[] = [];

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

  /** Passes the rewritten answer on. @throws AppError as `rewrites` */
  passTo(sink: CallSink, rewrites: readonly Rewrite[]): void {
    const { status, notes } = this;
    let answer: CollectedAnswer = {
      status,
      headers: this.headers,
      body: Buffer.concat(this.chunks),
      bytes: this.bytes,
    };
    for (const rewrite of rewrites) {
      const { headers, body } = rewrite(answer);
      answer = { status, headers, body, bytes: body.length };
    }
    sink.head(status, answer.headers, NO_FLOW, notes);
    if (answer.body.length > 0) sink.data(answer.body);
  }
}

/** Headers about the original bytes, which are not sent. */
const OF_THE_BYTES = ['content-length', 'content-encoding', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

/**
 * Redacts an answer, or refuses it with `answer_withheld` and the device's status.
 * @param addHeader adds a header to the answer
 */
export function redacting(
  call: CallRequest,
  redactor: Pick<Redactor, 'bytes'>,
  style: RedactionStyle,
  addHeader: (name: string, value: string) => void,
): Rewrite {
  const redacted = ({ headers, body, bytes }: CollectedAnswer): Buffer => {
    const encoding = headers['content-encoding'];
    if (bytes > REDACTED_MAX_BYTES) throw withheld('it is too large to be checked');
    if (encoding !== undefined && encoding !== 'identity') throw withheld('it is compressed');
    const paths = call.acts.map(({ path }) => path);
    const result = redactor.bytes(body, paths, call.isBulkRequest, style);
    addHeader('fleetgate-redacted', String(result.hidden));
    return result.body;
  };
  return (answer) => {
    const { status } = answer;
    try {
      const body = answer.bytes > 0 ? redacted(answer) : Buffer.alloc(0);
      const headers = Object.fromEntries(
        Object.entries(answer.headers).filter(([name]) => !OF_THE_BYTES.includes(name)),
      );
      const hasNoLength = call.method === 'HEAD' || status === 204 || status === 304;
      return { headers: hasNoLength ? headers : { ...headers, 'content-length': String(body.length) }, body };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw Object.assign(error, { facts: { ...error.facts, deviceStatus: status } });
    }
  };
}

/** The answer to an item of a bulk request that was not sent. */
export interface RefusedItemAnswer {
  /** The place of the item in the caller's request. */
  readonly index: number;
  readonly answer: object;
}

/** Nothing of a bulk request is left to be sent: the entry point answers it by itself. */
export class AllItemsRefused extends Error {
  /** As the device's answers to bulk requests (observed-devices.md 1.5). */
  readonly status: number;
  readonly items: readonly object[];

  constructor(refused: readonly RefusedItemAnswer[], profile: Device['profile']) {
    super('Every item of the bulk request is refused');
    this.status = profile === 'spec' ? 200 : 207;
    this.items = refused.map(({ answer }) => answer);
  }
}

/**
 * Puts each refusal at the place of its item; the device answered the others.
 * @param refused in the order of their places
 * @throws AppError `device_answer_too_large`, `device_answer_invalid` with the device's status
 */
export function completing(refused: readonly RefusedItemAnswer[]): Rewrite {
  return ({ status, headers, body, bytes }) => {
    const completed = (): Buffer => {
      const facts = { deviceStatus: status };
      if (bytes > REDACTED_MAX_BYTES) throw new AppError('device_answer_too_large', facts);
      if (status >= 300) return body; // a refusal of the whole request
      const answer = deviceJson(body) as { readonly data?: unknown } | null | undefined;
      if (!answer || !Array.isArray(answer.data)) throw new AppError('device_answer_invalid', facts);
      const data: unknown[] = [...(answer.data as readonly unknown[])];
      for (const { index, answer: refusal } of refused) data.splice(index, 0, refusal);
      return Buffer.from(JSON.stringify({ ...answer, data }));
    };
    const sent = completed();
    return { headers: { ...headers, 'content-length': String(sent.length) }, body: sent };
  };
}
