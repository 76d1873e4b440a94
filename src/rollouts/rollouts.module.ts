import { Inject, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ArtifactsModule } from '../artifacts/artifacts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { ArtifactKeepers } from '../artifacts/artifact-keepers.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { CheckNeeds } from './engine/check-needs.js';
import { CheckSecrets } from './state/check-secrets.js';
import { Foresight } from './engine/foresight.js';
import { HealthChecks } from './engine/health-checks.js';
import { CheckRunner } from './engine/check-runner.js';
import { Membership } from './engine/membership.js';
import { Planner } from './engine/planner.js';
import { rolloutsThatNeed } from './engine/rollout-artifacts.js';
import { RolloutDrafts } from './engine/rollout-drafts.js';
import { RolloutLive } from './reports/rollout-live.js';
import { RolloutReports } from './reports/rollout-reports.js';
import { RolloutRights } from './engine/rollout-rights.js';
import { RolloutRows } from './engine/rollout-rows.js';
import { RolloutViews } from './state/rollout-views.js';
import { Rollout } from './state/rollout.entity.js';
import { RolloutSweeper } from './engine/rollout.sweeper.js';
import { RolloutsController } from './rollouts.controller.js';
import { RolloutsService } from './engine/rollouts.service.js';
import { Schedule } from './state/schedule.entity.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { SchedulesService } from './schedules/schedules.service.js';

@Module({
  imports: [
    AuditModule,
    AuthModule,
    DevicesModule,
    ProxyModule,
    ArtifactsModule,
    JobsModule,
    TypeOrmModule.forFeature([Rollout, Schedule]),
  ],
  controllers: [RolloutsController, SchedulesController],
  providers: [
    CheckNeeds,
    CheckSecrets,
    Foresight,
    HealthChecks,
    CheckRunner,
    Membership,
    Planner,
    RolloutDrafts,
    RolloutLive,
    RolloutReports,
    RolloutRights,
    RolloutRows,
    RolloutSweeper,
    RolloutsService,
    RolloutViews,
    SchedulesService,
  ],
  exports: [RolloutDrafts, RolloutViews],
})
export class RolloutsModule {
  constructor(@Inject(ArtifactKeepers) artifactKeepers: ArtifactKeepers) {
    artifactKeepers.add(rolloutsThatNeed);
  }
}
