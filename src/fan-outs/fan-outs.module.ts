import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { FanOut } from './fan-out.js';
import { FanOutChecks } from './fan-out-checks.js';
import { FanOutsController } from './fan-outs.controller.js';
import { FanOuts } from './fan-outs.service.js';
import { StoredFanOutReads } from './stored-fan-out-reads.js';
import { StoredFanOutSweeper } from './stored-fan-out.sweeper.js';

/** One call to many devices, streamed or stored. */
@Module({
  imports: [AuditModule, AuthModule, DevicesModule, ProxyModule],
  controllers: [FanOutsController],
  providers: [FanOut, FanOutChecks, FanOuts, StoredFanOutReads, StoredFanOutSweeper],
})
export class FanOutsModule {}
