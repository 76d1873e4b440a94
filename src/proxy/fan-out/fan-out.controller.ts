import { type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Body, Controller, Headers, Inject, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { Access, type Principal } from '../../auth/access/access.js';
import { Approvals } from '../../auth/access/approvals.service.js';
import { Locks } from '../../auth/access/locks.service.js';
import { StepUp } from '../../auth/people/step-up.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { ChangeReasons } from '../../platform/change-reasons.js';
import { CurrentActor, Endpoint } from '../../platform/http/endpoint.js';
import { AppError } from '../../platform/errors.js';
import { Idempotency } from '../../platform/http/idempotency.js';
import { actsOf, FanOut } from './fan-out.js';
import { fanOutInput, fanOutLine, type FanOutInput, type FanOutLine } from './fan-out.contract.js';
import { type FanOutReader, FanOutReaders } from './fan-out-readers.js';
import { type Act, checkPath, isBulkPath } from '../connections/call-request.js';
import { refuseMarkersIn } from '../calls/marker-check.js';

type Format = 'ndjson' | 'sse';

/** Calls below this path change the firmware. */
const FIRMWARE = '/api/firmware/';

const TYPES: Readonly<Record<Format, string>> = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' };

@ApiTags('Fan-out')
@Controller('v1/fan-out')
export class FanOutController {
  constructor(
    @Inject(FanOut) private readonly fanOut: FanOut,
    @Inject(FanOutReaders) private readonly readers: FanOutReaders,
    @Inject(Access) private readonly access: Access,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(ChangeReasons) private readonly reasons: ChangeReasons,
    @Inject(Approvals) private readonly approvals: Approvals,
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'FIRMWARE_STEP_UP_DEVICES'>,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Calls all devices of a selector and streams their answers',
    description:
      'NDJSON, or server-sent events with Accept: text/event-stream: a line for each device as it answers, then a summary. ' +
      'Equal answers have the same digest, and only the first has its body. Calls that write need ' +
      '`device.call_write` and an Idempotency-Key; a repeated request with the same key does not call again. ' +
      'A closed connection stops the calls that have not started. Devices that you do not see are left out; those ' +
      'that you may not call in this way are skipped as `forbidden`. Writes to more than APPROVAL_DEVICES devices need the approval ' +
      'of a second person: they answer `approval_required` until sent with `Approval-Id`.',
    permission: 'device.call_read',
    audit: 'device.call_write',
    replay: 'by the route',
    whileLocked: true, // it may only read; writes are refused below
    produces: { 'application/x-ndjson': { schema: fanOutLine }, 'text/event-stream': { schema: fanOutLine } },
    headers: {
      'Approval-Id': {
        description: 'The approval of a second person, after it was given',
        example: '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
      },
    },
    errors: [
      'invalid_selector',
      'selection_changed',
      'path_refused',
      'redaction_marker',
      'idempotency_key_required',
      'idempotency_key_reused',
      'idempotency_key_running',
      'idempotency_answer_withheld',
      'change_reason_required',
      'approval_required',
      'approval_not_found',
      'approval_over',
      'approval_mismatch',
      'step_up_required',
      'too_many_fan_outs',
    ],
  })
  async run(
    @Body({ schema: fanOutInput }) body: FanOutInput,
    @Headers('accept') accept: string | undefined,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('approval-id') approvalId: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const calls = body.requests ?? [body.request!];
    const paths = calls.map(({ path }) => checkPath(path));
    if (calls.length > 1 && paths.some(isBulkPath)) {
      throw new AppError('path_refused', {
        reason: 'several requests become one bulk request, which cannot hold another',
      });
    }
    const writes = calls.some(({ method }) => method !== 'GET');
    if (writes) refuseMarkersIn(calls);
    if (writes) this.access.require(actor, 'device.call_write');
    if (writes && !body.dryRun) {
      this.locks.refuseWrites();
      this.reasons.check('device.call_write', actor);
    }
    const format: Format = accept?.includes('text/event-stream') ? 'sse' : 'ndjson';
    const reader = this.readers.register(actor, reply.raw);
    const lines =
      writes && !body.dryRun
        ? this.once(key, body, actor, approvalId, reply, reader)
        : this.fanOut.run(await this.fanOut.members(body, actor), body, actor, reader);
    const pieces = reader.pass(written(await lines, format));
    return new StreamableFile(Readable.from(pieces, { objectMode: false }), {
      type: TYPES[format],
    });
  }

  /**
   * A writing fan-out is executed once for its key. A repeated request gets the lines without the bodies. One whose
   * reader disconnects before the first call calls no device, so its key and its approval stay unused.
   */
  private async once(
    key: string | undefined,
    body: FanOutInput,
    actor: Principal,
    approvalId: string | undefined,
    reply: FastifyReply,
    reader: FanOutReader,
  ) {
    const before = await this.idempotency.begin(key, actor, body);
    if (before !== null) {
      void reply.header('idempotency-replayed', 'true');
      return [JSON.parse(before) as FanOutLine[]];
    }
    try {
      const members = await this.fanOut.members(body, actor);
      const deviceIds = members.filter(({ isAllowed }) => isAllowed).map(({ id }) => id);
      const hasReader = () => requireReader(reply.raw);
      await this.requireForMany(body, { deviceIds, approvalId, hasReader }, actor);
      hasReader();
      const reservation = { hasBegun: false };
      reply.raw.once('close', () => {
        // A key that cannot be released expires after a day, as all do.
        if (!reservation.hasBegun) this.idempotency.release(key!, actor).catch(() => undefined);
      });
      return this.remembering(key!, this.fanOut.run(members, body, actor, reader), actor, reservation);
    } catch (error) {
      await this.idempotency.release(key!, actor);
      throw error;
    }
  }

  /**
   * The requirements of a write to many devices besides the permission.
   * @throws AppError `step_up_required`, and those of `Approvals.require`
   */
  private async requireForMany(
    body: FanOutInput,
    { deviceIds, approvalId, hasReader }: ForMany,
    actor: Principal,
  ): Promise<void> {
    const acts = actsOf(body);
    const isFirmware = acts.some(({ writes, path }) => writes && path.toLowerCase().startsWith(FIRMWARE));
    if (isFirmware && deviceIds.length > this.config.FIRMWARE_STEP_UP_DEVICES) await this.stepUp.require(actor);
    const summary = { selector: body.selector, requests: acts.map(summaryOf) };
    const { dryRun: _dryRun, ...request } = body;
    const large = { action: 'device.call_write', request, summary, deviceIds } as const;
    await this.approvals.require(large, actor, approvalId, hasReader);
  }

  private async *remembering(
    key: string,
    batches: AsyncIterable<readonly FanOutLine[]>,
    actor: Principal,
    reservation: { hasBegun: boolean },
  ): AsyncGenerator<readonly FanOutLine[]> {
    reservation.hasBegun = true;
    const kept: unknown[] = [];
    try {
      for await (const lines of batches) {
        for (const line of lines) {
          // Bodies of devices may contain secrets, so they are not stored.
          const { body: _body, ...rest } = line as FanOutLine & { body?: unknown };
          kept.push(rest);
        }
        yield lines;
      }
    } finally {
      const last = kept.at(-1) as FanOutLine | undefined;
      if (last?.type !== 'summary') kept.push({ type: 'broken_off', reason: 'the connection of the sender closed' });
      await this.idempotency.finish(key, actor, JSON.stringify(kept));
    }
  }
}

