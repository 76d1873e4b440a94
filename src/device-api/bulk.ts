import { bulkRequest, envelope, type BulkItem, type Envelope } from './contract.js';

/*
 * Many calls in one `POST /api/bulk`. Devices have keep-alive off by default, so one bulk request saves a TLS handshake
 * for each further item.
 */

/** The answer to one item: its envelope, or null when there is none that can be read. */
export type ItemAnswer = Envelope | null;

/**
 * Joins the items of a bulk request to their answers. Items have no HTTP status (observed-devices.md 1.5), only envelopes.
 * @param body the parsed answer
 * @param count how many items were sent
 * @returns one answer for each item, in order; null throughout when the whole answer is not one, and for each item
 *   whose place holds something else. A wrong number of answers says nothing about which is whose: null throughout.
 */
export function joinBulk(body: unknown, count: number): ItemAnswer[] {
  const answers = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(answers) || answers.length !== count) return Array.from({ length: count }, () => null);
  return answers.map((answer) => {
    const read = envelope.safeParse(answer);
    return read.success ? read.data : null;
  });
}

/** Reads the body of a bulk request. @returns its items, or null when it is not one */
export function readBulk(body: unknown): BulkItem[] | null {
  const read = bulkRequest.safeParse(body);
  return read.success ? read.data.data : null;
}
