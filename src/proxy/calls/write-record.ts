import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { joinBulk } from '../../device-api/bulk.js';
import { requestJson } from '../../device-api/device-json.js';
import { Audit, type NewAuditEntry, type AuditOutcomeName } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { type AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { Redactor } from '../../secrets/redactor.js';
import { Secrets } from '../../secrets/secrets.js';
import { errorsOf } from '../connections/device-errors.js';
import { type CallRequest } from '../connections/call-request.js';

/*
 * Audits writes to devices: one entry for each writing act, committed before the first byte is sent and closed after
 * the answer. A bulk request may have many: each has its own entry and outcome, read from its own envelope.
 */

/** Of larger bodies only size and fingerprint are stored; of large bulk requests and of streamed bodies neither. */
const MAX_REQUESTED_BYTES = 16 * 1024;

/** The audit's data of an answer besides its status; `ms` ends with its head. */
interface AnswerMeasures {
  readonly bytes: number;
  readonly sha256?: string;
  readonly ms: number;
}

/** How the request ended, as far as known. */
export type Ending =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown; readonly answer: AnswerMeasures }
  | { readonly kind: 'not-sent'; readonly error: AppError }
  | { readonly kind: 'lost'; readonly error: AppError };

/** An open record: its entries, in the order of the writing acts. */
export interface WriteRecord {
  readonly entryIds: readonly string[];
  readonly call: CallRequest;
}

@Injectable()
export class WriteRecords {
  constructor(
    @Inject(Audit) private readonly audit: Pick<Audit, 'openAll' | 'close'>,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'fingerprint'>,
    @Inject(LOG) private readonly log: Logger,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'query' | 'redact'>,
  ) {}

  /** @throws AppError `database_unavailable`: nothing may be sent */
  async open(
    call: CallRequest,
    context: {
      deviceId: string;
      actor: Actor;
      jobId?: string | undefined;
      operationId?: string | undefined;
      body: Buffer | null;
    },
  ): Promise<WriteRecord> {
    const { deviceId, actor, jobId, operationId, body } = context;
    const requested = this.requested(call, body);
    const content = body && { bytes: body.length, fingerprint: this.secrets.fingerprint(body.toString('latin1')) };
    const entries: NewAuditEntry[] = [];
    for (const [index, act] of call.acts.entries()) {
      if (!act.writes) continue;
      const facts: Record<string, unknown> = {};
      if (act.query !== '') facts['query'] = this.redactor.query(act.query, act.path);
      if (call.isBulkRequest) facts['bulkItem'] = index;
      else if (content) facts['body'] = content;
      if (requested[index] !== undefined) facts['requested'] = requested[index];
      const subject = `${act.method} ${act.path}`;
      entries.push({ actor, action: 'device.call_write', subject, deviceId, jobId, operationId, facts });
    }
    return { entryIds: await this.audit.openAll(entries), call };
  }

  /** The request of each act without its secrets; nothing for large, streamed or non-JSON bodies. */
  private requested(call: CallRequest, body: Buffer | null): readonly unknown[] {
    if (!body || body.length === 0 || body.length > MAX_REQUESTED_BYTES) return [];
    const parsed = requestJson(body);
    if (parsed === undefined) return [];
    const asked = call.isBulkRequest
      ? (parsed as { data: readonly { data?: unknown }[] }).data.map(({ data }) => data)
      : [parsed];
    return call.acts.map(({ writes, path }, index) => {
      const value = asked[index];
      return writes && value !== undefined ? this.redactor.redact(value, path).value : undefined;
    });
  }

  /** Never throws: when an outcome cannot be written, the sweeper closes the entry as `unknown`. */
  async close(record: WriteRecord, ending: Ending): Promise<void> {
    const writing = [...record.call.acts.entries()].filter(([, act]) => act.writes);
    const items =
      record.call.isBulkRequest && ending.kind === 'answered' && ending.status < 300 ? ending.body : undefined;
    const answers = items === undefined ? null : joinBulk(items, record.call.acts.length);
    try {
      await Promise.all(
        writing.map(([index], position) => {
          const { outcome, facts } = answers
            ? outcomeOfItem(answers[index] ?? null)
            : outcomeOf(ending, record.call.changes);
          return this.audit.close(record.entryIds[position]!, outcome, facts);
        }),
      );
    } catch (error) {
      this.log.warn({ outcome: ending.kind, ...errorFields(error) }, 'An audit entry could not be closed');
    }
  }
}

type Outcome = { outcome: AuditOutcomeName; facts: Record<string, unknown> };

function outcomeOf(ending: Ending, changes: boolean): Outcome {
  switch (ending.kind) {
    case 'not-sent':
      return { outcome: 'failed', facts: { code: ending.error.code, sent: false } };
    case 'lost':
      return { outcome: changes ? 'unknown' : 'failed', facts: { code: ending.error.code, sent: true } };
    case 'answered': {
      const { status, body, answer } = ending;
      const deviceCodes = errorsOf(body).map(({ code }) => code);
      const codes = deviceCodes.length > 0 ? { deviceCodes } : null;
      const facts = { deviceStatus: status, answer, ...codes };
      const saysNo = (body as { success?: unknown } | null | undefined)?.success === false;
      if (status < 300 && !saysNo) return { outcome: 'succeeded', facts };
      return { outcome: saysNo || (status >= 400 && status < 500) ? 'refused' : 'failed', facts };
    }
  }
}

function outcomeOfItem(answer: ReturnType<typeof joinBulk>[number]): Outcome {
  if (answer === null) return { outcome: 'unknown', facts: { why: 'the answer has no envelope for this item' } };
  if (answer.success) return { outcome: 'succeeded', facts: {} };
  return { outcome: 'refused', facts: { deviceCodes: answer.errors.map(({ code }) => code) } };
}
