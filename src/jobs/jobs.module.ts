import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { EngineModule } from './engine.module.js';
import { JobsController } from './jobs.controller.js';
import { JobsService } from './jobs.service.js';
import { SealedValuesModule } from './sealed-values/sealed-values.module.js';

@Module({
  imports: [AuditModule, AuthModule, DevicesModule, SealedValuesModule, EngineModule],
  controllers: [JobsController],
  providers: [JobsService],
  exports: [EngineModule, JobsService, SealedValuesModule],
})
export class JobsModule {}
