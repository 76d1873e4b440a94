import { z } from 'zod';
import { instant } from '../platform/http/endpoint.js';
import { pageOf, pageQuery } from '../platform/http/page.js';

/* What goes in and out of the routes of events and webhooks. */

const eventType = z
  .string()
  .regex(/^[a-z]+\.([a-z_]+|\*)$/, 'must be a type such as job.ended, or job.* for all of a noun')
  .describe('`job.ended`; `job.*` for all of a noun')
  .meta({ examples: ['job.ended'] });

export const eventsQuery = z.strictObject({
  types: z
    .string()
    .max(1_000)
    .transform((text) => text.split(','))
    .pipe(z.array(eventType).max(50))
    .optional()
    .describe('With commas between them; absent: all'),
});
export type EventsQuery = z.output<typeof eventsQuery>;

export const webhookInput = z
  .strictObject({
    name: z.string().trim().min(1).max(120),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .describe('https, or http to where DEVICE_ALLOW_LOOPBACK permits it'),
    types: z.array(eventType).min(1).max(50),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'CreateWebhook' });
export type WebhookInput = z.output<typeof webhookInput>;

export const webhookView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    url: z
      .string()
      .describe('Without user, password and query, which often hold a token; sent back so, it stays as it is'),
    urlHidesSome: z.boolean().describe('Whether it has a user, a password or a query'),
    types: z.array(z.string().meta({ examples: ['job.ended'] })),
    enabled: z.boolean(),
    orphaned: z
      .boolean()
      .describe('Its author was disabled or their key revoked: it sends nothing until somebody saves it anew'),
    quarantinedAt: instant
      .nullable()
      .describe('When it was stopped, because it took two processes down; saved with `enabled` it sends again'),
    createdByName: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'Webhook' });

export const webhookList = z.object({ items: z.array(webhookView) }).meta({ id: 'WebhookList' });

export const madeWebhookView = z
  .object({ ...webhookView.shape, secret: z.string().describe('`whsec_…` to check signatures with; shown this once') })
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
    status: z.number().int().nullable().describe('What the other side answered last'),
    error: z.string().nullable(),
    ms: z.number().int().nullable(),
    createdAt: instant,
    endedAt: instant.nullable(),
    message: z.record(z.string(), z.unknown()).describe('The CloudEvent that is sent'),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryPage = pageOf(deliveryView).meta({ id: 'WebhookDeliveryPage' });

/** The data of a server-sent event. Its id is the event's place, its name the type. */
export const eventView = z
  .object({
    type: z.string().meta({ examples: ['job.ended'] }),
    at: instant,
    subject: z.string().describe('The id of what it is about'),
    deviceId: z.uuid().nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
