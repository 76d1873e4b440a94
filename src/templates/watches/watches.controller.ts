import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Principal } from '../../auth/access/access.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { authoredRoutes } from '../../recurring/authored-routes.js';
import { nullWithoutSelector } from '../../recurring/unreadable.js';
import * as contract from './watches.contract.js';
import { type Watch } from './watch.entity.js';
import { type WatchCounts, Watches } from './watches.service.js';

const NONE_COUNTED: WatchCounts = {
  devices: 0,
  unreadDevices: 0,
  slowedDevices: 0,
  changedDevices: 0,
  lastReadAt: null,
  nextReadAt: null,
};

@ApiTags('Watches')
@Controller('v1/watches')
export class WatchesController extends authoredRoutes<Watch, contract.WatchInput>({
  noun: 'watch',
  param: 'watchName',
  name: contract.watchName,
  permissions: { read: 'monitoring.read', manage: 'monitoring.manage' },
  schemas: { input: contract.watchInput, view: contract.watchView, list: contract.watchList },
  refusals: ['invalid_selector', 'path_refused', 'rights_not_held'],
  words: {
    create: {
      summary: 'Creates a watch: which paths of which devices are read, and how often',
      description: 'It reads with your rights. POST /v1/watches/price says its price before.',
    },
    list: { summary: 'Lists watches' },
    get: { summary: 'Reads a watch, with its price' },
    replace: { summary: 'Replaces a watch; from now on it reads with your rights' },
    remove: { summary: 'Removes a watch; what it has read stays' },
  },
}) {
  constructor(@Inject(Watches) protected readonly rows: Watches) {
    super();
  }

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
    return this.rows.price(body, actor.rights);
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
    @Param('watchName', { schema: contract.watchName }) watchName: string,
    @Body({ schema: contract.runInput }) { selector }: contract.RunInput,
    @CurrentActor() actor: Principal,
  ) {
    return { devices: await this.rows.ask(await this.rows.named(watchName), selector, actor) };
  }

  protected override async idOf(name: string) {
    return (await this.rows.named(name)).id;
  }

  protected async details(watches: readonly Watch[], { rights }: Principal) {
    const counts = await this.rows.counts(watches, rights);
    return ({ id, enabled }: Watch) => ({
      ...(counts.get(id) ?? NONE_COUNTED),
      ...(enabled ? {} : { nextReadAt: null }),
    });
  }

  protected override async detailsOfOne(watch: Watch, { rights }: Principal) {
    return { price: await nullWithoutSelector(this.rows.price(watch, rights)) };
  }
}
