import { type EventLine } from './event-filter.js';

/*
 * The message of a webhook, and the times of its retries. Pure. The body is a CloudEvent (CloudEvents 1.0, JSON format),
 * the signature is that of Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body` with the webhook's own secret.
 */

export type CloudEvent = ReturnType<typeof cloudEvent>;

/** @param source the public address of this gateway */
export function cloudEvent({ tx, id, type, subject, at, deviceId, data }: EventLine, source: string) {
  return {
    specversion: '1.0',
    id: `${tx}.${id}`,
    source,
    type: `fleetgate.${type}`,
    subject,
    time: at.toISOString(),
    datacontenttype: 'application/json',
    data: { ...data, ...(deviceId === null ? {} : { deviceId }) },
  };
}

/** The message of a test; no event has its type. */
export function testMessage(
  id: string,
  webhook: { readonly id: string; readonly name: string },
  at: Date,
  source: string,
): CloudEvent {
  const line = {
    tx: '',
    id,
    at,
    type: 'webhook.test',
    subject: webhook.id,
    deviceId: null,
    data: { name: webhook.name },
  };
  return { ...cloudEvent(line, source), id };
}

/** What the messages of this gateway name as their source. */
export const sourceOf = ({ PUBLIC_URL }: { readonly PUBLIC_URL?: string | undefined }): string =>
  PUBLIC_URL ?? 'urn:fleetgate';

/** Pauses after the first, second, … failed attempt: about a day in all, as Standard Webhooks advises. */
const RETRY_MS = [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000];

/** When the next attempt is due, in milliseconds from now; null: no more attempts. */
export function retryAfterMs(attempts: number): number | null {
  return RETRY_MS[attempts - 1] ?? null;
}

/** Whether an answer accepts the delivery. 410 says that the receiver wants no more. */
export const isAccepted = (status: number): boolean => status >= 200 && status < 300;
export const isUnwanted = (status: number): boolean => status === 410;
