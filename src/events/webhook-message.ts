import { NOTIFIED, type Notification, testNotification } from '../monitoring/notifications/notification.js';
import { type EventLine } from './event-filter.js';
import { chatBody, type DatedNotification, type Format, type MessageBody } from './notification-bodies.js';

/*
 * The message of a webhook, and the times of its retries. Pure. It is a CloudEvent (CloudEvents 1.0, JSON format), which chats get
 * in their own form; the signature is that of Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body` with the webhook's own secret.
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

/** A notification, with the id of its delivery. */
export function notificationMessage(id: string, notification: Notification, at: Date, source: string): CloudEvent {
  const { ruleId } = notification;
  const subject = ruleId === null ? 'gateway' : `alert_rule:${ruleId}`;
  return messageOf(id, { at, type: NOTIFIED, subject, data: { ...notification } }, source);
}

/** The message of a test. No event has its type; a chat gets a notification of nothing. */
export function testMessage(
  id: string,
  webhook: { readonly id: string; readonly name: string; readonly format: Format },
  at: Date,
  source: string,
): CloudEvent {
  const { name, format } = webhook;
  const data = format === 'cloudevents' ? { name } : { ...testNotification(name) };
  return messageOf(id, { at, type: 'webhook.test', subject: webhook.id, data }, source);
}

/** A message that is no event. */
function messageOf(id: string, said: Pick<EventLine, 'at' | 'type' | 'subject' | 'data'>, source: string): CloudEvent {
  return { ...cloudEvent({ ...said, tx: '', id, deviceId: null }, source), id };
}

/** The body that is sent. All messages to chats are notifications. */
export function bodyOf(message: CloudEvent, format: Format): MessageBody {
  if (format === 'cloudevents')
    return { headers: { 'content-type': 'application/cloudevents+json' }, body: JSON.stringify(message) };
  const { id, time: at, data } = message;
  return chatBody(format, { ...data, id, at } as unknown as DatedNotification);
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
