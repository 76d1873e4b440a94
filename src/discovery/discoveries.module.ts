import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { Acceptance } from './acceptance.service.js';
import { DiscoveriesService } from './discoveries.service.js';
import { DiscoveryController } from './discovery.controller.js';
import { DiscoveryFind, DiscoveryRun } from './discovery.entity.js';
import { DiscoveryRows } from './discovery-rows.js';
import { DiscoverySweeper } from './discovery.sweeper.js';

/** Searches of networks for devices that are not in the registry. */
@Module({
  imports: [
    AuditModule,
    AuthModule,
    DevicesModule,
    ProxyModule,
    TypeOrmModule.forFeature([DiscoveryRun, DiscoveryFind]),
  ],
  controllers: [DiscoveryController],
  providers: [Acceptance, DiscoveriesService, DiscoveryRows, DiscoverySweeper],
})
export class DiscoveriesModule {}
