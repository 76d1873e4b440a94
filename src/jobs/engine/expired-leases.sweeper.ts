import { Inject, Injectable } from '@nestjs/common';
import { type Sweeper } from '../../platform/sweeper.js';
import { KINDS } from './job-kinds.js';
import { JobRows } from './job-rows.js';
import { atDeadline, expire, endUnreadable } from '../rows/job-state.js';
import { type JobKinds } from '../kinds/index.js';

/**
 * Brings back the jobs of lost workers, and ends waiting jobs whose deadline has passed. A job whose effect was sent
 * continues with a probe: the row says so, and the runner reads it. A job with an unreadable cursor ends: its worker
 * drops it, and the lease brings it here.
 */
@Injectable()
export class ExpiredLeasesSweeper implements Sweeper {
  readonly name = 'expired-leases';
  readonly everyMs = 1_000;

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(KINDS) private readonly kinds: JobKinds,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    if (!(await this.rows.someExpired())) return {};
    const returned = await this.rows.moveExpired(
      (job, now) => {
        const kind = this.kinds.get(job.kind);
        if (kind && !kind.canParse(job.cursor)) return endUnreadable(job, now);
        const isIrrevocable = kind?.isIrrevocable(job.cursor, job.intent) ?? true;
        return expire(job, isIrrevocable, now);
      },
      { text: 'The worker was lost' },
    );
    const overdue = await this.rows.moveOverdue(atDeadline);
    return { returned, overdue };
  }
}
