import { type Readable } from 'node:stream';
import { Body, Controller, Get, Headers, Inject, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Principal } from '../auth/access.js';
import { CurrentActor, Endpoint } from '../platform/endpoint.js';
import { AppError } from '../platform/errors.js';
import * as contract from './devices.contract.js';
import { type FleetFormat, FleetImportService } from './fleet-import.service.js';
import { FleetService } from './fleet.service.js';

const FORMATS: Readonly<Record<string, 'csv' | 'ndjson'>> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' };

function formatOf(contentType = ''): FleetFormat {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const format = FORMATS[type];
  if (!format) throw new AppError('unsupported_media_type', { supported: Object.keys(FORMATS) });
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { format, charset: charset?.replaceAll('"', '') ?? null };
}

/** The registry as a whole: in from a file, out to a file, tags of many. */
@Controller('v1/devices')
export class FleetController {
  constructor(
    @Inject(FleetImportService) private readonly imports: FleetImportService,
    @Inject(FleetService) private readonly fleet: FleetService,
  ) {}

  @Post('import')
  @Endpoint({
    summary: 'Registers and updates devices from a file',
    description:
      'The body is the file: text/csv with a header (name, base_url, username, password, serial, mac, model, site, ' +
      'tags, pin, sessions, time_zone), or application/x-ndjson with on each line what POST /v1/devices takes or an ' +
      'export gives. CSV has commas, semicolons or tabs; it is UTF-8, UTF-16 with a byte order mark, what `charset` ' +
      'says, or else Windows-1252. A device is known by its serial number, or else by its name. One transaction.',
    permission: 'device.manage',
    audit: 'device.register',
    takesFile: {
      'text/csv': { example: contract.FLEET_CSV },
      'application/x-ndjson': { schema: contract.registerInput },
    },
    answer: contract.importView,
    errors: ['import_refused', 'device_exists', 'unsupported_media_type'],
  })
  run(
    @Query({ schema: contract.importQuery }) query: contract.ImportQuery,
    @Headers('content-type') contentType: string | undefined,
    @Req() request: FastifyRequest,
    @CurrentActor() actor: Principal,
  ) {
    return this.imports.run(request.body as Readable, formatOf(contentType), query, actor);
  }

  @Get('export')
  @Endpoint({
    summary: 'Gives the devices of a selector as a file that an import takes; without passwords',
    permission: 'device.read',
    produces: {
      'text/csv': { example: contract.FLEET_CSV },
      'application/x-ndjson': { schema: contract.exportedDevice },
    },
    errors: ['invalid_selector'],
  })
  async export(
    @Query({ schema: contract.exportQuery }) query: contract.ExportQuery,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const type = query.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
    void reply.header('content-disposition', `attachment; filename="fleet.${query.format}"`);
    return new StreamableFile(await this.fleet.export(query, actor.rights), { type });
  }

  @Post('tags')
  @Endpoint({
    summary: 'Adds and removes tags of all devices of a selector',
    permission: 'device.manage',
    audit: 'device.change',
    answer: contract.tagsView,
    errors: ['invalid_selector'],
  })
  changeTags(@Body({ schema: contract.tagsInput }) body: contract.TagsInput, @CurrentActor() actor: Principal) {
    return this.fleet.changeTags(body, actor);
  }
}