/** The facts for these requirements. */
interface ForMany {
  readonly deviceIds: readonly string[];
  readonly approvalId: string | undefined;
  /** Throws when the caller has disconnected. */
  readonly hasReader: () => void;
}

/** @throws AppError `request_aborted` when the reader has disconnected */
function requireReader({ destroyed }: ServerResponse): void {
  if (destroyed) throw new AppError('request_aborted');
}

/** A call without body and query, which may contain secrets. */
const summaryOf = ({ method, path }: Act) => ({ method, path });

/** The size of a piece: whether a slow reader takes anything is checked piece by piece. */
const PIECE_CHARACTERS = 64 * 1024;

/** Writes the lines of one moment. */
async function* written(
  batches: AsyncIterable<readonly FanOutLine[]> | Iterable<readonly FanOutLine[]>,
  format: Format,
): AsyncGenerator<string> {
  for await (const lines of batches) {
    let text = '';
    for (const line of lines) {
      const json = jsonOf(line);
      text += format === 'sse' ? `event: ${line.type}\ndata: ${json}\n\n` : `${json}\n`;
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}

/** Serializes each line separately: a failure costs that device its body, and no other device its line. */
function jsonOf(line: FanOutLine): string {
  try {
    return JSON.stringify(line);
  } catch {
    return JSON.stringify({ ...line, body: undefined, bodyWithheld: true });
  }
}
