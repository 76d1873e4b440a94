import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { deviceRef } from '../devices/device-ref.js';
import { DevicesService } from '../devices/devices.service.js';
import { type Actor } from '../platform/actor.js';
import { CurrentActor, Endpoint } from '../platform/endpoint.js';
import { type JobRow } from './job.entity.js';
import * as contract from './jobs.contract.js';
import { JobsService } from './jobs.service.js';
import { MAX_WAIT_S, readWait } from './prefer.js';

@Controller('v1')
export class JobsController {
  constructor(
    @Inject(JobsService) private readonly jobs: JobsService,
    @Inject(DevicesService) private readonly devices: DevicesService,
  ) {}

  @Post('devices/:ref/jobs')
  @Endpoint({
    summary: 'Starts a long job on a device',
    description:
      `Answers 202 with the job's address in Location. With \`Prefer: wait=N\` (RFC 7240, at most ${MAX_WAIT_S}) it waits ` +
      'up to N seconds for the end of the job and then answers 200 with Preference-Applied.',
    permission: 'job.start',
    audit: 'job.start',
    status: 202,
    answer: contract.jobView,
    errors: ['device_not_found', 'device_has_no_credentials', 'artifact_not_found', 'artifact_changed'],
  })
  async start(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Body({ schema: contract.startInput }) body: contract.StartInput,
    @Headers('prefer') prefer: string | undefined,
    @CurrentActor() actor: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const device = await this.devices.resolve(ref);
    let job = await this.jobs.start({ deviceId: device.id, kind: body.kind, spec: body.spec }, actor);
    void reply.header('location', `/v1/jobs/${job.id}`);
    const waitS = readWait(prefer);
    if (waitS !== null) {
      job = await this.jobs.waitForEnd(job.id, waitS * 1000, untilClosed(reply));
      if (job.phase === 'ended') void reply.status(200).header('preference-applied', `wait=${waitS}`);
    }
    return this.view(job);
  }

  @Get('jobs')
  @Endpoint({
    summary: 'Lists jobs, newest first',
    permission: 'job.read',
    answer: contract.jobPage,
    errors: ['invalid_cursor', 'device_not_found'],
  })
  async list(@Query({ schema: contract.listJobsQuery }) query: contract.ListJobsQuery) {
    const { device, ...filter } = query;
    const deviceId = device && (await this.devices.resolve(device)).id;
    const page = await this.jobs.list({ ...filter, deviceId });
    return { items: page.items.map((job) => this.view(job)), next: page.next };
  }

  @Get('jobs/:jobId')
  @Endpoint({
    summary: 'Reads a job, with what it did step by step',
    permission: 'job.read',
    answer: contract.jobWithStepsView,
    errors: ['job_not_found'],
  })
  async get(@Param('jobId', { schema: z.uuid() }) jobId: string) {
    const job = await this.jobs.get(jobId);
    return { ...this.view(job), steps: await this.jobs.steps(jobId) };
  }

  @Post('jobs/:jobId/cancel')
  @Endpoint({
    summary: 'Cancels a job before its point of no return',
    description:
      'A job that waits has ended when this answers; one at work has `cancelAskedAt` and ends with its step.',
    permission: 'job.cancel',
    audit: 'job.cancel',
    answer: contract.jobView,
    errors: ['job_not_found', 'job_not_cancellable'],
  })
  async cancel(@Param('jobId', { schema: z.uuid() }) jobId: string, @CurrentActor() actor: Actor) {
    return this.view(await this.jobs.cancel(jobId, actor));
  }

  private view(job: JobRow) {
    return { ...job, step: this.jobs.stepOf(job), progress: this.jobs.progressOf(job) };
  }
}

/** Aborts when the caller has closed the connection. */
function untilClosed(reply: FastifyReply): AbortSignal {
  const closed = new AbortController();
  reply.raw.once('close', () => closed.abort());
  return closed.signal;
}
