import { Inject, Injectable } from '@nestjs/common';
import { type Sweeper } from '../../platform/sweeper.js';
import { Audit } from './audit.js';

/** Closes entries whose outcome the database did not take in time, as soon as it is back. */
@Injectable()
export class LateOutcomesSweeper implements Sweeper {
  readonly name = 'late-audit-outcomes';
  readonly everyMs = 2_000;

  constructor(@Inject(Audit) private readonly audit: Pick<Audit, 'closeLate'>) {}

  async sweep(): Promise<Record<string, number>> {
    return { closed: await this.audit.closeLate() };
  }
}
