import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { FanOut } from './fan-out.js';
import { FanOutChecks } from './fan-out-checks.js';
import { FanOutController } from './fan-out.controller.js';
import { FanOutReaders } from './fan-out-readers.js';
import { StoredFanOutReads } from './stored-fan-out-reads.js';
import { StoredFanOutSweeper } from './stored-fan-out.sweeper.js';
import { StoredFanOuts } from './stored-fan-outs.js';
import { StoredFanOutsController } from './stored-fan-outs.controller.js';

/** One call to many devices, streamed or stored. */
@Module({
  imports: [AuditModule, AuthModule, DevicesModule, ProxyModule],
  controllers: [FanOutController, StoredFanOutsController],
  providers: [FanOut, FanOutChecks, FanOutReaders, StoredFanOutReads, StoredFanOutSweeper, StoredFanOuts],
})
export class FanOutsModule {}
