import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { shownSelector } from '../../auth/access/shown-selector.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { authoredRoutes } from '../../recurring/authored-routes.js';
import { type AlertRule } from './alert-rule.entity.js';
import { AlertRules } from './alert-rules.service.js';
import { Alerts } from './alerts.service.js';
import * as contract from './alerts.contract.js';
import { RuleTrials } from './rule-trial.js';

const id = z.uuid();

@ApiTags('Alerts')
@Controller('v1/monitoring/rules')
export class AlertRulesController extends authoredRoutes<AlertRule, contract.RuleInput>({
  noun: 'alert_rule',
  param: 'ruleId',
  permissions: { read: 'monitoring.read', manage: 'monitoring.manage' },
  schemas: { input: contract.ruleInput, view: contract.ruleView, list: contract.ruleList },
  refusals: ['invalid_selector'],
  words: {
    create: {
      summary: 'Creates a rule: which devices need attention, after what time, and when it is over',
      description: 'It sees what you may see. POST /v1/devices/preview shows the devices of a selector.',
    },
    list: { summary: 'Lists rules of alerts' },
    get: { summary: 'Reads a rule of alerts' },
    replace: {
      summary: 'Replaces a rule of alerts; from now on it sees what you may see',
      description: 'Its alerts stay, and the next pass judges them; those of a disabled rule close.',
    },
    remove: { summary: 'Removes a rule with its alerts; the open ones close before' },
  },
}) {
  constructor(@Inject(AlertRules) protected readonly rows: AlertRules) {
    super();
  }

  protected async details(_rules: readonly AlertRule[], reader: Principal) {
    const open = await this.rows.openOf(reader.rights);
    return (rule: AlertRule) => ({
      clearSelector: rule.clearSelector && shownSelector(rule.clearSelector, rule, reader),
      open: open.get(rule.id) ?? 0,
    });
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

@ApiTags('Alerts')
@Controller('v1/monitoring/rules/try')
export class RuleTrialController {
  constructor(@Inject(RuleTrials) private readonly trials: RuleTrials) {}

  @Post()
  @Endpoint({
    summary: 'Says what a rule would have opened in the last seven days, on devices that you may see; saves nothing',
    description:
      'Samples and states are those of the past, so the selector must name one of them. All else of a device is as it is now.',
    permission: 'monitoring.read',
    onlyReads: true,
    scans: true,
    status: 200,
    answer: contract.triedView,
    errors: ['invalid_selector'],
  })
  try(@Body({ schema: contract.tryInput }) body: contract.TryInput, @CurrentActor() actor: Principal) {
    return this.trials.try(body, actor);
  }
}
