import { Inject, Injectable } from '@nestjs/common';
import { type Sweeper } from '../platform/sweeper.js';
import { JobRows } from './job-rows.js';
import { atDeadline, expire } from './job-state.js';

/**
 * Brings back the jobs of workers that are gone, and ends those that waited past their deadline. A job whose effect
 * was sent goes on with a probe: that is in its row, and the runner sees it there.
 */
@Injectable()
export class ExpiredLeasesSweeper implements Sweeper {
  readonly name = 'expired-leases';
  readonly everyMs = 1_000;

  constructor(@Inject(JobRows) private readonly rows: JobRows) {}

  async sweep(): Promise<Record<string, number>> {
    const returned = await this.rows.moveExpired(expire, { text: 'The worker was lost; another one goes on' });
    const overdue = await this.rows.moveOverdue(atDeadline);
    return { returned, overdue };
  }
}
