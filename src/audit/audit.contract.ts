import { z } from 'zod';
import { instant } from '../platform/endpoint.js';
import { pageOf, pageQuery } from '../platform/page.js';

const outcome = z.enum(['succeeded', 'failed', 'refused', 'unknown']);

export const auditQuery = z.strictObject({
  ...pageQuery.shape,
  actor: z.string().max(120).optional().describe('Only entries of this actor, such as `key:…`'),
  action: z
    .string()
    .max(60)
    .optional()
    .describe('Only this action, such as `device.register`; `device.*` takes all of a noun'),
  deviceId: z.uuid().optional().describe('Only entries of this device'),
  jobId: z.uuid().optional().describe('Only entries of this job'),
  outcome: z
    .enum([...outcome.options, 'open'])
    .optional()
    .describe('`open`: not closed yet'),
  since: z.iso.datetime({ offset: true }).optional().describe('Not before this instant'),
  until: z.iso.datetime({ offset: true }).optional().describe('Before this instant'),
});
export type AuditQuery = z.output<typeof auditQuery>;

export const auditEntryView = z
  .object({
    id: z.uuid(),
    openedAt: instant,
    closedAt: instant.nullable(),
    action: z.string(),
    outcome: outcome.nullable().describe('null: the effect is under way'),
    actor: z.string(),
    actorName: z.string(),
    requestId: z.string().nullable(),
    address: z.string().nullable(),
    reason: z.string().nullable(),
    deviceId: z.uuid().nullable(),
    jobId: z.uuid().nullable(),
    subject: z.string(),
    facts: z.record(z.string(), z.unknown()),
    result: z.record(z.string(), z.unknown()).describe('What the other side answered'),
  })
  .meta({ id: 'AuditEntry' });

export const auditPage = pageOf(auditEntryView).meta({ id: 'AuditPage' });
