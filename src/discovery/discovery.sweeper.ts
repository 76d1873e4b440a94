import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Locks } from '../auth/access/locks.service.js';
import { Authors } from '../auth/keys/authors.service.js';
import { Clock } from '../platform/clock.js';
import { WorkMarks } from '../platform/database/work-marks.js';
import { AppError } from '../platform/errors.js';
import { errorFields } from '../platform/log.js';
import { LOG } from '../platform/platform.module.js';
import { type Sweeper } from '../platform/sweeper.js';
import { AddressProbe } from '../proxy/probes/address-probe.js';
import { type DiscoveryRun } from './discovery.entity.js';
import { DiscoveryRows } from './discovery-rows.js';
import { NetworkSearch } from './network-search.js';

/**
 * Runs searches, one at a time in each worker. A pass only starts one: the run goes on beside the passes, under a mark, so
 * that no other process takes it, and so that a run which ends its processes is quarantined (ADR 22).
 */
@Injectable()
export class DiscoverySweeper implements Sweeper, BeforeApplicationShutdown {
  readonly name = 'discovery';
  readonly everyMs = 2_000;
  readonly isForWorkers = true;
  private wake: () => void = () => undefined;
  private running: Promise<void> | null = null;
  private search: NetworkSearch | null = null;
  private isStopping = false;

  constructor(
    @Inject(DiscoveryRows) private readonly rows: DiscoveryRows,
    @Inject(AddressProbe) private readonly probe: AddressProbe,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(Authors) private readonly authors: Pick<Authors, 'find'>,
    @Inject(Locks) private readonly locks: Pick<Locks, 'lockOfAuthor'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onWork(wake: () => void): void {
    this.wake = wake;
  }

  /** There is a new run. */
  startSoon(): void {
    this.wake();
  }

  /** Hands the run back: another process goes on with it. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.search?.stop();
    await this.running;
  }

  async sweep(): Promise<Record<string, number>> {
    const removed = await this.rows.removeOld();
    const open = this.running || this.isStopping ? [] : await this.rows.open();
    if (open.length === 0) return { removed, started: 0 };
    this.running = this.runFirst(open).finally(() => {
      this.running = null;
      this.wake(); // the next one waits
    });
    return { removed, started: 1 };
  }

  /** The first one that no other process has. */
  private async runFirst(ids: readonly string[]): Promise<void> {
    let hasRun = false;
    for (const id of ids) {
      if (hasRun || this.isStopping) return;
      const work = async () => {
        hasRun = await this.execute(id);
      };
      await this.marks
        .during('discovery', [id], work, (guilty) => this.rows.quarantine(guilty))
        .catch((error: unknown) => this.log.warn(errorFields(error), 'A search failed; it will go on'));
    }
  }

  /** @returns whether this process worked on it */
  private async execute(id: string): Promise<boolean> {
    const run = await this.rows.claim(id);
    if (!run) return false;
    const { rows, probe, clock } = this;
    this.search = new NetworkSearch(run, { rows, probe, clock, mayContinue: (one) => this.mayContinue(one) });
    if (this.isStopping) this.search.stop();
    if (!(await this.mayContinue(run))) this.search.stop('not_allowed');
    try {
      const end = await this.search.search();
      if (end === 'finished') await rows.endOwn(run, 'finished');
      if (end === 'not_allowed') await rows.endOwn(run, 'failed', 'starter_may_not');
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'secret_unreadable')) throw error;
      await rows.endOwn(run, 'failed', 'secret_unreadable');
    } finally {
      this.search = null;
    }
    return true;
  }

  /** A run uses the present rights of its starter, who may be locked. */
  private async mayContinue(run: DiscoveryRun): Promise<boolean> {
    const author = await this.authors.find(run);
    if (!author || this.locks.lockOfAuthor(author)) return false;
    return author.rights.allows({ action: 'discovery.manage' });
  }
}
