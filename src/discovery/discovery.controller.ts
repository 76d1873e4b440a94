import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { pageQuery, type PageQuery } from '../http/page.js';
import { Acceptance } from './acceptance.service.js';
import { DiscoveriesService } from './discoveries.service.js';
import * as contract from './discovery.contract.js';

const discoveryIdSchema = z.uuid();

@ApiTags('Discovery')
@Controller('v1/discovery')
export class DiscoveryController {
  constructor(
    @Inject(DiscoveriesService) private readonly discoveries: DiscoveriesService,
    @Inject(Acceptance) private readonly acceptance: Acceptance,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Searches networks for devices',
    description:
      'A worker asks each address what is there, at the given pace. It sends no login without `credentials`, and each of ' +
      'them at most once to a device that the registry does not know. With credentials it needs a second factor that was ' +
      'shown recently. docs/howto/find-devices.md shows it.',
    permission: 'discovery.manage',
    audit: 'discovery.start',
    status: 202,
    answer: contract.discoveryView,
    errors: ['network_refused', 'too_many_discoveries', 'redaction_marker', 'step_up_required'],
  })
  async start(
    @Body({ schema: contract.discoveryInput }) body: contract.DiscoveryInput,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const started = await this.discoveries.start(body, actor);
    void reply.header('location', `/v1/discovery/${started.id}`);
    return started;
  }

  @Get()
  @Endpoint({
    summary: 'Lists searches, the newest first',
    permission: 'discovery.read',
    scans: true,
    answer: contract.discoveryPage,
    errors: ['invalid_cursor'],
  })
  list(@Query({ schema: pageQuery }) query: PageQuery) {
    return this.discoveries.list(query);
  }

  @Get(':discoveryId')
  @Endpoint({
    summary: 'Reads the progress of a search',
    permission: 'discovery.read',
    scans: false,
    answer: contract.discoveryView,
    errors: ['discovery_not_found'],
  })
  get(@Param('discoveryId', { schema: discoveryIdSchema }) discoveryId: string) {
    return this.discoveries.get(discoveryId);
  }

  @Get(':discoveryId/found')
  @Endpoint({
    summary: 'Lists what answered, in the order of the addresses',
    description: 'Texts are claims of what answered, except `serial`, `mac` and `firmware`, which need a login.',
    permission: 'discovery.read',
    scans: true,
    answer: contract.findPage,
    errors: ['discovery_not_found', 'invalid_cursor'],
  })
  found(
    @Param('discoveryId', { schema: discoveryIdSchema }) discoveryId: string,
    @Query({ schema: contract.foundQuery }) query: contract.FoundQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.discoveries.found(discoveryId, query, actor.rights);
  }

  @Post(':discoveryId/cancel')
  @Endpoint({
    summary: 'Cancels a search; what it found stays',
    permission: 'discovery.manage',
    audit: 'discovery.cancel',
    answer: contract.discoveryView,
    errors: ['discovery_not_found', 'discovery_ended'],
  })
  cancel(@Param('discoveryId', { schema: discoveryIdSchema }) discoveryId: string, @CurrentActor() actor: Principal) {
    return this.discoveries.cancel(discoveryId, actor);
  }

  @Post(':discoveryId/accept')
  @Endpoint({
    summary: 'Registers chosen devices, each with the key that it showed',
    description:
      'Each needs the permission `device.manage`. The answer has an outcome for each; a repeated request changes nothing.',
    permission: 'discovery.manage',
    audit: 'discovery.accept',
    answer: contract.acceptView,
    errors: ['discovery_not_found', 'secret_unreadable'],
  })
  accept(
    @Param('discoveryId', { schema: discoveryIdSchema }) discoveryId: string,
    @Body({ schema: contract.acceptInput }) body: contract.AcceptFindsInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.acceptance.accept(discoveryId, body, actor);
  }
}
