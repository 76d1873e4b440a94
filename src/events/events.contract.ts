import { z } from 'zod';
import { instant } from '../http/endpoint.js';
import { pageOf, pageQuery } from '../http/page.js';
import { textSuchAs } from '../http/schemas.js';
import { mailAddress } from '../platform/addresses/mail-address.js';
import { httpUrl } from '../platform/addresses/written-address.js';
import { NOTIFIED } from '../monitoring/notifications/notification.js';
import { isEventType, noSuchType } from './event-types.js';
import { FORMATS } from './notification-bodies.js';

/* Schemas of the routes of events and webhooks. */

const eventType = z
  .string()
  .refine(isEventType, { error: ({ input }) => noSuchType(String(input)) })
  .describe('`job.ended`; `job.*` for all types of a noun')
  .meta({ examples: ['job.ended'] });

export const eventsQuery = z.strictObject({
  types: z
    .string()
    .max(1_000)
    .transform((text) => text.split(','))
    .pipe(z.array(eventType).max(50))
    .optional()
    .describe('Separated by commas; absent: all'),
});
export type EventsQuery = z.output<typeof eventsQuery>;

const mailto = z
  .string()
  .startsWith('mailto:')
  .refine(
    (text) => mailAddress.safeParse(text.slice('mailto:'.length)).success,
    'must be an address such as mailto:ada@example.com',
  );

const isWebhookType = (name: string) => name === NOTIFIED || isEventType(name);

export const webhookInput = z
  .strictObject({
    name: z.string().trim().min(1).max(120),
    url: z
      .union([httpUrl.max(2_000), mailto])
      .describe('https, or http to where DEVICE_ALLOW_LOOPBACK permits it; `mailto:ada@example.com` for `mail`'),
    format: z
      .enum(FORMATS)
      .default('cloudevents')
      .describe(`The others are for chats and get notifications only: their types are \`["${NOTIFIED}"]\``),
    types: z
      .array(z.string().refine(isWebhookType, { error: ({ input }) => `${noSuchType(String(input))}, or ${NOTIFIED}` }))
      .min(1)
      .max(50)
      .describe(`\`job.ended\`; \`job.*\` for all types of a noun; \`${NOTIFIED}\` for notifications of alerts`)
      .meta({ examples: [['job.ended']] }),
    enabled: z.boolean().default(true),
  })
  .refine(({ format, types }) => format === 'cloudevents' || types.every((type) => type === NOTIFIED), {
    path: ['types'],
    error: `a chat gets notifications only: ["${NOTIFIED}"]`,
  })
  .refine(({ format, url }) => (format === 'mail') === url.startsWith('mailto:'), {
    path: ['url'],
    error: 'format mail has an address such as mailto:ada@example.com, and the others have one of https',
  })
  .meta({ id: 'CreateWebhook' });
export type WebhookInput = z.output<typeof webhookInput>;

export const webhookView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    url: z
      .string()
      .describe(
        'Without user, password and query, which often contain a token; sent back in this form, the address does not change',
      ),
    urlHidesSome: z.boolean().describe('Whether it has a user, a password or a query'),
    format: z.enum(FORMATS),
    types: z.array(textSuchAs('job.ended')),
    enabled: z.boolean(),
    confirmedAt: instant
      .nullable()
      .describe(
        'When the owner of the mail address confirmed it; null: not yet, so it sends nothing, or it is no mail',
      ),
    orphaned: z
      .boolean()
      .describe('Its author was disabled or their key revoked: it sends nothing until an operator saves it again'),
    quarantinedAt: instant
      .nullable()
      .describe('When it was stopped because three processes were lost; it sends again when saved with `enabled`'),
    createdByName: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'Webhook' });

export const webhookList = z.object({ items: z.array(webhookView) }).meta({ id: 'WebhookList' });

export const madeWebhookView = z
  .object({ ...webhookView.shape, secret: z.string().describe('`whsec_…` to check signatures; shown only now') })
  .meta({ id: 'MadeWebhook' });

export const listDeliveriesQuery = z.strictObject({
  ...pageQuery.shape,
  state: z.enum(['waiting', 'delivered', 'failed']).optional(),
});
export type ListDeliveriesQuery = z.output<typeof listDeliveriesQuery>;

export const deliveryView = z
  .object({
    id: z.uuid(),
    type: z.string(),
    state: z.enum(['waiting', 'delivered', 'failed']),
    attempts: z.number().int(),
    dueAt: instant,
    status: z.number().int().nullable().describe('The last answer of the receiver'),
    error: z.string().nullable(),
    ms: z.number().int().nullable(),
    createdAt: instant,
    endedAt: instant.nullable(),
    message: z.record(z.string(), z.unknown()).describe('The CloudEvent that is sent'),
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryLine = z.input<typeof deliveryView>;

/** What the receiver said to a test. */
export const webhookTestView = z
  .object({
    accepted: z.boolean().describe('Whether it answered with a status of 200 to 299'),
    status: z.number().int().nullable().describe('Its answer; null: there was none, and `error` says why'),
    error: z.string().nullable().describe('The beginning of an answer that does not accept it, or why there is none'),
    ms: z.number().int().describe('How long it took'),
    message: z.record(z.string(), z.unknown()).describe('The CloudEvent that was sent'),
  })
  .meta({ id: 'WebhookTest' });
export type WebhookTest = z.output<typeof webhookTestView>;

export const confirmInput = z
  .strictObject({
    code: z
      .string()
      .max(20)
      .transform((text) => text.replaceAll(/[\s-]/g, ''))
      .describe('That the owner of the address got; spaces make no difference')
      .meta({ examples: ['1234 5678'] }),
  })
  .meta({ id: 'ConfirmWebhook' });
export type ConfirmInput = z.output<typeof confirmInput>;

/** What the mail server said to a code. */
export const sentCodeView = webhookTestView
  .pick({ accepted: true, status: true, error: true })
  .meta({ id: 'SentCode' });

export const deliveryPage = pageOf(deliveryView).meta({ id: 'WebhookDeliveryPage' });

/** The data of a server-sent event. Its id is the event's position, its name the type. */
export const eventView = z
  .object({
    type: textSuchAs('job.ended'),
    at: instant,
    subject: z.string().describe('The id of its subject'),
    deviceId: z.uuid().nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
