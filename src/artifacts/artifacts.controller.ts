import { Controller, Delete, Get, Inject, Param, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { AppError } from '../platform/errors.js';
import { ArtifactsService } from './artifacts.service.js';
import { openUpload } from './artifact-upload.js';
import * as contract from './artifacts.contract.js';

@ApiTags('Artifacts')
@Controller('v1/artifacts')
export class ArtifactsController {
  constructor(@Inject(ArtifactsService) private readonly artifacts: ArtifactsService) {}

  @Post()
  @Endpoint({
    summary: 'Stores a file: firmware, a certificate, a configuration',
    description:
      'The body is the file itself (application/octet-stream), and the query describes it; or a form ' +
      '(multipart/form-data) whose fields describe it and whose last part is the file.',
    permission: 'artifact.manage',
    audit: 'artifact.add',
    takesFile: {
      'application/octet-stream': { example: 'The bytes of the file' },
      'multipart/form-data': { schema: contract.uploadForm },
    },
    status: 201,
    answer: contract.artifactView,
    errors: [
      'unsupported_media_type',
      'body_too_large',
      'request_aborted',
      'artifact_digest_mismatch',
      'artifact_signature_refused',
      'artifact_quota_exceeded',
    ],
  })
  async add(
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const file = await openUpload(request.raw);
    const given = contract.uploadInput.safeParse(file.fields ?? query);
    if (!given.success) {
      file.content.resume(); // read to its end, so that the sender gets to hear the answer
      const errors = given.error.issues.map(({ path, message }) => ({
        pointer: ['', file.fields ? 'body' : 'query', ...path.map(String)].join('/'),
        detail: message,
      }));
      throw new AppError('invalid_input', { errors });
    }
    const artifact = await this.artifacts.add(given.data, file, actor);
    void reply.header('location', `/v1/artifacts/${artifact.id}`);
    return artifact;
  }

  @Get('usage')
  @Endpoint({
    summary: 'Shows the used and the available space for artifacts',
    permission: 'artifact.manage',
    scans: true,
    answer: contract.usageView,
  })
  usage() {
    return this.artifacts.usage();
  }

  @Get()
  @Endpoint({
    summary: 'Lists artifacts, newest first',
    permission: 'artifact.read',
    scans: true,
    answer: contract.artifactPage,
    errors: ['invalid_cursor', 'device_not_found'],
  })
  async list(
    @Query({ schema: contract.listArtifactsQuery }) query: contract.ListArtifactsQuery,
    @CurrentActor() actor: Principal,
  ) {
    const { device: ref, job, ...filter } = query;
    const deviceId = ref === undefined ? undefined : await this.artifacts.deviceIdOf(ref, actor.rights);
    const page = await this.artifacts.list({ ...filter, deviceId, jobId: job }, actor.rights);
    return { items: await this.artifacts.withUse(page.items), next: page.next };
  }

  @Get(':artifactId')
  @Endpoint({
    summary: 'Reads an artifact and the jobs that use it',
    permission: 'artifact.read',
    scans: true,
    answer: contract.artifactWithUsesView,
    errors: ['artifact_not_found'],
  })
  async get(@Param('artifactId', { schema: z.uuid() }) artifactId: string, @CurrentActor() actor: Principal) {
    const [artifact] = await this.artifacts.withUse([await this.artifacts.get(artifactId, actor.rights)]);
    return { ...artifact, uses: await this.artifacts.usesOf(artifactId, actor.rights) };
  }

  @Delete(':artifactId')
  @Endpoint({
    summary: 'Deletes an artifact that no job needs',
    permission: 'artifact.manage',
    audit: 'artifact.delete',
    status: 204,
    errors: ['artifact_not_found', 'artifact_in_use'],
  })
  delete(@Param('artifactId', { schema: z.uuid() }) artifactId: string, @CurrentActor() actor: Principal) {
    return this.artifacts.delete(artifactId, actor);
  }

  @Get(':artifactId/content')
  @Endpoint({
    summary: 'Downloads the bytes of an artifact',
    description: 'The gateway compares them with their digest first. Each download is in the audit.',
    permission: 'artifact.read',
    audit: 'artifact.read',
    scans: false, // one row, then a file
    etag: true,
    produces: { 'application/octet-stream': { example: 'The bytes of the artifact' } },
    errors: ['artifact_not_found', 'artifact_damaged', 'step_up_required'],
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
