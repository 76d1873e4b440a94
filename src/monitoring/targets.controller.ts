import { Readable } from 'node:stream';
import { Controller, Get, Inject, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../auth/access/access.js';
import { type ExportedDevice } from '../devices/fleet-files/fleet.queries.js';
import { FleetService } from '../devices/fleet-files/fleet.service.js';
import { CurrentActor, Endpoint, untilClosed } from '../http/endpoint.js';
import { targetGroups, targetOf, targetsQuery, type TargetsQuery } from './targets.js';

/** The registry for collectors that talk to the devices themselves, as those of SNMP and of pings do. */
@ApiTags('Devices')
@Controller('v1/devices')
export class TargetsController {
  constructor(@Inject(FleetService) private readonly fleet: Pick<FleetService, 'exported'>) {}

  @Get('targets')
  @Endpoint({
    summary: 'Lists devices as targets for the HTTP service discovery of Prometheus',
    description:
      'Each device is a group of its own, with the labels `device` and `site`. A key sees its own devices only.',
    permission: 'device.read',
    scans: true,
    produces: { 'application/json': { schema: targetGroups } },
    errors: ['invalid_selector'],
  })
  async list(
    @Query({ schema: targetsQuery }) query: TargetsQuery,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const devices = await this.fleet.exported(query.selector, actor, untilClosed(reply));
    return new StreamableFile(Readable.from(jsonOf(devices, query)), { type: 'application/json' });
  }
}

async function* jsonOf(devices: Readable, query: TargetsQuery): AsyncGenerator<string> {
  let before = '[';
  for await (const device of devices as AsyncIterable<ExportedDevice>) {
    yield `${before}${JSON.stringify(targetOf(device, query))}`;
    before = ',\n';
  }
  yield before === '[' ? '[]' : ']';
}
