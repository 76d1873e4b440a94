import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../platform/errors.js';
import { AuditLog, type LogKey } from './audit-log.js';
import { LogRows } from './log-rows.js';
import { Verification, type VerifyOptions } from './verification.js';
import { type VerifyLine } from './verify-lines.js';

/** Verifies the audit; one at a time in a process, since each takes a processor. */
@Injectable()
export class Verifier {
  private isRunning = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AuditLog) private readonly log: AuditLog,
  ) {}

  /**
   * Verifies everything.
   * @returns findings and progress as they come, a summary last
   * @throws AppError `audit_busy` when this process is verifying already
   */
  async start(options: VerifyOptions = {}): Promise<AsyncGenerator<VerifyLine>> {
    if (this.isRunning) throw new AppError('audit_busy');
    this.isRunning = true;
    try {
      const key = await this.log.key();
      return this.run(key, options);
    } catch (error) {
      this.isRunning = false;
      throw error;
    }
  }

  private async *run(key: LogKey, options: VerifyOptions): AsyncGenerator<VerifyLine> {
    const runner = this.db.createQueryRunner();
    try {
      await runner.startTransaction('REPEATABLE READ');
      await runner.query('set transaction read only; set local statement_timeout = 0');
      yield* new Verification(new LogRows(runner.manager), key, options).run();
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
      this.isRunning = false;
    }
  }
}
