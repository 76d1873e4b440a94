import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../audit/audit.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { DevicesModule } from '../../devices/devices.module.js';
import { SealedValue } from './sealed-value.entity.js';
import { SealedValuesController } from './sealed-values.controller.js';
import { SealedValuesService } from './sealed-values.service.js';

@Module({
  imports: [AuditModule, AuthModule, DevicesModule, TypeOrmModule.forFeature([SealedValue])],
  controllers: [SealedValuesController],
  providers: [SealedValuesService],
  exports: [SealedValuesService],
})
export class SealedValuesModule {}
