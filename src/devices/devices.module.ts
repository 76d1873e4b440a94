import { Inject, Module, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeviceFilters } from '../audit/audit-filter.js';
import { AuditModule } from '../audit/audit.module.js';
import { type Principal } from '../auth/access.js';
import { AuthModule } from '../auth/auth.module.js';
import { RightsService } from '../auth/rights.service.js';
import { AddressRules } from './address-rules.js';
import { Device, DeviceAccount } from './device.entity.js';
import { DeviceMemory } from './device-memory.js';
import { ApprovalsController } from './approvals.controller.js';
import { DevicesController } from './devices.controller.js';
import { DevicesService } from './devices.service.js';
import { FleetController } from './fleet.controller.js';
import { FleetImportService } from './fleet-import.service.js';
import { FleetImports } from './fleet-imports.service.js';
import { FleetRemoval } from './fleet-removal.service.js';
import { FleetService } from './fleet.service.js';
import { ImportsController } from './imports.controller.js';
import { LocksController } from './locks.controller.js';
import { LoginCounts } from './login-counts.js';
import { RegistryService } from './registry.service.js';
import { RightsController } from './rights.controller.js';
import { readRightSelector } from './right-selectors.js';
import { SavedSelectorsController } from './saved-selectors.controller.js';
import { SavedSelectorsService } from './saved-selectors.service.js';

@Module({
  imports: [AuditModule, AuthModule, TypeOrmModule.forFeature([Device, DeviceAccount])],
  controllers: [
    FleetController,
    ImportsController,
    DevicesController,
    SavedSelectorsController,
    LocksController,
    ApprovalsController,
    RightsController,
  ],
  providers: [
    AddressRules,
    DeviceMemory,
    DevicesService,
    LoginCounts,
    RegistryService,
    FleetService,
    FleetImportService,
    FleetImports,
    FleetRemoval,
    SavedSelectorsService,
  ],
  exports: [AddressRules, DevicesService, LoginCounts, RegistryService, FleetService, SavedSelectorsService],
})
export class DevicesModule implements BeforeApplicationShutdown, OnModuleInit {
  constructor(
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(DeviceFilters) private readonly auditFilters: DeviceFilters,
  ) {}

  onModuleInit(): void {
    this.rights.useSelectors(readRightSelector);
    this.auditFilters.use((selector, actor, values) =>
      this.fleet.audited(selector, (actor as Principal).rights, values),
    );
  }

  /** What was learned is committed before the database connection closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.devices.drain();
  }
}
