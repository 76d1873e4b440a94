import { Inject, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Audit } from './audit.js';
import { AuditController } from './audit.controller.js';
import { AuditEntry, AuditOutcome } from './audit.entity.js';
import { AuditQueries } from './audit.queries.js';
import { OpenEntriesSweeper } from './open-entries.sweeper.js';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEntry, AuditOutcome])],
  controllers: [AuditController],
  providers: [Audit, AuditQueries, OpenEntriesSweeper],
  exports: [Audit],
})
export class AuditModule implements BeforeApplicationShutdown {
  constructor(@Inject(Audit) private readonly audit: Audit) {}

  /** Outcomes that were handed in are committed before the database connection closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.audit.drain();
  }
}
