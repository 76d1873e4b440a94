import { type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { archiveFolder, ArchivedSegments } from './archived-segments.js';
import { AuditLog } from './audit-log.js';
import { Audit } from '../entries/audit.js';
import { LogRows } from './log-rows.js';
import { type AuditReader, LongAnswers } from './long-answers.js';
import { Verification, type VerifyOptions } from './verification.js';
import { type VerifyLine } from './verify-lines.js';

@Injectable()
export class Verifier {
  private readonly answers: LongAnswers;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AuditLog) private readonly log: AuditLog,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'AUDIT_ARCHIVE_DIR' | 'DATA_DIR'>,
  ) {
    this.answers = new LongAnswers(clock);
  }

  /** Records the result in the audit. @throws AppError `audit_busy` when this process is already verifying */
  start(options: VerifyOptions, actor: AuditReader): Promise<Readable> {
    return this.answers.start(async () => {
      await this.log.key(); // fails here without a key, before the stream begins
      return { pieces: this.recorded(options, actor) };
    }, actor);
  }

  /** Verifies everything: yields findings and progress as they come, a summary last. */
  async *lines(options: VerifyOptions = {}): AsyncGenerator<VerifyLine> {
    const key = await this.log.key();
    const runner = this.db.createQueryRunner();
    try {
      await runner.startTransaction('REPEATABLE READ');
      await runner.query('set transaction read only; set local statement_timeout = 0');
      const rows = new LogRows(runner.manager);
      const archive = new ArchivedSegments(rows, archiveFolder(this.config));
      yield* new Verification(rows, archive, key, options, this.clock.nowMs()).run();
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
    }
  }

  private async *recorded(options: VerifyOptions, actor: Actor): AsyncGenerator<string> {
    for await (const line of this.lines(options)) {
      yield `${JSON.stringify(line)}\n`;
      if (line.type !== 'summary') continue;
      const { holds, findings, leaves, pending } = line;
      const facts = { holds, findings, leaves, pending };
      await this.audit.record(this.db.manager, { actor, action: 'audit.verify', subject: 'audit', facts });
    }
  }
}
