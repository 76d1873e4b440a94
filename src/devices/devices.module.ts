import { Inject, Module, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { RightsService } from '../auth/rights.service.js';
import { AddressRules } from './address-rules.js';
import { Device, DeviceAccount } from './device.entity.js';
import { DeviceMemory } from './device-memory.js';
import { DevicesController } from './devices.controller.js';
import { DevicesService } from './devices.service.js';
import { FleetController } from './fleet.controller.js';
import { FleetImportService } from './fleet-import.service.js';
import { FleetService } from './fleet.service.js';
import { LocksController } from './locks.controller.js';
import { LoginCounts } from './login-counts.js';
import { RegistryService } from './registry.service.js';
import { RightsController } from './rights.controller.js';
import { readRightSelector } from './right-selectors.js';
import { SavedSelectorsController } from './saved-selectors.controller.js';
import { SavedSelectorsService } from './saved-selectors.service.js';

@Module({
  imports: [AuditModule, AuthModule, TypeOrmModule.forFeature([Device, DeviceAccount])],
  controllers: [FleetController, DevicesController, SavedSelectorsController, LocksController, RightsController],
  providers: [
    AddressRules,
    DeviceMemory,
    DevicesService,
    LoginCounts,
    RegistryService,
    FleetService,
    FleetImportService,
    SavedSelectorsService,
  ],
  exports: [AddressRules, DevicesService, LoginCounts, RegistryService, FleetService],
})
export class DevicesModule implements BeforeApplicationShutdown, OnModuleInit {
  constructor(
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(RightsService) private readonly rights: RightsService,
  ) {}

  onModuleInit(): void {
    this.rights.useSelectors(readRightSelector);
  }

  /** What was learned is committed before the database connection closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.devices.drain();
  }
}
