import { Module } from '@nestjs/common';
import { Storage, StorageSweeper } from './storage.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { Processes } from './processes.sweeper.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';

@Module({
  imports: [ProxyModule],
  controllers: [SystemController],
  providers: [Processes, Storage, StorageSweeper, SystemService],
})
export class SystemModule {}
