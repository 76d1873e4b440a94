import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { AppError, type ErrorCode } from '../platform/errors.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { fanOutInput, fanOutLine, withDefaults } from './fan-outs.contract.js';
import { FanOuts, type FanOutStart } from './fan-outs.service.js';
import * as contract from './stored-fan-out.contract.js';
import { StoredFanOutReads } from './stored-fan-out-reads.js';

const fanOutId = z.uuid();
const NDJSON = 'application/x-ndjson';

/** What a start may answer, the first one or a retry. */
const START_ERRORS: readonly ErrorCode[] = [
  'path_refused',
  'redaction_marker',
  'idempotency_key_required',
  'approval_required',
  'approval_not_found',
  'approval_over',
  'approval_mismatch',
  'step_up_required',
  'too_many_fan_outs',
  'shutting_down',
];

/** What all routes that call devices declare. */
const STARTS = {
  permission: 'device.call_read',
  scans: true,
  whileLocked: true, // it may only read; writes are refused below
  headers: {
    'Approval-Id': {
      description: 'The approval of a second person, after it was given',
      example: '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
    },
  },
} as const;

/** What both addresses of a first start declare. */
const FIRST_STARTS = {
  ...STARTS,
  replay: 'by the route',
  produces: { [NDJSON]: { schema: fanOutLine } },
  errors: [
    'invalid_selector',
    'selection_changed',
    'not_acceptable',
    'idempotency_key_reused',
    'idempotency_key_running',
    'idempotency_answer_withheld',
    ...START_ERRORS,
  ],
} as const;

/** What routes that read one declare. */
const READS = { permission: 'device.call_read', scans: true } as const;

@ApiTags('Fan-out')
@Controller('v1')
export class FanOutsController {
  constructor(
    @Inject(FanOuts) private readonly fanOuts: FanOuts,
    @Inject(StoredFanOutReads) private readonly reads: StoredFanOutReads,
  ) {}

  @Post('fan-outs')
  @Endpoint({
    ...FIRST_STARTS,
    summary: 'Calls all devices of a selector, and stores or streams their answers',
    description:
      'By default outcomes and answers are stored, and the answer is `202` with the address of the fan-out in `Location`. With ' +
      '`stream` it is `200` and NDJSON: a line for each device as it answers, then a summary. After 15 s of silence a space shows ' +
      'that the stream lives. Equal answers have the same digest, and only the first has its body. Calls that write need ' +
      '`device.call_write` and an Idempotency-Key; a repeated request with the same key does not call again. A stored fan-out ' +
      'continues when its caller disconnects. With `keep: false` a closed connection stops the calls that have not started. ' +
      'Devices that you do not see are left out; those that you may not call in this way are skipped as `forbidden`. Writes to ' +
      'more than APPROVAL_DEVICES devices need the approval of a second person: they answer `approval_required` until sent with ' +
      '`Approval-Id`.',
    audit: 'fan_out.start',
    status: 202,
    answer: contract.storedFanOutView,
    otherStatuses: { 200: 'With `stream`: the lines' },
  })
  start(
    @Body({ schema: fanOutInput }) body: z.output<typeof fanOutInput>,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('approval-id') approvalId: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    refuseEventStream(reply);
    return this.begin({ input: withDefaults(body, false), actor, approvalId, raw: reply.raw }, key, reply);
  }

  @Post('fan-out')
  @Endpoint({
    ...FIRST_STARTS,
    summary: 'Calls all devices of a selector and streams their answers',
    description:
      'The short form of POST /v1/fan-outs with `stream: true` and `keep: false`. `keep: true` stores the answers, too.',
    audit: 'device.call_write',
  })
  stream(
    @Body({ schema: fanOutInput }) body: z.output<typeof fanOutInput>,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('approval-id') approvalId: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    refuseEventStream(reply);
    return this.begin({ input: withDefaults(body, true), actor, approvalId, raw: reply.raw }, key, reply);
  }

  @Get('fan-outs')
  @Endpoint({
    ...READS,
    summary: 'Lists stored fan-outs, newest first',
    answer: contract.storedFanOutPage,
    errors: ['invalid_cursor'],
  })
  list(
    @Query({ schema: contract.storedFanOutsQuery }) query: contract.StoredFanOutsQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.reads.list(query, actor);
  }

  @Get('fan-outs/:fanOutId')
  @Endpoint({
    ...READS,
    summary: 'Reads a stored fan-out, with equal answers grouped',
    description: 'Only devices that you see, and whose answers to these calls you may read.',
    answer: contract.storedFanOutView,
    errors: ['fan_out_not_found'],
  })
  get(@Param('fanOutId', { schema: fanOutId }) id: string, @CurrentActor() actor: Principal) {
    return this.reads.get(id, actor);
  }

