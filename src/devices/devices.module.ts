import { type BeforeApplicationShutdown, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeviceFilters } from '../audit/entries/audit-filter.js';
import { AuditModule } from '../audit/audit.module.js';
import { type Principal } from '../auth/access/access.js';
import { AuthModule } from '../auth/auth.module.js';
import { AddressRules } from './registry/address-rules.js';
import { Device, DeviceAccount } from './registry/device.entity.js';
import { FieldsController } from './fields.controller.js';
import { FieldsService } from './registry/fields.service.js';
import { DeviceAccounts } from './device-accounts.js';
import { Replacements } from './replacement.service.js';
import { DeviceLists } from './device-list.service.js';
import { DeviceCache } from './registry/device-cache.js';
import { DevicesController } from './devices.controller.js';
import { DevicesService } from './registry/devices.service.js';
import { FleetController, ImportsController } from './fleet-files/fleet.controller.js';
import { FleetImportService } from './fleet-files/fleet-import.service.js';
import { ImportRuns } from './fleet-files/import-runs.service.js';
import { FleetPreview } from './fleet-files/fleet-preview.service.js';
import { FleetRemoval } from './fleet-files/fleet-removal.service.js';
import { FleetService } from './fleet-files/fleet.service.js';
import { LoginCounts } from './registry/login-counts.js';
import { RegistryService } from './registry.service.js';
import { SavedSelectorsController } from './saved-selectors.controller.js';
import { SavedSelectorsService } from './saved-selectors.service.js';

@Module({
  imports: [AuditModule, AuthModule, TypeOrmModule.forFeature([Device, DeviceAccount])],
  controllers: [FleetController, ImportsController, DevicesController, SavedSelectorsController, FieldsController],
  providers: [
    AddressRules,
    DeviceCache,
    DeviceAccounts,
    DeviceLists,
    Replacements,
    FieldsService,
    DevicesService,
    LoginCounts,
    RegistryService,
    FleetService,
    FleetImportService,
    ImportRuns,
    FleetPreview,
    FleetRemoval,
    SavedSelectorsService,
  ],
  exports: [
    AddressRules,
    DeviceLists,
    DevicesService,
    FieldsService,
    LoginCounts,
    RegistryService,
    FleetService,
    SavedSelectorsService,
  ],
})
export class DevicesModule implements BeforeApplicationShutdown, OnModuleInit {
  constructor(
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(DeviceFilters) private readonly auditFilters: DeviceFilters,
  ) {}

  onModuleInit(): void {
    this.auditFilters.use((selector, actor, values) =>
      this.fleet.audited(selector, (actor as Principal).rights, values),
    );
  }

  /** Commits observations before the database connection closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.devices.drain();
  }
}
