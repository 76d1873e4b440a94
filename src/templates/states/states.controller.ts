import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../../auth/access/access.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { deviceRef } from '../../selectors/device-ref.js';
import { RolloutViews } from '../../rollouts/state/rollout-views.js';
import { rolloutView } from '../../rollouts/state/rollouts.contract.js';
import { templateName } from '../saved/templates.contract.js';
import { Templates } from '../saved/templates.service.js';
import * as contract from './states.contract.js';
import { States } from './states.service.js';

/** How devices compare with templates. */
@ApiTags('Templates')
@Controller('v1')
export class StatesController {
  constructor(
    @Inject(States) private readonly states: States,
    @Inject(Templates) private readonly templates: Templates,
    @Inject(RolloutViews) private readonly rollouts: RolloutViews,
    @Inject(DevicesService) private readonly devices: DevicesService,
  ) {}

  @Get('templates/:templateName/devices')
  @Endpoint({
    summary: 'Lists how devices compare with the published version of a template, by name',
    description:
      'Only devices on which you may read all of its paths. States are as new as what watches and jobs have read.',
    permission: 'template.read',
    scans: true,
    answer: contract.deviceStatePage,
    errors: ['template_not_found', 'invalid_cursor'],
  })
  async list(
    @Param('templateName', { schema: templateName }) name: string,
    @Query({ schema: contract.statesQuery }) query: contract.StatesQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.states.list(await this.templates.named(name, actor), query, actor.rights);
  }

  @Post('templates/:templateName/rollout')
  @Endpoint({
    summary: 'Creates a rollout that sets devices to the published version of a template, as a draft',
    description:
      'It is of the kind `reconcile`, over the devices that the selector of its states names now. Nothing happens before it is started: ' +
      'POST /v1/rollouts/{rolloutId}/start. A schedule with the same rollout repairs by itself.',
    permission: 'rollout.manage',
    audit: 'rollout.create',
    scans: true,
    status: 201,
    answer: rolloutView,
    errors: [
      'template_not_found',
      'template_version_not_found',
      'invalid_selector',
      'redaction_marker',
      'rollout_too_large',
      'rollout_is_empty',
    ],
  })
  async rollout(
    @Param('templateName', { schema: templateName }) name: string,
    @Body({ schema: contract.rolloutOfTemplate }) body: contract.RolloutOfTemplate,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const rollout = await this.states.rollout(await this.templates.named(name, actor), body, actor);
    void reply.header('location', `/v1/rollouts/${rollout.id}`);
    return this.rollouts.one(rollout, actor);
  }

  @Post('templates/:templateName/resume')
  @Endpoint({
    summary: 'Ends the suspension of devices for a template: jobs set them to it again',
    description:
      'Find the other master first. It needs `template.publish` at each path of the template on the device; others stay suspended.',
    permission: 'template.publish',
    audit: 'template.resume',
    scans: true,
    status: 200,
    answer: contract.resumeView,
    errors: ['template_not_found', 'invalid_selector'],
  })
  async resume(
    @Param('templateName', { schema: templateName }) name: string,
    @Body({ schema: contract.resumeInput }) { selector }: { selector: string },
    @CurrentActor() actor: Principal,
  ) {
    return { devices: await this.templates.resume(await this.templates.named(name, actor), selector, actor) };
  }

  @Get('devices/:ref/templates')
  @Endpoint({
    summary: 'Lists the templates that reach a device, and how it compares with them',
    permission: 'template.read',
    scans: false,
    answer: contract.templatesOfDevice,
    errors: ['device_not_found'],
  })
  async ofDevice(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() { rights }: Principal) {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'template.read', device });
    return { items: await this.states.ofDevice(device, rights) };
  }
}
