import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Actor } from '../platform/actor.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { auditEntryView, auditPage, auditQuery, type AuditQuery } from './entries/audit.contract.js';
import { AuditQueries } from './entries/audit.queries.js';

@ApiTags('Audit')
@Controller('v1/audit')
export class AuditController {
  constructor(@Inject(AuditQueries) private readonly entries: AuditQueries) {}

  @Get()
  @Endpoint({
    summary: 'Lists audit entries, newest first',
    permission: 'audit.read',
    scans: true,
    answer: auditPage,
    errors: ['invalid_cursor', 'invalid_selector'],
  })
  list(@Query({ schema: auditQuery }) query: AuditQuery, @CurrentActor() actor: Actor) {
    return this.entries.list(query, actor);
  }

  @Get(':entryId')
  @Endpoint({
    summary: 'Reads an audit entry',
    permission: 'audit.read',
    scans: false,
    answer: auditEntryView,
    errors: ['audit_entry_not_found'],
  })
  get(@Param('entryId', { schema: z.uuid() }) entryId: string, @CurrentActor() actor: Actor) {
    return this.entries.get(entryId, actor);
  }
}
