import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { ADVISORY_LOCK } from '../../database/advisory-locks.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { isDatabaseAway } from '../../platform/errors.js';
import { EventLoopTurns } from '../../platform/event-loop.js';
import { errorFields, LOG } from '../../platform/log.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type Published, TEMPLATE_TOPIC } from '../saved/template.entity.js';
import { DeviceStates } from './device-states.js';
import { type TemplateComparison } from './template-comparison.js';

/** Keeps the states of all devices for all templates, in batches. One process at a time makes a batch. */
@Injectable()
export class TemplateStateSweeper implements Sweeper {
  readonly name = 'template-states';
  readonly everyMs = 20_000;
  readonly isForWorkers = true;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DeviceStates) private readonly states: DeviceStates,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'on'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** What a person has published counts at once. */
  onWork(wake: () => void): void {
    this.notifications.on(TEMPLATE_TOPIC, wake);
  }

  /** @returns how many were compared again, and how many templates could not be compared */
  async sweep(): Promise<Record<string, number>> {
    const all = await this.states.published();
    let changed = 0;
    let failed = 0;
    for (const version of all) {
      try {
        changed += await this.keep(version, await this.states.comparison(version, all));
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        failed++; // the others are compared all the same
        this.log.warn({ template: version.name, ...errorFields(error) }, 'A template could not be compared');
      }
    }
    return { changed, failed };
  }

  private async keep({ templateId }: Published, comparison: TemplateComparison | null): Promise<number> {
    const changed = comparison ? await this.compareAll(comparison) : 0;
    await this.forget(templateId, comparison);
    return changed;
  }

  private async compareAll(comparison: TemplateComparison): Promise<number> {
    const turns = new EventLoopTurns();
    let changed = 0;
    let after: string | null = null;
    do {
      const done = await this.next(comparison, after);
      changed += done.changed;
      after = done.last;
      if (turns.isOver) await turns.next();
    } while (after !== null);
    return changed;
  }

  private next(comparison: TemplateComparison, after: string | null) {
    return this.db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.templateStates]);
      return this.states.batch(tx, comparison, after);
    });
  }

  /** Devices that it no longer reaches keep what they have; only what is known of them goes. */
  private async forget(templateId: string, comparison: TemplateComparison | null): Promise<void> {
    const { sql, values } = comparison ?? { sql: 'select id from device where false', values: [templateId] };
    await this.db.query(
      `delete from template_state where template_id = $1 and device_id not in (select id from (${sql}) reached)`,
      [...values],
    );
  }
}