  @Get('fan-outs/:fanOutId/devices')
  @Endpoint({
    ...READS,
    summary: 'Lists the outcomes of the devices of a stored fan-out',
    answer: contract.fanOutDevicePage,
    errors: ['fan_out_not_found', 'invalid_cursor'],
  })
  devices(
    @Param('fanOutId', { schema: fanOutId }) id: string,
    @Query({ schema: contract.fanOutDevicesQuery }) query: contract.FanOutDevicesQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.reads.devices(id, query, actor);
  }

  @Get('fan-outs/:fanOutId/grid')
  @Endpoint({
    ...READS,
    summary: 'Shows which outcome each device of a stored fan-out has so far',
    answer: contract.fanOutGridView,
    errors: ['fan_out_not_found'],
  })
  grid(@Param('fanOutId', { schema: fanOutId }) id: string, @CurrentActor() actor: Principal) {
    return this.reads.grid(id, actor);
  }

  @Get('fan-outs/:fanOutId/answers/:digest')
  @Endpoint({
    ...READS,
    summary: 'Reads an answer of a stored fan-out, without its secrets',
    answer: contract.fanOutAnswerView,
    errors: ['fan_out_not_found', 'fan_out_answer_not_found'],
  })
  answer(
    @Param('fanOutId', { schema: fanOutId }) id: string,
    @Param('digest', { schema: contract.answerDigest }) digest: string,
    @CurrentActor() actor: Principal,
  ) {
    return this.reads.answer(id, digest, actor);
  }

  @Post('fan-outs/:fanOutId/retry')
  @Endpoint({
    ...STARTS,
    summary: 'Sends the calls of a stored fan-out again to devices that did not succeed',
    description:
      'It starts a new stored fan-out, whose `retryOf` is this one. A write is not repeated on devices that may have executed it, ' +
      'unless `repeatUnknown` says so. The rules of POST /v1/fan-outs apply, with your own rights. The body of another ' +
      "caller's fan-out is sent for holders of `device.read_secrets`. A device with another serial number " +
      'than then, or neither of whose two addresses is that of then, is skipped as `device_replaced`.',
    audit: 'fan_out.start',
    status: 202,
    answer: contract.storedFanOutView,
    errors: ['fan_out_not_found', 'fan_out_running', 'fan_out_unknown_write', 'fan_out_complete', ...START_ERRORS],
  })
  async retry(
    @Param('fanOutId', { schema: fanOutId }) id: string,
    @Body({ schema: contract.fanOutRetryInput }) body: contract.FanOutRetryInput,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('approval-id') approvalId: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { input, ...devices } = await this.reads.forRetry(id, body, actor);
    return this.begin({ input, actor, approvalId, raw: reply.raw, retry: { of: id, ...devices } }, key, reply);
  }

  @Post('fan-outs/:fanOutId/cancel')
  @Endpoint({
    summary: 'Cancels your running fan-out: no more calls start, and those in progress finish',
    permission: 'device.call_read',
    audit: 'fan_out.cancel',
    whileLocked: true, // it stops calls
    replay: 'no: a second cancel has no effect',
    answer: contract.storedFanOutView,
    errors: ['fan_out_not_found', 'fan_out_ended'],
  })
  async cancel(@Param('fanOutId', { schema: fanOutId }) id: string, @CurrentActor() actor: Principal) {
    if (!(await this.reads.isOwn(id, actor))) throw new AppError('forbidden', { permission: 'device.call_read' });
    await this.fanOuts.cancel(id, actor);
    return this.reads.get(id, actor);
  }

  private async begin(start: FanOutStart, key: string | undefined, reply: FastifyReply) {
    const { id, reader, isRepeated } = await this.fanOuts.start(start, key);
    if (isRepeated) void reply.header('idempotency-replayed', 'true');
    if (reader) {
      void reply.status(200);
      return new StreamableFile(reader.stream, { type: NDJSON });
    }
    void reply.header('location', `/v1/fan-outs/${id}`);
    return this.reads.get(id, start.actor);
  }
}

/** @throws AppError `not_acceptable` for a caller that takes nothing but server-sent events */
function refuseEventStream({ request }: FastifyReply): void {
  const { accept = '*/*' } = request.headers;
  if (accept.includes('text/event-stream') && !/ndjson|json|\*\/\*/.test(accept)) throw new AppError('not_acceptable');
}
