import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Reader } from '../../devices/saved-selectors/shown-selector.js';
import { Clock } from '../../platform/clock.js';
import { RolloutViews } from '../state/rollout-views.js';
import { Rollout } from '../state/rollout.entity.js';
import { liveView } from '../state/rollouts.contract.js';

/** Between two looks at the rows; they are what all processes share. */
const LOOK_EVERY_MS = 1_000;

/** Something is sent at least so often, so that nobody on the way takes the connection for dead. */
const SILENCE_MS = 15_000;

/** A rollout as it goes, for those who watch. */
@Injectable()
export class RolloutLive implements OnModuleDestroy {
  private readonly closing = new AbortController();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(RolloutViews) private readonly views: RolloutViews,
  ) {}

  /** Server-sent events, from how it stands now until it has ended or is gone. Whoever stops reading ends them. */
  async *events(rolloutId: string, reader: Reader): AsyncGenerator<string> {
    let last = '';
    let sentAt = 0;
    while (!this.closing.signal.aborted) {
      const rollout = await this.db.manager.findOneBy(Rollout, { id: rolloutId });
      if (!rollout) return;
      const data = JSON.stringify(liveView.parse(await this.views.withWaves(rollout, reader)));
      const now = this.clock.now().getTime();
      if (data !== last) yield `event: rollout\ndata: ${data}\n\n`;
      else if (now - sentAt >= SILENCE_MS) yield ': still here\n\n';
      if (data !== last || now - sentAt >= SILENCE_MS) sentAt = now;
      last = data;
      if (rollout.state === 'finished' || rollout.state === 'aborted') return;
      await this.clock.sleep(LOOK_EVERY_MS, this.closing.signal);
    }
  }

  /** Those who watch are let go, so that the listener can close. */
  onModuleDestroy(): void {
    this.closing.abort();
  }
}
