import { Controller, Get, Inject, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { DevicesService } from '../devices/devices.service.js';
import { type Principal } from '../auth/access.js';
import { CurrentActor, Endpoint } from '../platform/endpoint.js';
import { ArtifactsService } from './artifacts.service.js';
import * as contract from './jobs.contract.js';

@Controller('v1/artifacts')
export class ArtifactsController {
  constructor(
    @Inject(ArtifactsService) private readonly artifacts: ArtifactsService,
    @Inject(DevicesService) private readonly devices: DevicesService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Lists artifacts, newest first',
    permission: 'artifact.read',
    answer: contract.artifactPage,
    errors: ['invalid_cursor', 'device_not_found'],
  })
  async list(
    @Query({ schema: contract.listArtifactsQuery }) query: contract.ListArtifactsQuery,
    @CurrentActor() actor: Principal,
  ) {
    const { device: ref, job, ...filter } = query;
    const device = ref === undefined ? undefined : await this.devices.resolve(ref);
    if (device) actor.rights.admit({ action: 'artifact.read', device });
    return this.artifacts.list({ ...filter, deviceId: device?.id, jobId: job }, actor.rights);
  }

  @Get(':artifactId')
  @Endpoint({
    summary: 'Reads what is known of an artifact',
    permission: 'artifact.read',
    answer: contract.artifactView,
    errors: ['artifact_not_found'],
  })
  get(@Param('artifactId', { schema: z.uuid() }) artifactId: string, @CurrentActor() actor: Principal) {
    return this.artifacts.get(artifactId, actor.rights);
  }

  @Get(':artifactId/content')
  @Endpoint({
    summary: 'Downloads the bytes of an artifact',
    description: 'They were compared with their digest a moment before. Each download is in the audit.',
    permission: 'artifact.read',
    audit: 'artifact.read',
    produces: 'application/octet-stream',
    errors: ['artifact_not_found', 'artifact_damaged'],
  })
  async content(
    @Param('artifactId', { schema: z.uuid() }) artifactId: string,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { artifact, content } = await this.artifacts.open(artifactId, actor);
    const { sha256, name, bytes } = artifact;
    void reply.headers({
      etag: `"${sha256}"`,
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`, // RFC 9530, section 3
    });
    return new StreamableFile(content, {
      type: 'application/octet-stream',
      disposition: `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`,
      length: bytes,
    });
  }
}
