import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CallerScans } from '../../auth/limits/caller-scans.js';
import { type Reader } from '../../auth/access/shown-selector.js';
import { Clock } from '../../platform/clock.js';
import { RolloutViews } from '../state/rollout-views.js';
import { Rollout } from '../state/rollout.entity.js';
import { liveView } from '../state/rollouts.contract.js';

/** Time between two reads of the rows, which all processes share. */
const POLL_EVERY_MS = 1_000;

/** The longest silence of a stream, so that no proxy takes the connection for dead. */
const SILENCE_MS = 15_000;

/** Live state of a rollout, as a stream. */
@Injectable()
export class RolloutLive implements OnModuleDestroy {
  private readonly closing = new AbortController();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(RolloutViews) private readonly views: RolloutViews,
    @Inject(CallerScans) private readonly scans: Pick<CallerScans, 'page'>,
  ) {}

  /**
   * Server-sent events from the present state until the rollout has ended or is removed, or the reader disconnects.
   * @param gone when the reader has left
   */
  async *events(rolloutId: string, reader: Reader, gone: AbortSignal): AsyncGenerator<string> {
    let last = '';
    let sentAt = 0;
    while (!this.closing.signal.aborted) {
      const rollout = await this.db.manager.findOneBy(Rollout, { id: rolloutId });
      if (!rollout) return;
      const view = await this.scans.page(reader, () => this.views.withWaves(rollout, reader), gone);
      const data = JSON.stringify(liveView.parse(view));
      const now = this.clock.now().getTime();
      if (data !== last) yield `event: rollout\ndata: ${data}\n\n`;
      else if (now - sentAt >= SILENCE_MS) yield ': still here\n\n';
      if (data !== last || now - sentAt >= SILENCE_MS) sentAt = now;
      last = data;
      if (rollout.state === 'finished' || rollout.state === 'aborted') return;
      await this.clock.sleep(POLL_EVERY_MS, this.closing.signal);
    }
  }

  /** Streams end here, so that the listener can close. */
  onModuleDestroy(): void {
    this.closing.abort();
  }
}
