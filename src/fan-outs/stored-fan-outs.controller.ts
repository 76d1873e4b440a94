import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { AppError, type ErrorCode } from '../platform/errors.js';
import { CurrentActor, Endpoint } from '../platform/http/endpoint.js';
import { FanOutChecks } from './fan-out-checks.js';
import { storedFanOutInput, type StoredFanOutInput } from './fan-out.contract.js';
import { requireReader } from './fan-out-readers.js';
import * as contract from './stored-fan-out.contract.js';
import { StoredFanOutReads } from './stored-fan-out-reads.js';
import { StoredFanOuts, type FanOutStart } from './stored-fan-outs.js';

const fanOutId = z.uuid();

const APPROVAL_HEADER = {
  'Approval-Id': {
    description: 'The approval of a second person, after it was given',
    example: '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
  },
};

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

@ApiTags('Fan-out')
@Controller('v1/fan-outs')
export class StoredFanOutsController {
  constructor(
    @Inject(StoredFanOuts) private readonly fanOuts: StoredFanOuts,
    @Inject(StoredFanOutReads) private readonly reads: StoredFanOutReads,
    @Inject(FanOutChecks) private readonly checks: FanOutChecks,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Calls all devices of a selector, stores their answers, and does not wait for them',
    description:
      'As POST /v1/fan-out with `keep`, for callers that read the outcomes later at `Location`. Calls that write need ' +
      '`device.call_write` and an Idempotency-Key.',
    permission: 'device.call_read',
    audit: 'fan_out.start',
    scans: true,
    whileLocked: true, // it may only read; writes are refused below
    status: 202,
    answer: contract.storedFanOutView,
    headers: APPROVAL_HEADER,
    errors: ['invalid_selector', 'selection_changed', ...START_ERRORS],
  })
  start(
    @Body({ schema: storedFanOutInput }) body: StoredFanOutInput,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('approval-id') approvalId: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.begin({ input: { ...body, dryRun: false, keep: true }, actor, approvalId }, key, reply);
  }

  @Get()
  @Endpoint({
    summary: 'Lists stored fan-outs, newest first',
    permission: 'device.call_read',
    scans: true,
    answer: contract.storedFanOutPage,
    errors: ['invalid_cursor'],
  })
  list(
    @Query({ schema: contract.storedFanOutsQuery }) query: contract.StoredFanOutsQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.reads.list(query, actor);
  }

  @Get(':fanOutId')
  @Endpoint({
    summary: 'Reads a stored fan-out, with equal answers grouped',
    description: 'Only devices that you see, and whose answers to these calls you may read.',
    permission: 'device.call_read',
    scans: true,
    answer: contract.storedFanOutView,
    errors: ['fan_out_not_found'],
  })
  get(@Param('fanOutId', { schema: fanOutId }) id: string, @CurrentActor() actor: Principal) {
    return this.reads.get(id, actor);
  }

  @Get(':fanOutId/devices')
  @Endpoint({
    summary: 'Lists the outcomes of the devices of a stored fan-out',
    permission: 'device.call_read',
    scans: true,
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

  @Get(':fanOutId/grid')
  @Endpoint({
    summary: 'Shows which outcome each device of a stored fan-out has so far',
    permission: 'device.call_read',
    scans: true,
    answer: contract.fanOutGridView,
    errors: ['fan_out_not_found'],
  })
  grid(@Param('fanOutId', { schema: fanOutId }) id: string, @CurrentActor() actor: Principal) {
    return this.reads.grid(id, actor);
  }

  @Get(':fanOutId/answers/:digest')
  @Endpoint({
    summary: 'Reads an answer of a stored fan-out, without its secrets',
    permission: 'device.call_read',
    scans: true,
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

  @Post(':fanOutId/retry')
  @Endpoint({
    summary: 'Sends the calls of a stored fan-out again to devices that did not succeed',
    description:
      'It starts a new stored fan-out, whose `retryOf` is this one. A write is not repeated on devices that may have executed it, ' +
      'unless `repeatUnknown` says so. The rules of POST /v1/fan-outs apply, with your own rights. The body of another ' +
      "caller's fan-out is sent for holders of `device.read_secrets`. A device with another address or serial number than then " +
      'is skipped as `device_replaced`.',
    permission: 'device.call_read',
    audit: 'fan_out.start',
    scans: true,
    whileLocked: true, // it may only read; writes are refused below
    status: 202,
    answer: contract.storedFanOutView,
    headers: APPROVAL_HEADER,
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
    return this.begin({ input, actor, approvalId, retry: { of: id, ...devices } }, key, reply);
  }

  @Post(':fanOutId/cancel')
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

  private async begin(
    start: Omit<FanOutStart, 'requireCaller' | 'writes'>,
    key: string | undefined,
    reply: FastifyReply,
  ) {
    const writes = this.checks.check(start.input, start.actor);
    if (writes && key === undefined) throw new AppError('idempotency_key_required');
    const id = await this.fanOuts.start({ ...start, writes, requireCaller: () => requireReader(reply.raw) });
    void reply.header('location', `/v1/fan-outs/${id}`);
    return this.reads.get(id, start.actor);
  }
}
