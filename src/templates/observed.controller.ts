import { Controller, Get, Inject, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../auth/access/access.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { CurrentActor, Endpoint, untilClosed } from '../http/endpoint.js';
import { deviceRef } from '../selectors/device-ref.js';
import { ObservedMatrix } from './observed/observed-matrix.js';
import { ObservedViews } from './observed/observed-views.js';
import * as contract from './observed/observed.contract.js';
import { WatchSweeper } from './watches/watch.sweeper.js';

const RIGHTS = 'Only devices on which you may call this path to read and see what watches read.';

/** What watches have read, over the fleet. */
@ApiTags('Watches')
@Controller('v1/observed')
export class ObservedController {
  constructor(
    @Inject(ObservedViews) private readonly views: ObservedViews,
    @Inject(ObservedMatrix) private readonly matrices: ObservedMatrix,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Groups devices by equal configuration at one path',
    description: RIGHTS,
    permission: 'observed.read',
    scans: true,
    answer: contract.groupsView,
    errors: ['invalid_selector'],
  })
  groups(@Query({ schema: contract.groupsQuery }) query: contract.GroupsQuery, @CurrentActor() { rights }: Principal) {
    return this.views.groups(query, rights);
  }

  @Get('comparison')
  @Endpoint({
    summary: 'Compares the configuration of two groups, option by option',
    permission: 'observed.read',
    scans: true,
    answer: contract.comparisonView,
    errors: ['observed_body_not_found'],
  })
  comparison(
    @Query({ schema: contract.comparisonQuery }) query: contract.ComparisonQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    return this.views.comparison(query, rights);
  }

  @Get('changes')
  @Endpoint({
    summary: 'Lists how the configuration of all devices changed, and whether the gateway did it; newest first',
    description: 'Only changes at a path that you may call on the device to read, where you may see what watches read.',
    permission: 'observed.read',
    scans: true,
    answer: contract.changesPage,
    errors: ['invalid_selector', 'invalid_cursor'],
  })
  changes(
    @Query({ schema: contract.fleetChangesQuery }) query: contract.FleetChangesQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    return this.views.changes(query, rights);
  }

  @Get('matrix')
  @Endpoint({
    summary: 'Lists each section of each device at one path',
    description: `${RIGHTS} As CSV with \`options\` a column for each; without them a line for each option.`,
    permission: 'observed.read',
    scans: true,
    answer: contract.matrixView,
    produces: {
      'text/csv': { example: contract.MATRIX_CSV },
      'application/x-ndjson': { schema: contract.matrixRow },
    },
    errors: ['invalid_selector', 'invalid_cursor'],
  })
  async matrix(
    @Query({ schema: contract.matrixQuery }) query: contract.MatrixQuery,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (query.format === 'json') return this.matrices.page(query, actor.rights);
    const type = query.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
    const disposition = `attachment; filename="observed.${query.format}"`;
    return new StreamableFile(this.matrices.stream(query, actor, untilClosed(reply)), { type, disposition });
  }
}

/** What watches have read of one device. */
@ApiTags('Watches')
@Controller('v1/devices')
export class DeviceObservedController {
  constructor(
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(ObservedViews) private readonly views: ObservedViews,
    @Inject(WatchSweeper) private readonly sweeper: Pick<WatchSweeper, 'readNow'>,
  ) {}

  @Get(':ref/observed')
  @Endpoint({
    summary: 'Reads what watches have read of a device, at the paths that you may read there',
    permission: 'observed.read',
    scans: false,
    answer: contract.deviceObservedView,
    errors: ['device_not_found'],
  })
  async observed(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Query({ schema: contract.deviceObservedQuery }) { path, fresh }: contract.DeviceObservedQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'observed.read', device });
    if (fresh) {
      rights.requireOnDevice({ action: 'device.call_read', device });
      await this.sweeper.readNow(device.id);
    }
    return this.views.ofDevice(device, path, rights);
  }

  @Get(':ref/observed/changes')
  @Endpoint({
    summary: 'Lists how the configuration of a device changed, and whether the gateway did it; newest first',
    permission: 'observed.read',
    scans: false,
    answer: contract.changesPage,
    errors: ['device_not_found', 'invalid_cursor'],
  })
  async changes(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Query({ schema: contract.changesQuery }) query: contract.ChangesQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'observed.read', device });
    return this.views.changesOf(device, query, rights);
  }
}
