import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { readIfMatch, versioned } from '../http/etag.js';
import * as contract from './events.contract.js';
import { hidesSome, shownAddress } from './webhook-address.js';
import { MailAddresses } from './mail-addresses.service.js';
import { type Webhook } from './webhook.entity.js';
import { WebhooksService } from './webhooks.service.js';

const id = z.uuid();

@ApiTags('Webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    @Inject(WebhooksService) private readonly webhooks: WebhooksService,
    @Inject(MailAddresses) private readonly mails: MailAddresses,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Makes a webhook; the answer is the only place where its secret is seen',
    description:
      'Events are sent as CloudEvents in JSON, signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, ' +
      '`webhook-signature`), and retried for a day until the answer is 2xx. The webhook gets the events that you may see.',
    permission: 'webhook.manage',
    audit: 'webhook.create',
    replay: 'no: its answer has a secret that is shown once',
    status: 201,
    answer: contract.madeWebhookView,
    errors: ['webhook_exists', 'too_many_saved', 'webhook_address_refused', 'mail_not_set_up', 'rights_not_held'],
  })
  async create(@Body({ schema: contract.webhookInput }) body: contract.WebhookInput, @CurrentActor() actor: Principal) {
    const made = await this.webhooks.create(body, actor);
    return { ...(await this.view(made, false)), secret: made.secret };
  }

  @Get()
  @Endpoint({ summary: 'Lists webhooks', permission: 'webhook.manage', scans: true, answer: contract.webhookList })
  async list() {
    const all = await this.webhooks.list();
    const orphans = await this.webhooks.orphansOf(all);
    const confirmed = await this.mails.confirmedAt(all);
    return { items: all.map((webhook) => viewOf(webhook, orphans.has(webhook), confirmed.get(webhook.id))) };
  }

  @Get(':webhookId')
  @Endpoint({
    summary: 'Reads a webhook',
    permission: 'webhook.manage',
    scans: false,
    etag: true,
    answer: contract.webhookView,
    errors: ['webhook_not_found'],
  })
  async get(@Param('webhookId', { schema: id }) webhookId: string) {
    const webhook = await this.webhooks.get(webhookId);
    const isOrphan = (await this.webhooks.orphansOf([webhook])).has(webhook);
    return versioned(await this.view(webhook, isOrphan));
  }

  @Put(':webhookId')
  @Endpoint({
    summary: 'Changes a webhook; its secret stays, and from now on it gets the events that you may see',
    permission: 'webhook.manage',
    audit: 'webhook.change',
    etag: true,
    answer: contract.webhookView,
    errors: [
      'webhook_not_found',
      'webhook_exists',
      'webhook_address_refused',
      'mail_not_set_up',
      'version_changed',
      'rights_not_held',
    ],
  })
  async replace(
    @Param('webhookId', { schema: id }) webhookId: string,
    @Body({ schema: contract.webhookInput }) body: contract.WebhookInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return versioned(await this.view(await this.webhooks.replace(webhookId, body, readIfMatch(ifMatch), actor), false));
  }

  @Delete(':webhookId')
  @Endpoint({
    summary: 'Removes a webhook with the log of its deliveries',
    permission: 'webhook.manage',
    audit: 'webhook.remove',
    etag: true,
    status: 204,
    errors: ['webhook_not_found'],
  })
  remove(
    @Param('webhookId', { schema: id }) webhookId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.webhooks.remove(webhookId, readIfMatch(ifMatch), actor);
  }

  @Post(':webhookId/test')
  @Endpoint({
    summary: 'Sends a test message to a webhook now, and says what its receiver answered',
    description:
      'It is signed as events are and has the type `fleetgate.webhook.test`; a chat gets it in its form. It is sent once, also while the webhook is ' +
      'disabled, and is not among its deliveries.',
    permission: 'webhook.manage',
    audit: 'webhook.test',
    answer: contract.webhookTestView,
    errors: ['webhook_not_found', 'mail_not_confirmed'],
  })
  test(@Param('webhookId', { schema: id }) webhookId: string, @CurrentActor() actor: Principal) {
    return this.webhooks.test(webhookId, actor);
  }

  @Post(':webhookId/code')
  @Endpoint({
    summary: 'Sends another code to the mail address of a webhook, whose owner has not confirmed it yet',
    description:
      'The first one is sent when the webhook is made or gets another address. An address gets one in five minutes.',
    permission: 'webhook.manage',
    audit: 'webhook.send_code',
    answer: contract.sentCodeView,
    errors: ['webhook_not_found', 'webhook_needs_no_code', 'mail_not_set_up', 'mail_code_too_early'],
  })
  async sendCode(@Param('webhookId', { schema: id }) webhookId: string, @CurrentActor() actor: Principal) {
    return this.mails.sendCode(await this.webhooks.get(webhookId), actor);
  }

  @Post(':webhookId/confirm')
  @Endpoint({
    summary: 'Confirms the mail address of a webhook by the code that its owner got; from then on it sends',
    permission: 'webhook.manage',
    audit: 'webhook.confirm',
    answer: contract.webhookView,
    errors: ['webhook_not_found', 'webhook_needs_no_code', 'mail_code_refused'],
  })
  async confirm(
    @Param('webhookId', { schema: id }) webhookId: string,
    @Body({ schema: contract.confirmInput }) { code }: contract.ConfirmInput,
    @CurrentActor() actor: Principal,
  ) {
    const webhook = await this.webhooks.get(webhookId);
    await this.mails.confirm(webhook, code, actor);
    return this.get(webhookId);
  }

  @Get(':webhookId/deliveries')
  @Endpoint({
    summary: 'Lists the deliveries of a webhook with their answers, newest first',
    permission: 'webhook.manage',
    scans: true,
    answer: contract.deliveryPage,
    errors: ['webhook_not_found', 'invalid_cursor'],
  })
  deliveries(
    @Param('webhookId', { schema: id }) webhookId: string,
    @Query({ schema: contract.listDeliveriesQuery }) query: contract.ListDeliveriesQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.webhooks.deliveries(webhookId, query, actor);
  }

  @Post(':webhookId/deliveries/:deliveryId/replay')
  @Endpoint({
    summary: 'Sends a delivery again, with the same id',
    permission: 'webhook.manage',
    audit: 'webhook.replay',
    answer: contract.deliveryView,
    errors: ['webhook_not_found', 'webhook_delivery_not_found'],
  })
  replay(
    @Param('webhookId', { schema: id }) webhookId: string,
    @Param('deliveryId', { schema: id }) deliveryId: string,
    @CurrentActor() actor: Principal,
  ) {
    return this.webhooks.replay(webhookId, deliveryId, actor);
  }

  private async view(webhook: Webhook, isOrphan: boolean) {
    return viewOf(webhook, isOrphan, (await this.mails.confirmedAt([webhook])).get(webhook.id));
  }
}

const viewOf = (webhook: Webhook, isOrphan: boolean, confirmedAt: Date | undefined) => ({
  ...webhook,
  confirmedAt: confirmedAt ?? null,
  url: shownAddress(webhook),
  urlHidesSome: hidesSome(webhook),
  orphaned: isOrphan,
});
