import { type Readable } from 'node:stream';
import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { StepUp } from '../../auth/people/step-up.js';
import { CurrentActor, Endpoint, untilClosed } from '../../http/endpoint.js';
import { AppError } from '../../platform/errors.js';
import { previewInput, type PreviewInput, previewView } from '../device-list.contract.js';
import * as contract from '../devices.contract.js';
import { type FleetFormat, type ImportCallbacks } from './fleet-import.service.js';
import { ImportRuns } from './import-runs.service.js';
import { FleetPreview } from './fleet-preview.service.js';
import { FleetRemoval } from './fleet-removal.service.js';
import { FleetService } from './fleet.service.js';

const FORMATS: Readonly<Record<string, 'csv' | 'ndjson'>> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' };

function formatOf(contentType = ''): FleetFormat {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const format = FORMATS[type];
  if (!format) throw new AppError('unsupported_media_type', { supported: Object.keys(FORMATS) });
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { format, charset: charset?.replaceAll('"', '') ?? null };
}

/** `Prefer: respond-async` (RFC 7240, 4.1). */
const wantsNoWait = (prefer = '') =>
  prefer.split(',').some((preference) => preference.trim().toLowerCase() === 'respond-async');

/** An import without `respond-async` ends when the caller disconnects: no one would get the answer. */
function watchOf({ raw }: FastifyReply): ImportCallbacks {
  const requireSender = () => {
    if (raw.destroyed) throw new AppError('request_aborted');
  };
  return { onProgress: requireSender, commit: requireSender };
}

@ApiTags('Import and export')
@Controller('v1/devices')
export class FleetController {
  constructor(
    @Inject(ImportRuns) private readonly imports: ImportRuns,
    @Inject(FleetPreview) private readonly previews: FleetPreview,
    @Inject(FleetRemoval) private readonly removal: FleetRemoval,
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(StepUp) private readonly stepUp: StepUp,
  ) {}

  @Post('import')
  @Endpoint({
    summary: 'Registers and updates devices from a file',
    description:
      'The body is the file: text/csv with a header (name, base_url, username, password, serial, mac, model, site, ' +
      'tags, note, fields, pin, sessions, time_zone, spare_url), or application/x-ndjson. Each NDJSON line is a body of POST /v1/devices, or a line of an ' +
      'export. CSV has commas, semicolons or tabs; it is UTF-8, UTF-16 with a byte order mark, what `charset` ' +
      'says, or else Windows-1252. The serial number identifies a device, or else its name. It is one transaction, which ' +
      'ends when its sender disconnects. With `Prefer: respond-async` it answers 202, continues, and is read at `Location`.',
    permission: 'device.manage',
    audit: 'device.register',
    takesFile: {
      'text/csv': { example: contract.FLEET_CSV },
      'application/x-ndjson': { schema: contract.registerInput },
    },
    answer: z.union([contract.importView, contract.importOperationView]),
    otherStatuses: { 202: 'With `Prefer: respond-async`: it goes on, and `Location` says where to read how far it is' },
    headers: {
      Prefer: {
        description: '`respond-async`: answer at once, and continue without the sender',
        example: 'respond-async',
      },
    },
    errors: [
      'import_refused',
      'device_exists',
      'unsupported_media_type',
      'body_too_large',
      'too_many_imports',
      'author_gone',
      'starter_may_not',
      'request_aborted',
    ],
  })
  async run(
    @Query({ schema: contract.importQuery }) query: contract.ImportQuery,
    @Headers('content-type') contentType: string | undefined,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: FastifyRequest,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const format = formatOf(contentType);
    const source = request.body as Readable;
    if (!wantsNoWait(prefer)) return this.imports.run(source, format, query, actor, watchOf(reply));
    const operation = await this.imports.start(source, format, query, actor);
    void reply.status(202).header('location', `/v1/imports/${operation.id}`);
    void reply.header('preference-applied', 'respond-async');
    return operation;
  }

  @Post('preview')
  @Endpoint({
    summary: 'Shows the devices that a bulk action would take, and those that it would leave out',
    description:
      'It changes nothing. Bulk actions (tags, fan-outs, rollouts, locks, removal) take its `digest` as `expectedDigest`: where ' +
      'the selector names other devices by then, they answer `selection_changed` and nothing happens.',
    permission: 'device.read',
    scans: true,
    onlyReads: true,
    answer: previewView,
    errors: ['invalid_selector'],
  })
  preview(@Body({ schema: previewInput }) body: PreviewInput, @CurrentActor() actor: Principal) {
    return this.previews.preview(body, actor);
  }

  @Post('delete')
  @Endpoint({
    summary: 'Removes all devices of a selector, with their credentials and ended jobs',
    description:
      'Send it first with `dryRun`, which returns the number of devices and the digest of their ids. Then send that digest as ' +
      '`expectedDigest`. If the selector then names other devices, or one of them may not be removed, nothing is removed. ' +
      'More than APPROVAL_DEVICES devices need the approval of a second person: `approval_required` until sent with ' +
      '`Approval-Id`.',
    permission: 'device.manage',
    audit: 'device.remove',
    scans: true,
    answer: contract.removeView,
    headers: {
      'Approval-Id': {
        description: 'The approval of a second person, where one is asked for',
        example: '0199b1d2-7a3c-7c51-8f7e-2f1f4c9b7a10',
      },
    },
    errors: [
      'invalid_selector',
      'selection_changed',
      'device_in_use',
      'step_up_required',
      'approval_required',
      'approval_not_found',
      'approval_over',
      'approval_mismatch',
    ],
  })
  async remove(
    @Body({ schema: contract.removeInput }) body: contract.RemoveInput,
    @Headers('approval-id') approvalId: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const { selector, expectedDigest, dryRun } = body;
    if (dryRun || expectedDigest === undefined) return this.removal.preview(selector, actor);
    await this.stepUp.require(actor);
    return this.removal.remove({ selector, expectedDigest }, actor, approvalId);
  }

  @Get('export')
  @Endpoint({
    summary: 'Exports the devices of a selector as a file that an import accepts, without passwords',
    permission: 'device.read',
    scans: true,
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
    return new StreamableFile(await this.fleet.export(query, actor, untilClosed(reply)), { type });
  }

  @Post('tags')
  @Endpoint({
    summary: 'Adds and removes tags of all devices of a selector',
    permission: 'device.manage',
    audit: 'device.change',
    scans: true,
    answer: contract.tagsView,
    errors: ['invalid_selector', 'selection_changed'],
  })
  changeTags(@Body({ schema: contract.tagsInput }) body: contract.TagsInput, @CurrentActor() actor: Principal) {
    return this.fleet.changeTags(body, actor);
  }
}

/** Imports that were started with `Prefer: respond-async`. */
@ApiTags('Import and export')
@Controller('v1/imports')
export class ImportsController {
  constructor(@Inject(ImportRuns) private readonly imports: ImportRuns) {}

  @Get(':importId')
  @Endpoint({
    summary: 'Reads the progress and the result of your import',
    permission: 'device.manage',
    scans: false,
    answer: contract.importOperationView,
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
    answer: contract.importOperationView,
    errors: ['import_not_found', 'import_ended'],
  })
  cancel(@Param('importId', { schema: z.uuid() }) importId: string, @CurrentActor() actor: Principal) {
    return this.imports.cancel(importId, actor);
  }
}
