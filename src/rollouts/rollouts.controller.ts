import { Readable } from 'node:stream';
import { Body, Controller, Get, Inject, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { consoleFont } from '../http/console-font.js';
import { CurrentActor, Endpoint, untilClosed } from '../http/endpoint.js';
import { type Plan } from './engine/planner.js';
import { RolloutDrafts } from './engine/rollout-drafts.js';
import { RolloutLive } from './reports/rollout-live.js';
import { reportPage } from './reports/report-page.js';
import { RolloutReports } from './reports/rollout-reports.js';
import { type RolloutPolicy } from './state/rollout-policy.js';
import { RolloutViews } from './state/rollout-views.js';
import { type Rollout } from './state/rollout.entity.js';
import * as contract from './state/rollouts.contract.js';
import { RolloutsService } from './engine/rollouts.service.js';

const id = z.uuid();
const wave = z.coerce.number().int().min(0).max(100);

/** Devices that a preview names for each wave, and skipped devices that it names. */
const PREVIEW_NAMES = 10;
const PREVIEW_SKIPPED = 1_000;

/** The report page needs only its own style, and the font of the console. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; frame-ancestors 'none'";

/** From the address of a report. */
const ROOT = '../../../';

@ApiTags('Rollouts')
@Controller('v1/rollouts')
export class RolloutsController {
  constructor(
    @Inject(RolloutDrafts) private readonly drafts: RolloutDrafts,
    @Inject(RolloutsService) private readonly rollouts: RolloutsService,
    @Inject(RolloutViews) private readonly views: RolloutViews,
    @Inject(RolloutReports) private readonly reports: RolloutReports,
    @Inject(RolloutLive) private readonly live: RolloutLive,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Creates a rollout as a draft, with the devices that its selector names now',
    description:
      'Nothing happens before it is started. With `dryRun` nothing is stored: the answer (200) lists the devices of ' +
      'each wave, the excluded devices with the reason, whether it needs approval, and its earliest end.',
    permission: 'rollout.manage',
    audit: 'rollout.create',
    scans: true,
    status: 201,
    answer: contract.createdView,
    errors: [
      'invalid_selector',
      'selection_changed',
      'redaction_marker',
      'rollout_too_large',
      'rollout_is_empty',
      'artifact_not_found',
      'artifact_changed',
      'sealed_value_not_found',
    ],
  })
  async create(
    @Body({ schema: contract.rolloutInput }) body: contract.RolloutInput,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { dryRun, ...requested } = { ...body, startsAt: body.startsAt ?? null };
    if (dryRun) {
      void reply.status(200);
      return this.planOf(await this.drafts.preview(requested, actor), requested.policy);
    }
    const rollout = await this.drafts.create(requested, actor);
    void reply.header('location', `/v1/rollouts/${rollout.id}`);
    return this.views.one(rollout, actor);
  }

  @Get()
  @Endpoint({
    summary: 'Lists rollouts, newest first',
    permission: 'rollout.read',
    scans: true,
    answer: contract.rolloutPage,
    errors: ['invalid_cursor'],
  })
  async list(
    @Query({ schema: contract.listRolloutsQuery }) query: contract.ListRolloutsQuery,
    @CurrentActor() actor: Principal,
  ) {
    const page = await this.views.list(query);
    return { items: await this.views.many(page.items, actor), next: page.next };
  }

  @Get(':rolloutId')
  @Endpoint({
    summary: 'Reads a rollout, wave by wave',
    permission: 'rollout.read',
    scans: true,
    answer: contract.rolloutWithWavesView,
    errors: ['rollout_not_found'],
  })
  async get(@Param('rolloutId', { schema: id }) rolloutId: string, @CurrentActor() actor: Principal) {
    return this.views.withWaves(await this.views.get(rolloutId), actor);
  }

  @Get(':rolloutId/devices')
  @Endpoint({
    summary: 'Lists what a rollout does with each device',
    permission: 'rollout.read',
    scans: true,
    answer: contract.targetPage,
    errors: ['rollout_not_found', 'invalid_cursor'],
  })
  targets(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @Query({ schema: contract.listTargetsQuery }) query: contract.ListTargetsQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    return this.views.targets(rolloutId, query, rights);
  }

  @Get(':rolloutId/report')
  @Endpoint({
    summary: 'Reads the result of a rollout: times, causes of failures, devices that need a person',
    description: 'JSON; with `format=html` a page for printing; with `format=csv` one line for each device.',
    permission: 'rollout.read',
    scans: true,
    answer: contract.reportView,
    produces: {
      'text/csv': { example: contract.REPORT_CSV },
      'text/html': { example: '<!doctype html><title>June</title>' },
    },
    errors: ['rollout_not_found'],
  })
  async report(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @Query({ schema: contract.reportQuery }) { format }: contract.ReportQuery,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const rollout = await this.views.get(rolloutId);
    if (format === 'json') return this.reports.of(rollout, actor);
    if (format === 'csv') {
      const disposition = `attachment; filename="rollout-${rolloutId}.csv"`;
      return new StreamableFile(this.reports.table(rollout, actor, untilClosed(reply)), {
        type: 'text/csv; charset=utf-8',
        disposition,
      });
    }
    void reply.header('content-security-policy', PAGE_POLICY);
    const report = await this.reports.of(rollout, actor);
    const devices = await this.reports.devices(rollout, actor);
    const page = reportPage(report, { devices, font: consoleFont(ROOT) });
    return new StreamableFile(Buffer.from(page), { type: 'text/html; charset=utf-8' });
  }

  @Get(':rolloutId/live')
  @Endpoint({
    summary: 'Follows a rollout as server-sent events, until its end',
    description: 'An event `rollout` with all numbers, at the start and after each change; a comment every 15 s.',
    permission: 'rollout.read',
    scans: false,
    produces: { 'text/event-stream': { schema: contract.liveView } },
    errors: ['rollout_not_found'],
  })
  async follow(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.views.get(rolloutId);
    const events = this.live.events(rolloutId, actor, untilClosed(reply));
    return new StreamableFile(Readable.from(events, { objectMode: false }), { type: 'text/event-stream' });
  }

  @Post(':rolloutId/start')
  @Endpoint({
    summary: 'Starts a draft: now, at its time, or after a second person has approved it',
    permission: 'rollout.manage',
    audit: 'rollout.start',
    answer: contract.rolloutView,
    errors: ['rollout_not_found', 'rollout_wrong_state', 'step_up_required', 'author_may_not', 'author_gone'],
  })
  start(@Param('rolloutId', { schema: id }) rolloutId: string, @CurrentActor() actor: Principal) {
    return this.shown(this.rollouts.start(rolloutId, actor), actor);
  }

  @Post(':rolloutId/approve')
  @Endpoint({
    summary: 'Approves a rollout that another operator has started',
    permission: 'rollout.approve',
    audit: 'rollout.approve',
    stepUp: true,
    answer: contract.rolloutView,
    errors: [
      'rollout_not_found',
      'rollout_wrong_state',
      'approval_own',
      'approval_mismatch',
      'author_may_not',
      'author_gone',
    ],
  })
  approve(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @Body({ schema: contract.approveInput }) body: contract.ApproveInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.shown(this.rollouts.approve(rolloutId, body.planDigest, actor), actor);
  }

  @Post(':rolloutId/reject')
  @Endpoint({
    summary: 'Sends a rollout that waits for approval back to its draft',
    permission: 'rollout.approve',
    audit: 'rollout.reject',
    answer: contract.rolloutView,
    errors: ['rollout_not_found', 'rollout_wrong_state'],
  })
  reject(@Param('rolloutId', { schema: id }) rolloutId: string, @CurrentActor() actor: Principal) {
    return this.shown(this.rollouts.reject(rolloutId, actor), actor);
  }

  @Post(':rolloutId/pause')
  @Endpoint({
    summary: 'Pauses it: starts no more devices; running jobs finish',
    permission: 'rollout.manage',
    audit: 'rollout.pause',
    answer: contract.rolloutView,
    whileLocked: true,
    errors: ['rollout_not_found', 'rollout_wrong_state'],
  })
  pause(@Param('rolloutId', { schema: id }) rolloutId: string, @CurrentActor() actor: Principal) {
    return this.shown(this.rollouts.pause(rolloutId, actor), actor);
  }

  @Post(':rolloutId/resume')
  @Endpoint({
    summary: 'Resumes it: failures so far are acknowledged, and thresholds count from now on',
    permission: 'rollout.manage',
    audit: 'rollout.resume',
    answer: contract.rolloutView,
    errors: ['rollout_not_found', 'rollout_wrong_state', 'author_may_not', 'author_gone'],
  })
  resume(@Param('rolloutId', { schema: id }) rolloutId: string, @CurrentActor() actor: Principal) {
    return this.shown(this.rollouts.resume(rolloutId, actor), actor);
  }

  @Post(':rolloutId/abort')
  @Endpoint({
    summary: 'Aborts a rollout; jobs past their point of no return finish with a verified end',
    permission: 'rollout.manage',
    audit: 'rollout.abort',
    answer: contract.rolloutView,
    whileLocked: true,
    errors: ['rollout_not_found', 'rollout_wrong_state'],
  })
  abort(@Param('rolloutId', { schema: id }) rolloutId: string, @CurrentActor() actor: Principal) {
    return this.shown(this.rollouts.abort(rolloutId, actor), actor);
  }

  @Post(':rolloutId/retry-failed')
  @Endpoint({
    summary: 'Retries devices that failed, or that ended in another of these states',
    permission: 'rollout.manage',
    audit: 'rollout.retry',
    answer: contract.rolloutView,
    errors: [
      'rollout_not_found',
      'rollout_wrong_state',
      'rollout_not_approved',
      'step_up_required',
      'author_may_not',
      'author_gone',
    ],
  })
  retry(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @Body({ schema: contract.retryInput }) body: contract.RetryInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.shown(this.rollouts.retry(rolloutId, body.states, actor), actor);
  }

  @Post(':rolloutId/roll-back')
  @Endpoint({
    summary: 'Creates the rollout that rolls this one back, as a draft',
    description:
      'Firmware goes back to the image of the version that ran before, where the store has it; `configure` to what was ' +
      'there. Devices that were changed since are left out and named. With `dryRun` nothing is stored.',
    permission: 'rollout.manage',
    audit: 'rollout.create',
    scans: true,
    status: 201,
    answer: contract.createdView,
    errors: ['rollout_not_found', 'rollout_wrong_state', 'rollout_has_no_way_back', 'rollout_is_empty'],
  })
  async rollBack(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @Body({ schema: contract.rollBackInput }) { dryRun }: contract.RollBackInput,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (dryRun) {
      void reply.status(200);
      return this.planOf(await this.drafts.previewRollback(rolloutId, actor), { membership: 'frozen' });
    }
    const made = await this.drafts.rollBack(rolloutId, actor);
    void reply.header('location', `/v1/rollouts/${made.id}`);
    return this.views.one(made, actor);
  }

  @Post(':rolloutId/devices/:deviceId/skip')
  @Endpoint({
    summary: 'Excludes a device that has not started',
    permission: 'rollout.manage',
    audit: 'rollout.skip',
    answer: contract.rolloutView,
    errors: ['rollout_not_found', 'rollout_target_not_found', 'rollout_wrong_state'],
  })
  skip(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @Param('deviceId', { schema: id }) deviceId: string,
    @CurrentActor() actor: Principal,
  ) {
    return this.shown(this.rollouts.skip(rolloutId, deviceId, actor), actor);
  }

  @Post(':rolloutId/waves/:ordinal/promote')
  @Endpoint({
    summary: 'Lets a wave with a manual gate start, as soon as those before it have passed',
    permission: 'rollout.manage',
    audit: 'rollout.promote',
    answer: contract.rolloutView,
    errors: ['rollout_not_found', 'rollout_wave_not_found', 'author_may_not', 'author_gone'],
  })
  promote(
    @Param('rolloutId', { schema: id }) rolloutId: string,
    @Param('ordinal', { schema: wave }) ordinal: number,
    @CurrentActor() actor: Principal,
  ) {
    return this.shown(this.rollouts.promote(rolloutId, ordinal, actor), actor);
  }

  private async shown(changed: Promise<Rollout>, actor: Principal) {
    return this.views.one(await changed, actor);
  }

  private planOf(plan: Plan, policy: Pick<RolloutPolicy, 'membership'>) {
    const total = plan.waves.reduce((sum, { devices }) => sum + devices.length, 0);
    return {
      ...plan,
      total,
      needsApproval: this.rollouts.needsApproval(total, policy),
      waves: plan.waves.map(({ name, devices }) => ({
        name,
        total: devices.length,
        first: devices.slice(0, PREVIEW_NAMES).map((device) => device.name),
      })),
      skipped: plan.skipped.slice(0, PREVIEW_SKIPPED),
      skippedTotal: plan.skipped.length,
    };
  }
}
