import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { StatusSweeper } from './status.sweeper.js';
import { TargetsController } from './targets.controller.js';

/** Whether devices answer, what they are, and where collectors find them. */
@Module({
  imports: [DevicesModule, ProxyModule],
  controllers: [TargetsController],
  providers: [StatusSweeper],
})
export class MonitoringModule {}
