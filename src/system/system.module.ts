import { Module } from '@nestjs/common';
import { Storage, StorageSweeper } from './storage.js';
import { AuditModule } from '../audit/audit.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { InstallationFigures } from './installation-figures.js';
import { Processes } from './processes.sweeper.js';
import { SecretsController } from './secrets.controller.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';

@Module({
  imports: [AuditModule, ProxyModule],
  controllers: [SecretsController, SystemController],
  providers: [InstallationFigures, Processes, Storage, StorageSweeper, SystemService],
  exports: [InstallationFigures],
})
export class SystemModule {}
