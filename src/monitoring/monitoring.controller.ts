import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { pathOfValue, sampledOf } from '../devices/device-samples.js';
import { deviceRef } from '../selectors/device-ref.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { shownSelector } from '../auth/access/shown-selector.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { readIfMatch, versioned } from '../http/etag.js';
import { MonitoringPolicies } from './monitoring-policies.service.js';
import { type MonitoringPolicy } from './monitoring-policy.entity.js';
import * as contract from './monitoring.contract.js';
import { SampleHistory } from './samples/sample-history.js';

const id = z.uuid();

@ApiTags('Monitoring')
@Controller('v1/monitoring/policies')
export class MonitoringController {
  constructor(@Inject(MonitoringPolicies) private readonly policies: MonitoringPolicies) {}

  @Post('price')
  @Endpoint({
    summary: 'Says what a policy would cost: bytes, handshakes and logins, for each model and in sum; saves nothing',
    permission: 'monitoring.read',
    onlyReads: true,
    scans: true,
    status: 200,
    answer: contract.priceView,
    errors: ['invalid_selector'],
  })
  price(@Body({ schema: contract.priceInput }) body: contract.PriceInput, @CurrentActor() actor: Principal) {
    return this.policies.price(body, actor.rights);
  }

  @Post()
  @Endpoint({
    summary: 'Creates a policy: which devices are sampled, how often, and what is read',
    description: 'It reads with your rights. POST /v1/monitoring/policies/price says its price before.',
    permission: 'monitoring.manage',
    audit: 'monitoring_policy.create',
    scans: false, // the selector is stored
    status: 201,
    answer: contract.policyView,
    errors: ['monitoring_policy_exists', 'invalid_selector', 'path_refused', 'rights_not_held'],
  })
  async create(
    @Body({ schema: contract.policyInput }) body: contract.MonitoringInput,
    @CurrentActor() actor: Principal,
  ) {
    return versioned(await this.complete(await this.policies.create(body, actor), actor));
  }

  @Get()
  @Endpoint({
    summary: 'Lists policies of monitoring',
    permission: 'monitoring.read',
    scans: true,
    answer: contract.policyList,
  })
  async list(@CurrentActor() actor: Principal) {
    return { items: await this.views(await this.policies.list(), actor) };
  }

  @Get(':monitoringPolicyId')
  @Endpoint({
    summary: 'Reads a policy of monitoring, with its price',
    etag: true,
    permission: 'monitoring.read',
    scans: true,
    answer: contract.policyView,
    errors: ['monitoring_policy_not_found'],
  })
  async get(@Param('monitoringPolicyId', { schema: id }) policyId: string, @CurrentActor() actor: Principal) {
    return versioned(await this.complete(await this.policies.get(policyId), actor));
  }

  @Put(':monitoringPolicyId')
  @Endpoint({
    summary: 'Replaces a policy of monitoring; from now on it reads with your rights',
    etag: true,
    permission: 'monitoring.manage',
    audit: 'monitoring_policy.change',
    scans: false, // the selector is stored
    answer: contract.policyView,
    errors: [
      'monitoring_policy_not_found',
      'monitoring_policy_exists',
      'version_changed',
      'invalid_selector',
      'path_refused',
      'rights_not_held',
    ],
  })
  async replace(
    @Param('monitoringPolicyId', { schema: id }) policyId: string,
    @Body({ schema: contract.policyInput }) body: contract.MonitoringInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const replaced = await this.policies.replace(policyId, body, readIfMatch(ifMatch), actor);
    return versioned(await this.complete(replaced, actor));
  }

  @Delete(':monitoringPolicyId')
  @Endpoint({
    summary: 'Removes a policy of monitoring; the latest values stay',
    permission: 'monitoring.manage',
    audit: 'monitoring_policy.remove',
    etag: true,
    status: 204,
    errors: ['monitoring_policy_not_found'],
  })
  remove(
    @Param('monitoringPolicyId', { schema: id }) policyId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.policies.remove(policyId, readIfMatch(ifMatch), actor);
  }

  private async complete(policy: MonitoringPolicy, actor: Principal) {
    const [view] = await this.views([policy], actor);
    const price = await this.policies.price(policy, actor.rights).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_selector') return null;
      throw error;
    });
    return { ...view!, price };
  }

  private async views(policies: readonly MonitoringPolicy[], actor: Principal) {
    const orphans = await this.policies.orphansOf(policies);
    const counts = await this.policies.counts(actor.rights);
    return policies.map((policy) => ({
      ...policy,
      selector: shownSelector(policy.selector, policy, actor),
      orphaned: orphans.has(policy),
      devices: 0,
      slowedDevices: 0,
      ...counts.get(policy.id),
    }));
  }
}

@ApiTags('Monitoring')
@Controller('v1/devices')
export class SamplesController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SampleHistory) private readonly samples: SampleHistory,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get(':ref/sample')
  @Endpoint({
    summary: 'Reads the latest values of a device, and how it is sampled',
    description: 'Values of a path that you may not read on the device are null or left out.',
    permission: 'device.call_read',
    scans: false,
    answer: contract.sampledView,
    errors: ['device_not_found'],
  })
  async read(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() { rights }: Principal) {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'device.call_read', device });
    return (await sampledOf(this.db, [device], rights, this.clock.now())).get(device.id)!;
  }

  @Get(':ref/sample/history')
  @Endpoint({
    summary: 'Reads one value of a device over the last days, for a chart',
    description:
      'A point is the least, the mean and the greatest value of its time. It needs the right to read the path of the value.',
    permission: 'device.call_read',
    scans: false,
    answer: contract.historyView,
    errors: ['device_not_found'],
  })
  async history(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Query({ schema: contract.historyQuery }) query: contract.HistoryQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'device.read', device });
    rights.requireOnDevice({ action: 'device.call_read', device, path: pathOfValue(query.metric) });
    return this.samples.read(device.id, query);
  }
}
