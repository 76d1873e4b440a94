import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { shownSelector } from '../../auth/access/shown-selector.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { readIfMatch, versioned } from '../../http/etag.js';
import { type AlertRule } from './alert-rule.entity.js';
import { AlertRules } from './alert-rules.service.js';
import { Alerts } from './alerts.service.js';
import * as contract from './alerts.contract.js';

const id = z.uuid();

@ApiTags('Alerts')
@Controller('v1/monitoring/rules')
export class AlertRulesController {
  constructor(@Inject(AlertRules) private readonly rules: AlertRules) {}

  @Post()
  @Endpoint({
    summary: 'Creates a rule: which devices need attention, after what time, and when it is over',
    description: 'It sees what you may see. POST /v1/devices/preview shows the devices of a selector.',
    permission: 'monitoring.manage',
    audit: 'alert_rule.create',
    scans: false, // the selector is stored
    status: 201,
    answer: contract.ruleView,
    errors: ['alert_rule_exists', 'invalid_selector'],
  })
  async create(@Body({ schema: contract.ruleInput }) body: contract.RuleInput, @CurrentActor() actor: Principal) {
    return this.view(await this.rules.create(body, actor), actor);
  }

  @Get()
  @Endpoint({
    summary: 'Lists rules of alerts',
    permission: 'monitoring.read',
    scans: true,
    answer: contract.ruleList,
  })
  async list(@CurrentActor() actor: Principal) {
    return { items: await this.views(await this.rules.list(), actor) };
  }

  @Get(':ruleId')
  @Endpoint({
    summary: 'Reads a rule of alerts',
    etag: true,
    permission: 'monitoring.read',
    scans: true,
    answer: contract.ruleView,
    errors: ['alert_rule_not_found'],
  })
  async get(@Param('ruleId', { schema: id }) ruleId: string, @CurrentActor() actor: Principal) {
    return this.view(await this.rules.get(ruleId), actor);
  }

  @Put(':ruleId')
  @Endpoint({
    summary: 'Replaces a rule of alerts; from now on it sees what you may see',
    description: 'Its alerts stay, and the next pass judges them; those of a disabled rule close.',
    etag: true,
    permission: 'monitoring.manage',
    audit: 'alert_rule.change',
    scans: false, // the selector is stored
    answer: contract.ruleView,
    errors: ['alert_rule_not_found', 'alert_rule_exists', 'version_changed', 'invalid_selector'],
  })
  async replace(
    @Param('ruleId', { schema: id }) ruleId: string,
    @Body({ schema: contract.ruleInput }) body: contract.RuleInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.view(await this.rules.replace(ruleId, body, readIfMatch(ifMatch), actor), actor);
  }

  @Delete(':ruleId')
  @Endpoint({
    summary: 'Removes a rule with its alerts; the open ones close before',
    permission: 'monitoring.manage',
    audit: 'alert_rule.remove',
    etag: true,
    status: 204,
    errors: ['alert_rule_not_found'],
  })
  remove(
    @Param('ruleId', { schema: id }) ruleId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.rules.remove(ruleId, readIfMatch(ifMatch), actor);
  }

  private async view(rule: AlertRule, actor: Principal) {
    const [view] = await this.views([rule], actor);
    return versioned(view!);
  }

  private async views(rules: readonly AlertRule[], actor: Principal) {
    const orphans = await this.rules.orphansOf(rules);
    const open = await this.rules.openOf(actor.rights);
    return rules.map((rule) => ({
      ...rule,
      selector: shownSelector(rule.selector, rule, actor),
      clearSelector: rule.clearSelector && shownSelector(rule.clearSelector, rule, actor),
      orphaned: orphans.has(rule),
      open: open.get(rule.id) ?? 0,
    }));
  }
}

@ApiTags('Alerts')
@Controller('v1/monitoring/alerts')
export class AlertsController {
  constructor(@Inject(Alerts) private readonly alerts: Alerts) {}

  @Get()
  @Endpoint({
    summary: 'Lists alerts of devices that you may read, the newest first; the open ones without `state`',
    permission: 'device.read',
    scans: true,
    answer: contract.alertPage,
    errors: ['invalid_cursor', 'invalid_selector', 'device_not_found'],
  })
  list(@Query({ schema: contract.alertQuery }) query: contract.AlertQuery, @CurrentActor() actor: Principal) {
    return this.alerts.list(query, actor);
  }

  @Get(':alertId')
  @Endpoint({
    summary: 'Reads an alert',
    permission: 'device.read',
    scans: false,
    answer: contract.alertView,
    errors: ['alert_not_found'],
  })
  get(@Param('alertId', { schema: id }) alertId: string, @CurrentActor() { rights }: Principal) {
    return this.alerts.get(alertId, rights);
  }

  @Post(':alertId/acknowledge')
  @Endpoint({
    summary: 'Says that you take care of an open alert; a further acknowledgement changes nothing',
    permission: 'alert.acknowledge',
    audit: 'alert.acknowledge',
    answer: contract.alertView,
    errors: ['alert_not_found', 'alert_not_open'],
  })
  acknowledge(
    @Param('alertId', { schema: id }) alertId: string,
    @Body({ schema: contract.acknowledgeInput }) { note }: contract.AcknowledgeInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.alerts.acknowledge(alertId, note, actor);
  }
}
