import { type BeforeApplicationShutdown, Inject, Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { errorFields, LOG } from '../platform/log.js';
import { DeviceFilters } from './entries/audit-filter.js';
import { AuditLogController } from './log/audit-log.controller.js';
import { AuditLog } from './log/audit-log.js';
import { Audit, LateOutcomesSweeper } from './entries/audit.js';
import { AuditController } from './audit.controller.js';
import { AuditQueries } from './entries/audit.queries.js';
import { AuditExport } from './log/export.js';
import { LiveEntries } from './log/live-entries.js';
import { OpenEntriesSweeper } from './entries/open-entries.sweeper.js';
import { Refusals } from './entries/refusals.js';
import { AuditRetention } from './log/retention.js';
import { Sequencer } from './log/sequencer.js';
import { Tiles } from './log/tiles.js';
import { TilesController } from './log/tiles.controller.js';
import { Verifier } from './log/verifier.js';
import { Witnesses } from './log/witnesses.js';

@Module({
  controllers: [TilesController, AuditLogController, AuditController], // literal paths before the path with an entry's id
  providers: [
    Audit,
    AuditExport,
    AuditLog,
    AuditQueries,
    AuditRetention,
    { provide: DeviceFilters, useFactory: () => new DeviceFilters() },
    LateOutcomesSweeper,
    LiveEntries,
    OpenEntriesSweeper,
    Refusals,
    Sequencer,
    Tiles,
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

  /** Commits outcomes and refusals and signs the log before the database connection closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.audit.drain();
    await this.refusals.sweep().catch((error: unknown) => {
      this.log.warn(errorFields(error), 'The last refusals could not be written at the stop and are not in the audit');
    });
    await this.sequencer.catchUp().catch((error: unknown) => {
      this.log.warn(errorFields(error), 'The audit log was not signed at the stop; the next start does it');
    });
  }
}
