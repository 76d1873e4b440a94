import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Principal } from '../../auth/access/access.js';
import { shownSelector } from '../../auth/access/shown-selector.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { readIfMatch, versioned } from '../../http/etag.js';
import { AppError } from '../../platform/errors.js';
import * as contract from './watches.contract.js';
import { type Watch } from './watch.entity.js';
import { Watches } from './watches.service.js';

const name = contract.watchName;

@ApiTags('Watches')
@Controller('v1/watches')
export class WatchesController {
  constructor(@Inject(Watches) private readonly watches: Watches) {}

  @Post('price')
  @Endpoint({
    summary: 'Says what a watch would cost: bytes, handshakes and logins, for each model and in sum; saves nothing',
    permission: 'monitoring.read',
    onlyReads: true,
    scans: true,
    status: 200,
    answer: contract.priceView,
    errors: ['invalid_selector'],
  })
  price(@Body({ schema: contract.priceInput }) body: contract.WatchPriceInput, @CurrentActor() actor: Principal) {
    return this.watches.price(body, actor.rights);
  }

  @Post()
  @Endpoint({
    summary: 'Creates a watch: which paths of which devices are read, and how often',
    description: 'It reads with your rights. POST /v1/watches/price says its price before.',
    permission: 'monitoring.manage',
    audit: 'watch.create',
    scans: false, // the selector is stored
    status: 201,
    answer: contract.watchView,
    errors: ['watch_exists', 'invalid_selector', 'path_refused', 'rights_not_held'],
  })
  async create(@Body({ schema: contract.watchInput }) body: contract.WatchInput, @CurrentActor() actor: Principal) {
    return versioned(await this.complete(await this.watches.create(body, actor), actor));
  }

  @Get()
  @Endpoint({
    summary: 'Lists watches',
    permission: 'monitoring.read',
    scans: true,
    answer: contract.watchList,
  })
  async list(@CurrentActor() actor: Principal) {
    return { items: await this.views(await this.watches.list(), actor) };
  }

  @Get(':watchName')
  @Endpoint({
    summary: 'Reads a watch, with its price',
    etag: true,
    permission: 'monitoring.read',
    scans: true,
    answer: contract.watchView,
    errors: ['watch_not_found'],
  })
  async get(@Param('watchName', { schema: name }) watchName: string, @CurrentActor() actor: Principal) {
    return versioned(await this.complete(await this.watches.named(watchName), actor));
  }

  @Put(':watchName')
  @Endpoint({
    summary: 'Replaces a watch; from now on it reads with your rights',
    etag: true,
    permission: 'monitoring.manage',
    audit: 'watch.change',
    scans: false, // the selector is stored
    answer: contract.watchView,
    errors: [
      'watch_not_found',
      'watch_exists',
      'version_changed',
      'invalid_selector',
      'path_refused',
      'rights_not_held',
    ],
  })
  async replace(
    @Param('watchName', { schema: name }) watchName: string,
    @Body({ schema: contract.watchInput }) body: contract.WatchInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const { id } = await this.watches.named(watchName);
    return versioned(await this.complete(await this.watches.replace(id, body, readIfMatch(ifMatch), actor), actor));
  }

  @Delete(':watchName')
  @Endpoint({
    summary: 'Removes a watch; what it has read stays',
    permission: 'monitoring.manage',
    audit: 'watch.remove',
    etag: true,
    status: 204,
    errors: ['watch_not_found'],
  })
  async remove(
    @Param('watchName', { schema: name }) watchName: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const { id } = await this.watches.named(watchName);
    return this.watches.remove(id, readIfMatch(ifMatch), actor);
  }

  @Post(':watchName/run')
  @Endpoint({
    summary: 'Reads the devices of a watch now, in the order of the load; also of a disabled one',
    description: 'It reads with the rights of its author. GET /v1/observed has what it read.',
    permission: 'device.call_read',
    audit: 'watch.run',
    scans: true,
    status: 202,
    answer: contract.runView,
    errors: ['watch_not_found', 'invalid_selector', 'author_gone'],
  })
  async run(
    @Param('watchName', { schema: name }) watchName: string,
    @Body({ schema: contract.runInput }) { selector }: contract.RunInput,
    @CurrentActor() actor: Principal,
  ) {
    return { devices: await this.watches.ask(await this.watches.named(watchName), selector, actor) };
  }

  private async complete(watch: Watch, actor: Principal) {
    const [view] = await this.views([watch], actor);
    const price = await this.watches.price(watch, actor.rights).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_selector') return null;
      throw error;
    });
    return { ...view!, price };
  }

  private async views(watches: readonly Watch[], actor: Principal) {
    const orphans = await this.watches.orphansOf(watches);
    const counts = await this.watches.counts(watches, actor.rights);
    return watches.map((watch) => ({
      ...watch,
      selector: shownSelector(watch.selector, watch, actor),
      orphaned: orphans.has(watch),
      devices: 0,
      unreadDevices: 0,
      slowedDevices: 0,
      changedDevices: 0,
      lastReadAt: null,
      nextReadAt: null,
      ...counts.get(watch.id),
      ...(watch.enabled ? {} : { nextReadAt: null }),
    }));
  }
}
