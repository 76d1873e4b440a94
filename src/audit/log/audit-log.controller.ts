import { Readable } from 'node:stream';
import { Body, Controller, Get, Headers, Inject, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { type Actor } from '../../platform/actor.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { AppError } from '../../platform/errors.js';
import { AuditLog } from './audit-log.js';
import * as contract from '../entries/audit.contract.js';
import { AuditExport } from './export.js';
import { type AuditReader } from './long-answers.js';
import { LiveEntries } from './live-entries.js';
import { LogRows } from './log-rows.js';
import { MerkleStore } from './merkle-store.js';
import { Verifier } from './verifier.js';

const NDJSON = 'application/x-ndjson';

@ApiTags('Audit')
@Controller('v1/audit')
export class AuditLogController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AuditLog) private readonly log: AuditLog,
    @Inject(Verifier) private readonly verifier: Verifier,
    @Inject(AuditExport) private readonly exports: AuditExport,
    @Inject(LiveEntries) private readonly live: LiveEntries,
  ) {}

  @Get('log')
  @Endpoint({
    summary: 'Shows the name and the public key of the audit log, and its last checkpoint',
    description:
      'Store the key, and a checkpoint from time to time, apart from the gateway: they prove what the log contained.',
    permission: 'audit.verify',
    scans: false,
    answer: contract.logView,
  })
  async getLog() {
    const { verifier } = await this.log.key();
    const last = await new LogRows(this.db.manager).checkpoint();
    return {
      origin: verifier.name,
      key: await this.log.verifierKey(),
      size: last?.size ?? 0,
      checkpoint: last?.note ?? null,
    };
  }

  @Get('consistency')
  @Endpoint({
    summary: 'Proves that a later checkpoint of the audit log extends an earlier one',
    permission: 'audit.verify',
    scans: false,
    answer: contract.consistencyView,
    errors: ['checkpoint_not_found'],
  })
  async consistency(@Query({ schema: contract.consistencyQuery }) { from, to }: contract.ConsistencyQuery) {
    const last = await new LogRows(this.db.manager).checkpoint(to);
    if (!last || from > last.size) throw new AppError('checkpoint_not_found');
    const proof = await new MerkleStore(this.db.manager).consistency(from, last.size).catch((cause: unknown) => {
      throw new AppError('checkpoint_not_found', {}, { cause });
    });
    return { from, to: last.size, checkpoint: last.note, proof: proof.map((hash) => hash.toString('hex')) };
  }

  @Post('verify')
  @Endpoint({
    summary: 'Verifies the complete audit, row by row, and names what is wrong',
    description:
      'NDJSON: `progress` lines, a `finding` for each wrong row or place, and a final `summary`. Entries that the ' +
      'log has not placed yet count as `pending`. With the checkpoints of a witness it also detects a roll-back of the ' +
      'whole database.',
    permission: 'audit.verify',
    audit: 'audit.verify',
    whileLocked: true,
    produces: { [NDJSON]: { schema: contract.verifyLine } },
    errors: ['audit_busy'],
  })
  async verify(@Body({ schema: contract.verifyInput }) body: contract.VerifyInput, @CurrentActor() actor: AuditReader) {
    return new StreamableFile(await this.verifier.start(body, actor), { type: NDJSON });
  }

  @Post('export')
  @Endpoint({
    summary: 'Exports entries with a proof that public tools can check',
    description:
      'NDJSON. The first line is a signed checkpoint, lines that begin with `{"proof"` are the proof, and all others are ' +
      'entries and outcomes as the log has them. docs/verify-export.sh checks it with openssl, sha256sum and jq.',
    permission: 'audit.export',
    audit: 'audit.export',
    scans: false, // it has slots of its own
    replay: 'no: its answer is a stream',
    stepUp: true,
    whileLocked: true,
    produces: { [NDJSON]: { schema: contract.exportLine } },
    errors: ['audit_busy', 'invalid_selector', 'step_up_required'],
  })
  async export(
    @Body({ schema: contract.exportInput }) input: contract.ExportInput,
    @CurrentActor() actor: AuditReader,
  ) {
    return new StreamableFile(await this.exports.start(input, actor), { type: NDJSON });
  }

  @Get('stream')
  @Endpoint({
    summary: 'Streams new entries of the audit',
    description:
      'Server-sent events `entry` and `outcome`, one second after their commit, in the order of the log. The id of an ' +
      'event is its place in the log; with `Last-Event-ID` the stream continues after it.',
    permission: 'audit.read',
    scans: false,
    produces: { 'text/event-stream': { schema: contract.logLine } },
    headers: { 'Last-Event-ID': { description: 'The place in the log after which to continue', example: '41' } },
    errors: ['invalid_selector', 'too_many_streams'],
  })
  async stream(
    @Query({ schema: contract.streamQuery }) query: contract.StreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @CurrentActor() actor: Actor,
  ) {
    return new StreamableFile(Readable.from(await this.live.start(query, lastEventId, actor), { objectMode: false }), {
      type: 'text/event-stream',
    });
  }
}
