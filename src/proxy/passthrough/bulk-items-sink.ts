import { deviceJson } from '../../device-api/device-json.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { AppError } from '../../platform/errors.js';
import { REDACTED_MAX_BYTES } from '../../secrets/redactor.js';
import { type CallSink } from '../calls/call-context.js';
import { RewritingSink } from './rewriting-sink.js';

/*
 * Completes the answer to a bulk request of which the gateway refused some items: the device answered the others, and
 * each refusal goes to the place of its item.
 */

/** The answer to an item that was not sent. */
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

export class BulkItemsSink extends RewritingSink {
  /** @param refused in the order of their places */
  constructor(
    sink: CallSink,
    private readonly refused: readonly RefusedItemAnswer[],
  ) {
    super(sink);
  }

  /** @throws AppError `device_answer_too_large`, `device_answer_invalid` with the device's status */
  protected rewrite() {
    const body = this.completed();
    return { headers: { ...this.headers, 'content-length': String(body.length) }, body };
  }

  private completed(): Buffer {
    const facts = { deviceStatus: this.status };
    if (this.bytes > REDACTED_MAX_BYTES) throw new AppError('device_answer_too_large', facts);
    const bytes = this.collected();
    if (this.status >= 300) return bytes; // a refusal of the whole request
    const answer = deviceJson(bytes) as { readonly data?: unknown } | null | undefined;
    if (!answer || !Array.isArray(answer.data)) throw new AppError('device_answer_invalid', facts);
    const data: unknown[] = [...(answer.data as readonly unknown[])];
    for (const { index, answer: refusal } of this.refused) data.splice(index, 0, refusal);
    return Buffer.from(JSON.stringify({ ...answer, data }));
  }
}
