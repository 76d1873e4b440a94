import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { type Reader, shownSelector } from '../../auth/access/shown-selector.js';
import { Clock } from '../../platform/clock.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { readIfMatch, versioned } from '../../http/etag.js';
import { nextRunsOf, rhythmOf } from '../../recurring/recurring.js';
import { nextRuns } from '../../recurring/rhythm.js';
import { RUNS_SHOWN, type RunsQuery, runsQuery } from '../../recurring/recurring-view.js';
import { CheckSecrets } from '../state/check-secrets.js';
import { type Schedule } from '../state/schedule.entity.js';
import * as contract from './schedules.contract.js';
import { SchedulesService } from './schedules.service.js';

const id = z.uuid();

@ApiTags('Schedules')
@Controller('v1/schedules')
export class SchedulesController {
  constructor(
    @Inject(SchedulesService) private readonly schedules: SchedulesService,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CheckSecrets) private readonly secrets: CheckSecrets,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Creates a schedule that starts a rollout repeatedly',
    permission: 'rollout.manage',
    audit: 'schedule.create',
    scans: true,
    status: 201,
    answer: contract.scheduleView,
    errors: [
      'schedule_exists',
      'too_many_saved',
      'invalid_selector',
      'redaction_marker',
      'rollout_too_large',
      'artifact_not_found',
      'rights_not_held',
      'step_up_required',
    ],
  })
  async create(
    @Body({ schema: contract.scheduleInput }) body: contract.ScheduleInput,
    @CurrentActor() actor: Principal,
  ) {
    return versioned(this.view(await this.schedules.create(body, actor), false, actor));
  }

  @Get()
  @Endpoint({ summary: 'Lists schedules', permission: 'rollout.read', scans: true, answer: contract.scheduleList })
  async list(@Query({ schema: runsQuery }) { runs }: RunsQuery, @CurrentActor() actor: Principal) {
    const all = await this.schedules.list();
    const orphans = await this.schedules.orphansOf(all);
    return { items: all.map((schedule) => this.view(schedule, orphans.has(schedule), actor, runs)) };
  }

  @Get('next-runs')
  @Endpoint({
    summary: 'Lists when a line of cron runs next, before it is saved',
    permission: 'rollout.read',
    scans: false,
    answer: contract.nextRunsView,
  })
  nextRuns(@Query({ schema: contract.nextRunsQuery }) { runs, ...rhythm }: contract.NextRunsQuery) {
    const now = this.clock.now().getTime();
    return { nextRuns: nextRuns(rhythm, now, now, runs).map((at) => new Date(at)) };
  }

  @Get(':scheduleId')
  @Endpoint({
    summary: 'Reads a schedule',
    etag: true,
    permission: 'rollout.read',
    scans: false,
    answer: contract.scheduleView,
    errors: ['schedule_not_found'],
  })
  async get(@Param('scheduleId', { schema: id }) scheduleId: string, @CurrentActor() actor: Principal) {
    const schedule = await this.schedules.get(scheduleId);
    const isOrphan = (await this.schedules.orphansOf([schedule])).has(schedule);
    return versioned(this.view(schedule, isOrphan, actor));
  }

  @Put(':scheduleId')
  @Endpoint({
    summary: 'Replaces a schedule; from now on it acts in your name',
    etag: true,
    permission: 'rollout.manage',
    audit: 'schedule.change',
    scans: true,
    answer: contract.scheduleView,
    errors: [
      'schedule_not_found',
      'schedule_exists',
      'version_changed',
      'invalid_selector',
      'redaction_marker',
      'rollout_too_large',
      'rights_not_held',
      'step_up_required',
    ],
  })
  async replace(
    @Param('scheduleId', { schema: id }) scheduleId: string,
    @Body({ schema: contract.scheduleInput }) body: contract.ScheduleInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const replaced = await this.schedules.replace(scheduleId, body, readIfMatch(ifMatch), actor);
    return versioned(this.view(replaced, false, actor));
  }

  @Delete(':scheduleId')
  @Endpoint({
    summary: 'Removes a schedule; its rollouts stay',
    permission: 'rollout.manage',
    audit: 'schedule.remove',
    etag: true,
    status: 204,
    errors: ['schedule_not_found'],
  })
  remove(
    @Param('scheduleId', { schema: id }) scheduleId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.schedules.remove(scheduleId, readIfMatch(ifMatch), actor);
  }

  private view(schedule: Schedule, isOrphan: boolean, reader: Reader, count = RUNS_SHOWN) {
    const { template } = schedule;
    const rollout = {
      ...this.secrets.redacted(template),
      selector: shownSelector(template.selector, schedule, reader),
    };
    const nextRuns = nextRunsOf(schedule, this.clock.now(), count);
    return { ...schedule, orphaned: isOrphan, rhythm: rhythmOf(schedule), rollout, nextRuns };
  }
}
