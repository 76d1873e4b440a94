import { Body, Controller, Delete, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { Authors } from '../../auth/keys/authors.service.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { shownRows } from '../../recurring/shown-rows.js';
import * as contract from './ignored.contract.js';
import { IgnoredOptions, type IgnoredRow } from './ignored-options.service.js';
import { TemplateReach } from './template-reach.js';
import { templateName } from './templates.contract.js';
import { Templates } from './templates.service.js';

@ApiTags('Templates')
@Controller('v1/templates/:templateName/ignored')
export class IgnoredController {
  constructor(
    @Inject(IgnoredOptions) private readonly ignored: IgnoredOptions,
    @Inject(Templates) private readonly templates: Pick<Templates, 'named'>,
    @Inject(Authors) private readonly authors: Pick<Authors, 'orphansOf'>,
    @Inject(TemplateReach) private readonly reach: Pick<TemplateReach, 'unreadable'>,
  ) {}

  @Post()
  @Endpoint({
    summary:
      'Ignores an option of a template on some devices for a time: it counts as no difference, and no job sets it',
    description: 'On those of the devices on which you hold the right at the path. The template stays as it is.',
    permission: 'template.publish',
    audit: 'template.ignore',
    scans: false, // the selector is stored
    status: 201,
    answer: contract.ignoredView,
    errors: ['template_not_found', 'invalid_selector', 'too_many_ignored'],
  })
  async create(
    @Param('templateName', { schema: templateName }) name: string,
    @Body({ schema: contract.ignoreInput }) body: contract.IgnoreInput,
    @CurrentActor() actor: Principal,
  ) {
    const row = await this.ignored.create(await this.templates.named(name, actor), body, actor);
    const [view] = await this.views([row], actor);
    return view!;
  }

  @Get()
  @Endpoint({
    summary: 'Lists the options of a template that are ignored now, the first to end first',
    permission: 'template.read',
    scans: true,
    answer: contract.ignoredList,
    errors: ['template_not_found'],
  })
  async list(@Param('templateName', { schema: templateName }) name: string, @CurrentActor() actor: Principal) {
    const rows = await this.ignored.list(await this.templates.named(name, actor), actor);
    return { items: await this.views(rows, actor) };
  }

  @Delete(':ignoredId')
  @Endpoint({
    summary: 'Ends an ignored option now: it counts again on all of its devices',
    permission: 'template.publish',
    audit: 'template.ignore_end',
    status: 204,
    errors: ['template_not_found', 'ignored_not_found'],
  })
  async end(
    @Param('templateName', { schema: templateName }) name: string,
    @Param('ignoredId', { schema: z.uuid() }) ignoredId: string,
    @CurrentActor() actor: Principal,
  ) {
    await this.ignored.end(await this.templates.named(name, actor), ignoredId, actor);
  }

  private async views(rows: readonly IgnoredRow[], reader: Principal) {
    const unreadable = await this.reach.unreadable(rows);
    const shown = await shownRows(rows, this.authors, reader);
    return shown.map((view, at) => ({ ...view, unreadable: unreadable.has(rows[at]!) }));
  }
}
