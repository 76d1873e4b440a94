import { Body, Controller, Delete, Get, Headers, Inject, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { readIfMatch, versioned } from '../http/etag.js';
import * as contract from './devices.contract.js';
import { SavedSelectorsService } from './saved-selectors.service.js';

@ApiTags('Selectors')
@Controller('v1/selectors')
export class SavedSelectorsController {
  constructor(@Inject(SavedSelectorsService) private readonly selectors: SavedSelectorsService) {}

  @Get()
  @Endpoint({
    summary: 'Lists saved selectors',
    permission: 'device.read',
    scans: true,
    answer: contract.savedSelectorList,
  })
  async list(@CurrentActor() actor: Principal) {
    return { items: await this.selectors.list(actor.rights) };
  }

  @Get(':name')
  @Endpoint({
    summary: 'Reads a saved selector',
    permission: 'device.read',
    scans: false,
    answer: contract.savedSelectorView,
    etag: true,
    errors: ['selector_not_found'],
  })
  async get(@Param('name', { schema: contract.selectorName }) name: string, @CurrentActor() actor: Principal) {
    return versioned(await this.selectors.get(name, actor.rights));
  }

  @Put(':name')
  @Endpoint({
    summary: 'Saves a selector under a name; @name then means it in any selector',
    permission: 'selector.manage',
    audit: 'selector.save',
    scans: false, // the selector is stored
    answer: contract.savedSelectorView,
    etag: true,
    errors: ['invalid_selector', 'selector_exists', 'too_many_saved', 'version_changed'],
  })
  async save(
    @Param('name', { schema: contract.selectorName }) name: string,
    @Body({ schema: contract.saveSelectorInput }) body: contract.SaveSelectorInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return versioned(await this.selectors.save(name, body.selector, body.description, actor, readIfMatch(ifMatch)));
  }

  @Delete(':name')
  @Endpoint({
    summary: 'Removes a saved selector; selectors that name it are invalid from then on',
    permission: 'selector.manage',
    audit: 'selector.remove',
    status: 204,
    etag: true,
    errors: ['selector_not_found', 'version_changed'],
  })
  remove(
    @Param('name', { schema: contract.selectorName }) name: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.selectors.remove(name, actor, readIfMatch(ifMatch));
  }
}
