import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { type Principal } from '../auth/access/access.js';
import { pathOfValue, sampledOf } from '../devices/device-samples.js';
import { deviceRef } from '../selectors/device-ref.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { Clock } from '../platform/clock.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { authoredRoutes } from '../recurring/authored-routes.js';
import { nullWithoutSelector } from '../recurring/unreadable.js';
import { MonitoringPolicies } from './monitoring-policies.service.js';
import { type MonitoringPolicy } from './monitoring-policy.entity.js';
import * as contract from './monitoring.contract.js';
import { SampleHistory } from './samples/sample-history.js';

@ApiTags('Monitoring')
@Controller('v1/monitoring/policies')
export class MonitoringController extends authoredRoutes<MonitoringPolicy, contract.MonitoringInput>({
  noun: 'monitoring_policy',
  param: 'monitoringPolicyId',
  permissions: { read: 'monitoring.read', manage: 'monitoring.manage' },
  schemas: { input: contract.policyInput, view: contract.policyView, list: contract.policyList },
  refusals: ['invalid_selector', 'path_refused', 'rights_not_held'],
  words: {
    create: {
      summary: 'Creates a policy: which devices are sampled, how often, and what is read',
      description: 'It reads with your rights. POST /v1/monitoring/policies/price says its price before.',
    },
    list: { summary: 'Lists policies of monitoring' },
    get: { summary: 'Reads a policy of monitoring, with its price' },
    replace: { summary: 'Replaces a policy of monitoring; from now on it reads with your rights' },
    remove: { summary: 'Removes a policy of monitoring; the latest values stay' },
  },
}) {
  constructor(@Inject(MonitoringPolicies) protected readonly rows: MonitoringPolicies) {
    super();
  }

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
    return this.rows.price(body, actor.rights);
  }

  protected async details(_policies: readonly MonitoringPolicy[], reader: Principal) {
    const counts = await this.rows.counts(reader.rights);
    return ({ id }: MonitoringPolicy) => counts.get(id) ?? { devices: 0, slowedDevices: 0 };
  }

  protected override async detailsOfOne(policy: MonitoringPolicy, { rights }: Principal) {
    return { price: await nullWithoutSelector(this.rows.price(policy, rights)) };
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
