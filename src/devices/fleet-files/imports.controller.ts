import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { CurrentActor, Endpoint } from '../../platform/http/endpoint.js';
import { importOperationView } from '../devices.contract.js';
import { FleetImports } from './fleet-imports.service.js';

/** Imports that were started with `Prefer: respond-async`. */
@ApiTags('Import and export')
@Controller('v1/imports')
export class ImportsController {
  constructor(@Inject(FleetImports) private readonly imports: FleetImports) {}

  @Get(':importId')
  @Endpoint({
    summary: 'Reads the progress and the result of your import',
    permission: 'device.manage',
    scans: false,
    answer: importOperationView,
    errors: ['import_not_found'],
  })
  get(@Param('importId', { schema: z.uuid() }) importId: string, @CurrentActor() actor: Principal) {
    return this.imports.get(importId, actor);
  }

  @Post(':importId/cancel')
  @Endpoint({
    summary: 'Cancels your running import; it changes nothing',
    permission: 'device.manage',
    audit: 'device.register',
    replay: 'no: a second cancel has no effect',
    answer: importOperationView,
    errors: ['import_not_found', 'import_ended'],
  })
  cancel(@Param('importId', { schema: z.uuid() }) importId: string, @CurrentActor() actor: Principal) {
    return this.imports.cancel(importId, actor);
  }
}
