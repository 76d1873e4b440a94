import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { StatusSweeper } from './status.sweeper.js';

/** Whether devices answer, and what they are. */
@Module({
  imports: [DevicesModule, ProxyModule],
  providers: [StatusSweeper],
})
export class MonitoringModule {}
