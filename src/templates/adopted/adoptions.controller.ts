import { Body, Controller, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../../auth/access/access.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { templateName } from '../saved/templates.contract.js';
import { Templates } from '../saved/templates.service.js';
import { DifferenceAcceptance } from './difference-acceptance.service.js';
import * as contract from './adoptions.contract.js';
import { Adoptions } from './adoptions.service.js';

@ApiTags('Templates')
@Controller('v1/templates')
export class AdoptionsController {
  constructor(
    @Inject(Adoptions) private readonly adoptions: Adoptions,
    @Inject(DifferenceAcceptance) private readonly acceptance: DifferenceAcceptance,
    @Inject(Templates) private readonly templates: Pick<Templates, 'named'>,
  ) {}

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
      'too_many_saved',
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

  @Post(':templateName/accept')
  @Endpoint({
    summary:
      'Takes what a device has at an option into the draft of a template, or into the custom field that the option names',
    description:
      'By what watches and jobs have read, in the spelling of the device. Nothing is written to a device; the published version stays in force.',
    permission: 'template.edit',
    audit: 'template.change',
    scans: false, // the selector is stored
    status: 200,
    answer: contract.acceptView,
    errors: ['template_not_found', 'device_not_found', 'difference_not_found', 'rights_not_held', 'version_changed'],
  })
  async accept(
    @Param('templateName', { schema: templateName }) name: string,
    @Body({ schema: contract.acceptInput }) body: contract.AcceptDifference,
    @CurrentActor() actor: Principal,
  ) {
    return this.acceptance.accept(await this.templates.named(name, actor), body, actor);
  }
}
