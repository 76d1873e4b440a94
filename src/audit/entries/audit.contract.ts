import { z } from 'zod';
import { actionProblem } from './audit-actions.js';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';
import { instantText, textSuchAs } from '../../http/schemas.js';

const count = z.number().int();
const outcome = z.enum(['succeeded', 'failed', 'refused', 'unknown']);

export const auditQuery = z.strictObject({
  ...pageQuery.shape,
  actor: z.string().max(120).optional().describe('Only entries of this actor, such as `key:…`'),
  who: z
    .string()
    .max(120)
    .optional()
    .describe('Only entries of the person with this name, by any key or session, or of this part of the gateway'),
  action: z
    .string()
    .max(60)
    .refine((written) => actionProblem(written) === null, {
      error: ({ input }) => actionProblem(String(input)) ?? undefined,
    })
    .optional()
    .describe('Only this action, such as `device.register`; `device.*` matches all actions of a noun'),
  only: z
    .literal('changes')
    .optional()
    .describe('`changes`: without sign-ins, refused requests, and reads of what is secret'),
  deviceId: z.uuid().optional().describe('Only entries of this device'),
  selector: z.string().max(2_000).optional().describe('Only entries of the devices that a selector names now'),
  jobId: z.uuid().optional().describe('Only entries of this job'),
  operation: z.uuid().optional().describe('Only entries of this fan-out or job'),
  requestId: z.string().max(128).optional().describe('Only entries of this request; `since` makes the search faster'),
  outcome: z
    .enum([...outcome.options, 'open'])
    .optional()
    .describe('`open`: not closed yet'),
  since: instantText.optional().describe('Not before this instant'),
  until: instantText.optional().describe('Before this instant'),
});
export type AuditQuery = z.output<typeof auditQuery>;

export const auditEntryView = z
  .object({
    id: z.uuid(),
    sequence: count.nullable().describe('Place in the log; null: not placed yet'),
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
    operationId: z.uuid().nullable().describe('The fan-out that it belongs to'),
    subject: z.string(),
    facts: z.record(z.string(), z.unknown()),
    result: z.record(z.string(), z.unknown()).describe('What was recorded when it was closed; empty while it is open'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditLine = z.input<typeof auditEntryView>;

export const auditPage = pageOf(auditEntryView).meta({ id: 'AuditPage' });

/** The filter of an export: as for the list, without the outcome. */
export const exportInput = auditQuery.omit({ limit: true, cursor: true, requestId: true, outcome: true });
export type ExportInput = z.output<typeof exportInput>;

export const streamQuery = exportInput.omit({ jobId: true, since: true, until: true }).extend({
  after: z.coerce
    .number()
    .int()
    .min(-1)
    .optional()
    .describe('Start after this place of the log, as with Last-Event-ID; absent: with the next entry'),
});
export type StreamQuery = z.output<typeof streamQuery>;

export const verifyInput = z
  .strictObject({
    witnessed: z
      .array(z.string().max(2_000))
      .max(1_000)
      .default([])
      .describe('Checkpoints from a witness: they show a roll-back of the complete database'),
    key: z.string().max(400).optional().describe('The expected verifier key, from a source outside the gateway'),
  })
  .prefault({});
export type VerifyInput = z.output<typeof verifyInput>;

export const logView = z
  .object({
    origin: z.string(),
    key: z.string().describe('Verifier key: name, id and Ed25519 key (C2SP signed-note)'),
    size: count.describe('Leaves that the last checkpoint covers'),
    checkpoint: z
      .string()
      .nullable()
      .describe('The last signed checkpoint (C2SP tlog-checkpoint); null on an empty log'),
  })
  .meta({ id: 'AuditLog' });

export const consistencyQuery = z.strictObject({
  from: z.coerce.number().int().min(0).describe('Size of an earlier checkpoint'),
  to: z.coerce.number().int().min(0).optional().describe('Size of a later one; absent: of the last'),
});
export type ConsistencyQuery = z.output<typeof consistencyQuery>;

export const consistencyView = z
  .object({
    from: count,
    to: count,
    checkpoint: z.string().describe('The signed checkpoint at `to`'),
    proof: z.array(z.string()).describe('Hashes in hex (RFC 9162, section 2.1.4)'),
  })
  .meta({ id: 'AuditConsistency' });

const leaf = { v: count, id: z.uuid(), at: z.iso.datetime() };

/** An entry or an outcome as in its leaf; the names are those of the columns. */
export const logLine = z
  .discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('entry'),
      ...leaf,
      action: z.string(),
      actor: z.string(),
      subject: z.string(),
      facts: z.record(z.string(), z.unknown()),
    }),
    z.looseObject({
      type: z.literal('outcome'),
      ...leaf,
      outcome,
      facts: z.record(z.string(), z.unknown()),
    }),
  ])
  .meta({ id: 'AuditLogLine' });

/** A line of an export: the head, a hash that replaces leaves outside the filter, the end, or a line of the log. */
export const exportLine = z
  .union([
    z.object({
      proof: z.literal('fleetgate-audit-export/1'),
      origin: z.string(),
      key: z.string(),
      checkpoint: z.string(),
    }),
    z.object({ proof: z.literal('hash'), height: count, hash: z.string() }),
    z.object({ proof: z.literal('end'), leaves: count, hashes: count }),
    logLine,
  ])
  .meta({ id: 'AuditExportLine' });

export const verifyLine = z
  .discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('finding'),
      kind: textSuchAs('row_altered'),
      what: z.string().describe('A sentence'),
      sequence: count.nullable(),
      through: count.nullable(),
      row: z.object({ kind: z.enum(['entry', 'outcome']), id: z.uuid() }).nullable(),
    }),
    z.looseObject({ type: z.literal('progress'), leaves: count, of: count }),
    z.looseObject({
      type: z.literal('summary'),
      holds: z.boolean(),
      findings: count,
      leaves: count,
      entries: count,
      outcomes: count,
      archived: count.describe('Leaves in archived segments, of which only the roots of the segments are known'),
      pending: count.describe('Rows that are committed and not placed yet, which is normal'),
      checkpoints: count,
      clockSetBack: count.describe('Checkpoints at which the clock showed an earlier time than before'),
      witnessed: count.describe('Checkpoints of the witness that were compared'),
      root: z.string(),
      key: z.string(),
      ms: z.number(),
    }),
  ])
  .meta({ id: 'AuditVerifyLine' });
