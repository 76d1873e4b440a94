import { Body, Controller, Inject, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../../auth/access/access.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import * as contract from './adoptions.contract.js';
import { Adoptions } from './adoptions.service.js';

@ApiTags('Templates')
@Controller('v1/templates')
export class AdoptionsController {
  constructor(@Inject(Adoptions) private readonly adoptions: Adoptions) {}

  @Post('adopt')
  @Endpoint({
    summary: 'Makes a template of what some devices have, as a draft; nothing is written to a device',
    description:
      'By what watches have read. What is equal on all of them becomes an item. What differs becomes a custom field with the value of each ' +
      'device, which needs `device.manage` there, and `field.manage` where the field is new. With `dryRun` nothing is stored (200).',
    permission: 'template.edit',
    audit: 'template.create',
    scans: true,
    status: 201,
    answer: contract.adoptionView,
    errors: [
      'adoption_impossible',
      'template_exists',
      'invalid_selector',
      'rights_not_held',
      'too_many_fields',
      'device_not_found',
      'redaction_marker',
    ],
  })
  adopt(
    @Body({ schema: contract.adoptionInput }) body: contract.AdoptionInput,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (body.dryRun) void reply.status(200);
    else void reply.header('location', `/v1/templates/${body.name}`);
    return this.adoptions.adopt(body, actor);
  }
}
