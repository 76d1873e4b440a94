import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../../auth/access/access.js';
import { shownSelector } from '../../auth/access/shown-selector.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { readIfMatch, versioned } from '../../http/etag.js';
import { shownRows } from '../../recurring/shown-rows.js';
import { TemplatePlans } from './template-plans.js';
import { TemplateReach } from './template-reach.js';
import { type Template, type TemplateContent } from './template.entity.js';
import * as contract from './templates.contract.js';
import { Templates } from './templates.service.js';

const name = contract.templateName;

const SAVE_ERRORS = [
  'template_exists',
  'invalid_selector',
  'rights_not_held',
  'sealed_value_not_found',
  'redaction_marker',
] as const;

@ApiTags('Templates')
@Controller('v1/templates')
export class TemplatesController {
  constructor(
    @Inject(Templates) private readonly templates: Templates,
    @Inject(TemplatePlans) private readonly plans: TemplatePlans,
    @Inject(TemplateReach) private readonly reach: Pick<TemplateReach, 'published' | 'unreadable'>,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Creates a template: what devices should be set to. It is a draft until it is published',
    description:
      'POST /v1/templates/{templateName}/plan says what it would change. With `dryRun` nothing is stored (200).',
    permission: 'template.edit',
    audit: 'template.create',
    scans: false, // the selector is stored
    status: 201,
    answer: contract.templateView,
    errors: ['too_many_saved', ...SAVE_ERRORS],
  })
  async create(
    @Body({ schema: contract.templateInput }) { dryRun, ...body }: contract.SaveTemplate,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (!dryRun) return this.view(await this.templates.create(body, actor), actor);
    void reply.status(200);
    return this.view(await this.templates.rehearse(body, null, null, actor), actor);
  }

  @Get()
  @Endpoint({
    summary: 'Lists the templates that reach a device that you see, and your own',
    permission: 'template.read',
    scans: true,
    answer: contract.templateList,
  })
  async list(@CurrentActor() actor: Principal) {
    return { items: await this.views(await this.templates.visible(actor), actor) };
  }

  @Get(':templateName')
  @Endpoint({
    summary: 'Reads the draft of a template',
    etag: true,
    permission: 'template.read',
    scans: true,
    answer: contract.templateView,
    errors: ['template_not_found'],
  })
  async get(@Param('templateName', { schema: name }) templateName: string, @CurrentActor() actor: Principal) {
    return this.view(await this.templates.named(templateName, actor), actor);
  }

  @Put(':templateName')
  @Endpoint({
    summary: 'Replaces the draft of a template; the published version stays in force',
    description: 'It needs the right on all devices that the template reaches. With `dryRun` nothing is stored.',
    etag: true,
    permission: 'template.edit',
    audit: 'template.change',
    scans: false, // the selector is stored
    answer: contract.templateView,
    errors: ['template_not_found', ...SAVE_ERRORS],
  })
  async replace(
    @Param('templateName', { schema: name }) templateName: string,
    @Body({ schema: contract.templateInput }) { dryRun, ...body }: contract.SaveTemplate,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const { id } = await this.templates.named(templateName, actor);
    const version = readIfMatch(ifMatch);
    const save = dryRun
      ? this.templates.rehearse(body, id, version, actor)
      : this.templates.replace(id, body, version, actor);
    return this.view(await save, actor);
  }

  @Delete(':templateName')
  @Endpoint({
    summary: 'Removes a template with its versions; devices keep what they have',
    description: 'It needs the right on all devices that the template reaches; of a published one `template.publish`.',
    permission: 'template.edit',
    audit: 'template.remove',
    etag: true,
    status: 204,
    errors: ['template_not_found'],
  })
  remove(
    @Param('templateName', { schema: name }) templateName: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.templates.removeNamed(templateName, readIfMatch(ifMatch), actor);
  }

  @Post(':templateName/plan')
  @Endpoint({
    summary: 'Says what the draft would change on which devices, who is left out and why; changes nothing',
    description: 'By what watches have read: a device that was not read at one of the paths is left out as `unread`.',
    permission: 'template.read',
    onlyReads: true,
    scans: true,
    status: 200,
    answer: contract.planView,
    errors: ['template_not_found', 'invalid_selector', 'sealed_value_not_found', 'secret_unreadable'],
  })
  async plan(
    @Param('templateName', { schema: name }) templateName: string,
    @Body({ schema: contract.planInput }) body: contract.PlanInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.plans.plan(await this.templates.named(templateName, actor), body, actor);
  }

  @Post(':templateName/publish')
  @Endpoint({
    summary: 'Publishes the draft as a version that never changes; no router is changed',
    description: 'It reaches devices with your rights. A draft that you have published already is not published again.',
    etag: true,
    headers: { 'If-Match': { description: 'The ETag that the draft must still have', example: '"7"' } },
    permission: 'template.publish',
    audit: 'template.publish',
    scans: true,
    status: 200,
    answer: contract.versionView,
    errors: ['template_not_found', 'template_overlaps', 'invalid_selector', 'rights_not_held'],
  })
  async publish(
    @Param('templateName', { schema: name }) templateName: string,
    @Body({ schema: contract.publishInput }) { reason }: contract.PublishInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return shown(await this.templates.publish(templateName, reason, readIfMatch(ifMatch), actor), actor);
  }

  @Get(':templateName/versions')
  @Endpoint({
    summary: 'Lists the published versions of a template, newest first',
    permission: 'template.read',
    scans: true,
    answer: contract.versionPage,
    errors: ['template_not_found', 'invalid_cursor'],
  })
  async versions(
    @Param('templateName', { schema: name }) templateName: string,
    @Query({ schema: contract.versionsQuery }) query: contract.VersionsQuery,
    @CurrentActor() actor: Principal,
  ) {
    const page = await this.templates.versions(templateName, query, actor);
    return { ...page, items: page.items.map((version) => shown(version, actor)) };
  }

  @Get(':templateName/versions/:number')
  @Endpoint({
    summary: 'Reads a published version of a template',
    permission: 'template.read',
    scans: true,
    answer: contract.versionView,
    errors: ['template_not_found', 'template_version_not_found'],
  })
  async version(
    @Param('templateName', { schema: name }) templateName: string,
    @Param('number', { schema: contract.versionNumber }) number: number,
    @CurrentActor() actor: Principal,
  ) {
    return shown(await this.templates.version(templateName, number, actor), actor);
  }

  private async views(templates: readonly Template[], actor: Principal) {
    const inForce = new Map((await this.reach.published()).map((version) => [version.templateId, version]));
    const contents = templates.map((template) => inForce.get(template.id) ?? template);
    const unreadable = await this.reach.unreadable(contents);
    const shown = await shownRows(templates, this.templates.authors, actor);
    return shown.map((view, at) => ({ ...view, unreadable: unreadable.has(contents[at]!) }));
  }

  private async view(template: Template, actor: Principal) {
    const [view] = await this.views([template], actor);
    return versioned({ ...view!, sync: await this.templates.sync(template, actor) });
  }
}

/** With the selector as the reader may see it. */
const shown = <Content extends TemplateContent>(content: Content, actor: Principal) => ({
  ...content,
  selector: shownSelector(content.selector, content, actor),
});
