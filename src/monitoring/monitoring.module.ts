import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { AlertRule } from './alerts/alert-rule.entity.js';
import { AlertRules } from './alerts/alert-rules.service.js';
import { AlertSweeper } from './alerts/alert.sweeper.js';
import { RuleTrials } from './alerts/rule-trial.js';
import { AlertRulesController, AlertsController, RuleTrialController } from './alerts/alerts.controller.js';
import { Alerts } from './alerts/alerts.service.js';
import { DeviceChecksController } from './device-checks.controller.js';
import { DeviceChecks } from './device-checks.service.js';
import { DeviceMetricsController } from './device-metrics.controller.js';
import { FiguresController } from './figures/figures.controller.js';
import { MeasuredDevices } from './measured-devices.js';
import { MonitoringController, SamplesController } from './monitoring.controller.js';
import { MonitoringPolicies } from './monitoring-policies.service.js';
import { MonitoringPolicy } from './monitoring-policy.entity.js';
import { BackgroundReads } from './samples/background-reads.js';
import { SampleHistory } from './samples/sample-history.js';
import { SampleStore } from './samples/sample-store.js';
import { SamplerSweeper } from './sampler.sweeper.js';
import { SamplingPlanSweeper } from './sampling-plan.sweeper.js';
import { AlertmanagerSweeper } from './notifications/alertmanager.sweeper.js';
import { Mute } from './notifications/mute.entity.js';
import { MutesController } from './notifications/mutes.controller.js';
import { Mutes } from './notifications/mutes.service.js';
import { StatusProbe } from './status-probe.js';
import { StatusSweeper } from './status.sweeper.js';
import { TargetsController } from './targets.controller.js';

/** Whether devices answer, what they are, samples of their values, and where collectors find them. */
@Module({
  imports: [
    AuditModule,
    AuthModule,
    DevicesModule,
    ProxyModule,
    TypeOrmModule.forFeature([AlertRule, MonitoringPolicy, Mute]),
  ],
  controllers: [
    AlertRulesController,
    AlertsController,
    DeviceChecksController,
    DeviceMetricsController,
    FiguresController,
    MonitoringController,
    MutesController,
    RuleTrialController,
    SamplesController,
    TargetsController,
  ],
  providers: [
    AlertmanagerSweeper,
    AlertRules,
    Alerts,
    AlertSweeper,
    BackgroundReads,
    DeviceChecks,
    MeasuredDevices,
    MonitoringPolicies,
    SampleHistory,
    Mutes,
    RuleTrials,
    SampleStore,
    SamplerSweeper,
    SamplingPlanSweeper,
    StatusProbe,
    StatusSweeper,
  ],
  exports: [BackgroundReads],
})
export class MonitoringModule {}
