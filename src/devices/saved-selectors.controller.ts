import { Body, Controller, Delete, Get, Inject, Param, Put } from '@nestjs/common';
import { type Principal } from '../auth/access.js';
import { CurrentActor, Endpoint } from '../platform/endpoint.js';
import * as contract from './devices.contract.js';
import { SavedSelectorsService } from './saved-selectors.service.js';

@Controller('v1/selectors')
export class SavedSelectorsController {
  constructor(@Inject(SavedSelectorsService) private readonly selectors: SavedSelectorsService) {}

  @Get()
  @Endpoint({ summary: 'Lists saved selectors', permission: 'device.read', answer: contract.savedSelectorList })
  async list(@CurrentActor() actor: Principal) {
    return { items: await this.selectors.list(actor.rights) };
  }

  @Get(':name')
  @Endpoint({
    summary: 'Reads a saved selector',
    permission: 'device.read',
    answer: contract.savedSelectorView,
    errors: ['selector_not_found'],
  })
  get(@Param('name', { schema: contract.selectorName }) name: string, @CurrentActor() actor: Principal) {
    return this.selectors.get(name, actor.rights);
  }

  @Put(':name')
  @Endpoint({
    summary: 'Saves a selector under a name; @name then stands for it in any selector',
    permission: 'selector.manage',
    audit: 'selector.save',
    answer: contract.savedSelectorView,
    errors: ['invalid_selector'],
  })
  save(
    @Param('name', { schema: contract.selectorName }) name: string,
    @Body({ schema: contract.saveSelectorInput }) body: contract.SaveSelectorInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.selectors.save(name, body.selector, body.description, actor);
  }

  @Delete(':name')
  @Endpoint({
    summary: 'Removes a saved selector; selectors that name it cannot be read from then on',
    permission: 'selector.manage',
    audit: 'selector.remove',
    status: 204,
    errors: ['selector_not_found'],
  })
  remove(@Param('name', { schema: contract.selectorName }) name: string, @CurrentActor() actor: Principal) {
    return this.selectors.remove(name, actor);
  }
}
