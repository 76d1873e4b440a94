import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { deviceRef } from '../selectors/device-ref.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { type Principal } from '../auth/access/access.js';
import { type Permission } from '../auth/rights/permissions.js';
import { CurrentActor, Endpoint, untilClosed } from '../http/endpoint.js';
import { type JobRow } from './rows/job.entity.js';
import * as contract from './jobs.contract.js';
import { JobRights } from './engine/job-rights.js';
import { JobsService } from './jobs.service.js';
import { MAX_WAIT_S, readWait } from '../http/prefer.js';

@ApiTags('Jobs')
@Controller('v1')
export class JobsController {
  constructor(
    @Inject(JobsService) private readonly jobs: JobsService,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(JobRights) private readonly rights: JobRights,
  ) {}

  @Post('devices/:ref/jobs')
  @Endpoint({
    summary: 'Starts a long job on a device',
    description:
      `Answers 202 with the job's address in Location. With \`Prefer: wait=N\` (RFC 7240, at most ${MAX_WAIT_S}) it waits ` +
      'up to N seconds for the end of the job and then answers 200 with Preference-Applied.',
    permission: 'job.start',
    audit: 'job.start',
    scans: false, // a selector is a parameter of the job
    status: 202,
    answer: contract.jobView,
    otherStatuses: { 200: 'With `Prefer: wait`: the job ended within that time' },
    headers: {
      Prefer: { description: `How many seconds to wait for the end, at most ${MAX_WAIT_S}`, example: 'wait=30' },
    },
    errors: [
      'device_not_found',
      'device_has_no_credentials',
      'artifact_not_found',
      'artifact_changed',
      'redaction_marker',
      'sealed_value_not_found',
      'step_up_required',
    ],
  })
  async start(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Body({ schema: contract.startInput }) body: contract.StartInput,
    @Headers('prefer') prefer: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const device = await this.devices.resolve(ref);
    actor.rights.requireOnDevice({ action: 'job.start', device });
    const parsed = this.jobs.parse(body.kind, body.spec);
    await this.rights.requireStart(parsed.kind, parsed.spec, device, actor);
    let job = await this.jobs.start({ deviceId: device.id, kind: body.kind, spec: body.spec }, actor);
    void reply.header('location', `/v1/jobs/${job.id}`);
    const waitS = readWait(prefer);
    if (waitS !== null) {
      job = await this.jobs.waitForEnd(job, waitS * 1000, untilClosed(reply));
      if (job.phase === 'ended') void reply.status(200).header('preference-applied', `wait=${waitS}`);
    }
    return this.view(job);
  }

  @Get('jobs')
  @Endpoint({
    summary: 'Lists jobs, newest first',
    permission: 'job.read',
    scans: true,
    answer: contract.jobPage,
    errors: ['invalid_cursor', 'device_not_found'],
  })
  async list(
    @Query({ schema: contract.listJobsQuery }) query: contract.ListJobsQuery,
    @CurrentActor() actor: Principal,
  ) {
    const { device: ref, ...filter } = query;
    const device = ref === undefined ? undefined : await this.devices.resolve(ref);
    if (device) actor.rights.requireOnDevice({ action: 'job.read', device });
    const page = await this.jobs.list({ ...filter, deviceId: device?.id }, actor.rights.scope('job.read'));
    return { items: page.items.map((job) => this.view(job)), next: page.next };
  }

  @Get('jobs/:jobId')
  @Endpoint({
    summary: 'Reads a job, with its log',
    permission: 'job.read',
    scans: false,
    answer: contract.jobWithLogView,
    errors: ['job_not_found'],
  })
  async get(@Param('jobId', { schema: z.uuid() }) jobId: string, @CurrentActor() actor: Principal) {
    const job = await this.visible(jobId, 'job.read', actor);
    return { ...this.view(job), log: await this.jobs.logLines(jobId) };
  }

  @Post('jobs/:jobId/cancel')
  @Endpoint({
    summary: 'Cancels a job before its point of no return',
    description:
      'A waiting job has ended when this answers. A running one has `cancelAskedAt`; its step is broken off, and it ends.',
    permission: 'job.cancel',
    audit: 'job.cancel',
    answer: contract.jobView,
    errors: ['job_not_found', 'job_not_cancellable'],
  })
  async cancel(@Param('jobId', { schema: z.uuid() }) jobId: string, @CurrentActor() actor: Principal) {
    await this.visible(jobId, 'job.cancel', actor);
    return this.view(await this.jobs.cancel(jobId, actor));
  }

  /** @throws AppError `job_not_found`, also for the job of a device that the caller cannot see; `forbidden` */
  private async visible(jobId: string, action: Permission, { rights }: Principal): Promise<JobRow> {
    const job = await this.jobs.get(jobId);
    const { device } = await this.devices.get(job.deviceId);
    rights.requireOnDevice({ action, device }, 'job_not_found');
    return job;
  }

  private view(job: JobRow) {
    return {
      ...job,
      attempts: job.attempts,
      step: this.jobs.stepOf(job),
      progress: this.jobs.progressOf(job),
    };
  }
}
