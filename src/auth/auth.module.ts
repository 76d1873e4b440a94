import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { Access } from './access.js';
import { AuthController } from './auth.controller.js';
import { AuthGuard } from './auth.guard.js';
import { ApiKey, Operator } from './operator.entity.js';
import { OperatorsService } from './operators.service.js';
import { SetupService } from './setup.service.js';

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([Operator, ApiKey])],
  controllers: [AuthController],
  providers: [Access, OperatorsService, SetupService, { provide: APP_GUARD, useClass: AuthGuard }],
  exports: [Access],
})
export class AuthModule {}
