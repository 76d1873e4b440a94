import { Controller, Get, Inject, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { type Actor } from '../../platform/actor.js';
import { AppError } from '../../platform/errors.js';
import { DeviceFilters } from '../entries/audit-filter.js';
import { parseTile, Tiles } from './tiles.js';

/* C2SP tlog-tiles: the prefix of the log is /v1/audit/tiles. */

const BYTES = 'application/octet-stream';
const NOTE = 'text/plain';

const level = z.coerce.number().int().min(0).max(63).describe('0: the hashes of entries');
const index = z
  .string()
  .max(40)
  .describe('In groups of three digits, all but the last with an x: 067 or x001/x234/067; 067.p/12: its first 12')
  .meta({ example: '000.p/1' });

const COMMON = {
  permission: 'audit.export',
  scans: false, // 256 rows
  errors: ['audit_tile_not_found', 'audit_archive_unreadable'],
} as const;

@ApiTags('Audit')
@Controller('v1/audit/tiles')
export class TilesController {
  constructor(
    @Inject(Tiles) private readonly tiles: Tiles,
    @Inject(DeviceFilters) private readonly devices: DeviceFilters,
  ) {}

  @Get('checkpoint')
  @Endpoint({
    summary: 'Shows the last checkpoint of the audit log, for tools that read C2SP tlog-tiles',
    ...COMMON,
    produces: { [NOTE]: { example: 'fleetgate/audit/example\n1\nAAAA…=\n\n— fleetgate/audit/example AAAA…\n' } },
  })
  async checkpoint(@CurrentActor() actor: Actor, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.requireWholeLog(actor);
    const note = await this.tiles.checkpoint();
    reply.header('cache-control', 'no-cache');
    return new StreamableFile(Buffer.from(note), { type: `${NOTE}; charset=utf-8` });
  }

  @Get('tile/entries/*')
  @Endpoint({
    summary: 'Reads 256 entries of the audit log, for tools that read C2SP tlog-tiles',
    description: 'Each entry has its length in two bytes before it, and is the line that an export has.',
    ...COMMON,
    stepUp: true,
    produces: { [BYTES]: {} },
    errors: [...COMMON.errors, 'audit_entry_too_long', 'step_up_required'],
  })
  async entries(
    @Param('*', { schema: index }) address: string,
    @CurrentActor() actor: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.requireWholeLog(actor);
    return unchanging(await this.tiles.entries(parseTile(address)), reply);
  }

  @Get('tile/:level/*')
  @Endpoint({
    summary: 'Reads 256 hashes of the audit log, for tools that read C2SP tlog-tiles',
    description: 'Only what the last checkpoint covers is there. A tile that is not full has its width in its address.',
    ...COMMON,
    produces: { [BYTES]: {} },
  })
  async hashes(
    @Param('level', { schema: level }) of: number,
    @Param('*', { schema: index }) address: string,
    @CurrentActor() actor: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.requireWholeLog(actor);
    return unchanging(await this.tiles.hashes(of, parseTile(address)), reply);
  }

  /** A log without some of its entries proves nothing, so a caller who may export those of some devices gets none. */
  private async requireWholeLog(actor: Actor): Promise<void> {
    const conditions = await this.devices.conditions({}, actor, []);
    if (conditions.length > 0) throw new AppError('forbidden', { permission: 'audit.export' });
  }
}

/** A tile never changes; a cache may keep it for its own reader. */
function unchanging(bytes: Buffer, reply: FastifyReply): StreamableFile {
  reply.header('cache-control', 'private, max-age=31536000, immutable');
  return new StreamableFile(bytes, { type: BYTES });
}
