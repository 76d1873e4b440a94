import { Inject, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { TemplateSource } from '../jobs/engine/template-source.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { SealedValuesModule } from '../jobs/sealed-values/sealed-values.module.js';
import { MonitoringModule } from '../monitoring/monitoring.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { RolloutsModule } from '../rollouts/rollouts.module.js';
import { DifferenceAcceptance } from './adopted/difference-acceptance.service.js';
import { AdoptionsController } from './adopted/adoptions.controller.js';
import { Adoptions } from './adopted/adoptions.service.js';
import { DeviceObservedController, ObservedController } from './observed.controller.js';
import { ObservedBodies } from './observed/observed-bodies.js';
import { ObservedMatrix } from './observed/observed-matrix.js';
import { ObservedStore } from './observed/observed-store.js';
import { ObservedViews } from './observed/observed-views.js';
import { IgnoredOptions } from './saved/ignored-options.service.js';
import { IgnoredController } from './saved/ignored.controller.js';
import { TemplatePlans } from './saved/template-plans.js';
import { TemplateReach } from './saved/template-reach.js';
import { TemplateSecrets } from './saved/template-secrets.js';
import { Template } from './saved/template.entity.js';
import { TemplatesController } from './saved/templates.controller.js';
import { Templates } from './saved/templates.service.js';
import { DeviceStates } from './states/device-states.js';
import { Reconciling } from './states/reconciling.js';
import { StatesController } from './states/states.controller.js';
import { States } from './states/states.service.js';
import { TemplateStateSweeper } from './states/template-state.sweeper.js';
import { WatchPasses } from './watches/watch-passes.js';
import { WatchPlanSweeper } from './watches/watch-plan.sweeper.js';
import { Watch } from './watches/watch.entity.js';
import { WatchedCertificates } from './watches/watched-certificates.js';
import { WatchesController } from './watches/watches.controller.js';
import { Watches } from './watches/watches.service.js';
import { WatchSweeper } from './watches/watch.sweeper.js';

/** What devices are set to: what watches see of it, and what templates say that it should be. */
@Module({
  imports: [
    AuditModule,
    AuthModule,
    DevicesModule,
    ProxyModule,
    SealedValuesModule,
    JobsModule,
    MonitoringModule,
    RolloutsModule,
    TypeOrmModule.forFeature([Watch, Template]),
  ],
  controllers: [
    AdoptionsController,
    DeviceObservedController,
    IgnoredController,
    ObservedController,
    StatesController,
    TemplatesController,
    WatchesController,
  ],
  providers: [
    DifferenceAcceptance,
    Adoptions,
    DeviceStates,
    IgnoredOptions,
    ObservedBodies,
    ObservedMatrix,
    ObservedStore,
    ObservedViews,
    TemplatePlans,
    TemplateReach,
    Reconciling,
    States,
    TemplateSecrets,
    Templates,
    TemplateStateSweeper,
    Watches,
    WatchedCertificates,
    WatchPasses,
    WatchPlanSweeper,
    WatchSweeper,
  ],
})
export class TemplatesModule {
  constructor(@Inject(TemplateSource) source: TemplateSource, @Inject(Reconciling) reconciling: Reconciling) {
    source.serve((job) => reconciling.for(job));
  }
}
