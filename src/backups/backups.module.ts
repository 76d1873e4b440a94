import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ArtifactsModule } from '../artifacts/artifacts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { BackupContentsSweeper } from './backup-contents.sweeper.js';
import { BackupCoverage } from './backup-coverage.js';
import { BackupComparison } from './backup-comparison.js';
import { BackupPoliciesService } from './backup-policies.service.js';
import { BackupPolicy } from './backup-policy.entity.js';
import { BackupReader } from './backup-reader.js';
import { BackupRetentionSweeper } from './backup-retention.sweeper.js';
import { BackupsController } from './backups.controller.js';

@Module({
  imports: [
    AuditModule,
    AuthModule,
    DevicesModule,
    ArtifactsModule,
    JobsModule,
    TypeOrmModule.forFeature([BackupPolicy]),
  ],
  controllers: [BackupsController],
  providers: [
    BackupContentsSweeper,
    BackupCoverage,
    BackupComparison,
    BackupPoliciesService,
    BackupReader,
    BackupRetentionSweeper,
  ],
})
export class BackupsModule {}
