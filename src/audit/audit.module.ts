import { Inject, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type Logger } from 'pino';
import { errorFields } from '../platform/log.js';
import { LOG } from '../platform/platform.module.js';
import { DeviceFilters } from './audit-filter.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLog } from './audit-log.js';
import { Audit } from './audit.js';
import { AuditController } from './audit.controller.js';
import { AuditEntry, AuditOutcome } from './audit.entity.js';
import { AuditQueries } from './audit.queries.js';
import { AuditExport } from './export.js';
import { LiveEntries } from './live-entries.js';
import { OpenEntriesSweeper } from './open-entries.sweeper.js';
import { Refusals } from './refusals.js';
import { AuditRetention } from './retention.js';
import { Sequencer } from './sequencer.js';
import { Verifier } from './verifier.js';
import { Witnesses } from './witnesses.js';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEntry, AuditOutcome])],
  controllers: [AuditLogController, AuditController], // literal addresses before that of an entry
  providers: [
    Audit,
    AuditExport,
    AuditLog,
    AuditQueries,
    AuditRetention,
    { provide: DeviceFilters, useFactory: () => new DeviceFilters() },
    LiveEntries,
    OpenEntriesSweeper,
    Refusals,
    Sequencer,
    Verifier,
    Witnesses,
  ],
  exports: [Audit, DeviceFilters],
})
export class AuditModule implements BeforeApplicationShutdown {
  constructor(
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Sequencer) private readonly sequencer: Sequencer,
    @Inject(Refusals) private readonly refusals: Refusals,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Outcomes and refusals are committed, and what is committed is signed, before the database connection closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.audit.drain();
    await this.refusals.sweep().catch((error: unknown) => {
      this.log.warn(errorFields(error), 'The last refusals could not be written at the stop, and are not in the audit');
    });
    await this.sequencer.catchUp().catch((error: unknown) => {
      this.log.warn(errorFields(error), 'The audit log was not signed at the stop; the next start does it');
    });
  }
}
