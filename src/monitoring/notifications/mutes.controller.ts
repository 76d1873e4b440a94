import { Body, Controller, Delete, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { Authors } from '../../auth/keys/authors.service.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { shownRows } from '../../recurring/shown-rows.js';
import { unreadableOf } from '../../recurring/unreadable.js';
import { type Mute } from './mute.entity.js';
import * as contract from './mutes.contract.js';
import { Mutes } from './mutes.service.js';

@ApiTags('Monitoring')
@Controller('v1/monitoring/mutes')
export class MutesController {
  constructor(
    @Inject(Mutes) private readonly mutes: Mutes,
    @Inject(Authors) private readonly authors: Pick<Authors, 'orphansOf' | 'rightsOf'>,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Mutes devices for a time: no receiver is notified of their alerts, which open and close as always',
    permission: 'monitoring.manage',
    audit: 'mute.create',
    scans: false, // the selector is stored
    status: 201,
    answer: contract.muteView,
    errors: ['invalid_selector', 'alert_rule_not_found', 'too_many_saved'],
  })
  async create(@Body({ schema: contract.muteInput }) body: contract.MuteInput, @CurrentActor() actor: Principal) {
    const [view] = await this.views([await this.mutes.create(body, actor)], actor);
    return view!;
  }

  @Get()
  @Endpoint({
    summary: 'Lists the mutes in force, the first to end first',
    permission: 'monitoring.read',
    scans: true,
    answer: contract.muteList,
  })
  async list(@CurrentActor() actor: Principal) {
    return { items: await this.views(await this.mutes.list(), actor) };
  }

  @Delete(':muteId')
  @Endpoint({
    summary: 'Ends a mute now; the next notification says what changed during it',
    permission: 'monitoring.manage',
    audit: 'mute.remove',
    status: 204,
    errors: ['mute_not_found'],
  })
  remove(@Param('muteId', { schema: z.uuid() }) muteId: string, @CurrentActor() actor: Principal) {
    return this.mutes.remove(muteId, actor);
  }

  private async views(mutes: readonly Mute[], reader: Principal) {
    const unreadable = await unreadableOf(mutes, this.authors, (mute, rights) =>
      this.selectors.read(mute.selector, rights),
    );
    const shown = await shownRows(mutes, this.authors, reader);
    return shown.map((view, at) => ({ ...view, unreadable: unreadable.has(mutes[at]!) }));
  }
}
