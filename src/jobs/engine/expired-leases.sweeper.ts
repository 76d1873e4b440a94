import { Inject, Injectable } from '@nestjs/common';
import { WorkMarks } from '../../platform/database/work-marks.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { KINDS } from './job-kinds.js';
import { JobRows } from './job-rows.js';
import { atDeadline, expire, unreadable } from '../rows/job-state.js';
import { type JobKinds } from '../kinds/index.js';

/**
 * Brings back the jobs of workers that are gone, and ends those that waited past their deadline. A job whose effect
 * was sent goes on with a probe: that is in its row, and the runner sees it there. One whose cursor cannot be read ends: a
 * worker that claims it drops it, and its lease brings it here.
 */
@Injectable()
export class ExpiredLeasesSweeper implements Sweeper {
  readonly name = 'expired-leases';
  readonly everyMs = 1_000;

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(WorkMarks) private readonly marks: Pick<WorkMarks, 'noticeLosses'>,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    await this.marks.noticeLosses(); // first: a job that was lost with a row was not alone
    const returned = await this.rows.moveExpired(
      (job, now, inHand) => {
        const kind = this.kinds.get(job.kind);
        if (kind && !kind.canRead(job.cursor)) return unreadable(job, now);
        const isPastReturn = kind?.isPastReturn(job.cursor, job.intent) ?? true;
        return expire(job, isPastReturn, inHand > 1, now);
      },
      { text: 'The worker was lost' },
    );
    const overdue = await this.rows.moveOverdue(atDeadline);
    return { returned, overdue };
  }
}
