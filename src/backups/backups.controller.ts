import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { isAuthor, type Reader, seesAllDevices, shownSelector } from '../auth/access/shown-selector.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { readIfMatch, versioned } from '../http/etag.js';
import { BackupCoverage } from './backup-coverage.js';
import { BackupComparison } from './backup-comparison.js';
import { type BackupPolicy } from './backup-policy.entity.js';
import { Clock } from '../platform/clock.js';
import { nextRunsOf, rhythmOf } from '../recurring/recurring.js';
import { RUNS_SHOWN, type RunsQuery, runsQuery } from '../recurring/recurring-view.js';
import { BackupPoliciesService } from './backup-policies.service.js';
import * as contract from './backups.contract.js';

const id = z.uuid();

@ApiTags('Backups')
@Controller('v1/backups')
export class BackupsController {
  constructor(
    @Inject(BackupPoliciesService) private readonly policies: BackupPoliciesService,
    @Inject(BackupCoverage) private readonly covered: BackupCoverage,
    @Inject(BackupComparison) private readonly diffs: BackupComparison,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get('coverage')
  @Endpoint({
    summary: 'Shows which devices have a backup, and its age and state',
    permission: 'job.read',
    scans: true,
    answer: contract.coverageView,
    errors: ['invalid_selector', 'invalid_cursor'],
  })
  coverage(@Query({ schema: contract.coverageQuery }) query: contract.CoverageQuery, @CurrentActor() actor: Principal) {
    return this.covered.read(query, actor.rights);
  }

  @Get('diff')
  @Endpoint({
    summary: 'Compares two backups, or the newest ones of two devices',
    description: 'Secrets are hidden: a changed secret has another fingerprint.',
    permission: 'artifact.read',
    scans: false,
    answer: contract.diffView,
    errors: ['artifact_not_found', 'device_not_found', 'artifact_damaged', 'backup_unreadable'],
  })
  diff(@Query({ schema: contract.diffQuery }) { a, b }: contract.DiffQuery, @CurrentActor() actor: Principal) {
    return this.diffs.between(a, b, actor.rights);
  }

  @Get('contents')
  @Endpoint({
    summary: 'Reads the files of a backup, and the settings in them',
    description: 'Secrets are hidden: each has its fingerprint in its place.',
    permission: 'artifact.read',
    scans: false,
    answer: contract.contentsView,
    errors: ['artifact_not_found', 'device_not_found', 'artifact_damaged', 'backup_unreadable'],
  })
  contents(
    @Query({ schema: contract.contentsQuery }) { backup }: contract.ContentsQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.diffs.contents(backup, actor.rights);
  }

  @Post('policies')
  @Endpoint({
    summary: 'Creates a policy: which devices are backed up, when, and how long backups are stored',
    permission: 'backup.manage',
    audit: 'backup_policy.create',
    scans: false, // the selector is stored
    status: 201,
    answer: contract.policyView,
    errors: ['backup_policy_exists', 'too_many_saved', 'invalid_selector', 'sealed_value_not_found', 'rights_not_held'],
  })
  async create(@Body({ schema: contract.policyInput }) body: contract.PolicyInput, @CurrentActor() actor: Principal) {
    return versioned(this.view(await this.policies.create(body, actor), false, actor));
  }

  @Get('policies')
  @Endpoint({ summary: 'Lists backup policies', permission: 'backup.read', scans: true, answer: contract.policyList })
  async list(@Query({ schema: runsQuery }) { runs }: RunsQuery, @CurrentActor() actor: Principal) {
    const all = await this.policies.list();
    const orphans = await this.policies.orphansOf(all);
    return { items: all.map((policy) => this.view(policy, orphans.has(policy), actor, runs)) };
  }

  @Get('policies/:policyId')
  @Endpoint({
    summary: 'Reads a backup policy',
    etag: true,
    permission: 'backup.read',
    scans: false,
    answer: contract.policyView,
    errors: ['backup_policy_not_found'],
  })
  async get(@Param('policyId', { schema: id }) policyId: string, @CurrentActor() actor: Principal) {
    const policy = await this.policies.get(policyId);
    const isOrphan = (await this.policies.orphansOf([policy])).has(policy);
    return versioned(this.view(policy, isOrphan, actor));
  }

  @Put('policies/:policyId')
  @Endpoint({
    summary: 'Replaces a backup policy; from now on it acts in your name',
    etag: true,
    permission: 'backup.manage',
    audit: 'backup_policy.change',
    scans: false, // the selector is stored
    answer: contract.policyView,
    errors: [
      'backup_policy_not_found',
      'backup_policy_exists',
      'version_changed',
      'invalid_selector',
      'sealed_value_not_found',
      'rights_not_held',
    ],
  })
  async replace(
    @Param('policyId', { schema: id }) policyId: string,
    @Body({ schema: contract.policyInput }) body: contract.PolicyInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const replaced = await this.policies.replace(policyId, body, readIfMatch(ifMatch), actor);
    return versioned(this.view(replaced, false, actor));
  }

  @Delete('policies/:policyId')
  @Endpoint({
    summary: 'Removes a policy; its backups stay and are no longer removed',
    permission: 'backup.manage',
    audit: 'backup_policy.remove',
    etag: true,
    status: 204,
    errors: ['backup_policy_not_found'],
  })
  remove(
    @Param('policyId', { schema: id }) policyId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.policies.remove(policyId, readIfMatch(ifMatch), actor);
  }

  private view(policy: BackupPolicy, isOrphan: boolean, reader: Reader, runs = RUNS_SHOWN) {
    return {
      ...policy,
      selector: shownSelector(policy.selector, policy, reader),
      lastStarted: seesAllDevices(reader) || isAuthor(policy, reader) ? policy.lastStarted : null,
      orphaned: isOrphan,
      rhythm: rhythmOf(policy),
      nextRuns: nextRunsOf(policy, this.clock.now(), runs),
      encrypted: policy.passphrase !== null,
    };
  }
}
