import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Authors } from '../../auth/keys/authors.service.js';
import { ADVISORY_LOCK, tryLock } from '../../database/advisory-locks.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError, isLockTimeout } from '../../platform/errors.js';
import { eachRow, type Sweeper } from '../../platform/sweeper.js';
import { isOfOffline, sampleColumnsOf } from '../../selectors/selector-expansion.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { alertPassSql, timesAgainSql } from './alert-pass.js';
import { AlertRule } from './alert-rule.entity.js';

/*
 * Judges all devices by all rules. A rule sees the devices that its author may see now. One process judges at a time: two would
 * only wait for each other's rows. A rule that cannot be read says why, and its alerts stay as they are.
 */

/** A longer time without a pass is a break: the times of alerts begin again, as after a clock that was set back. Passes come each 10 s. */
const BREAK_MS = 300_000;

/** How long a closed alert is listed. */
const CLOSED_KEPT_DAYS = 30;

/**
 * A pass that waits for longer gives up, and comes again: it locks alerts before devices, and a removal of devices locks them the
 * other way. Less than the second after which Postgres would end one of the two.
 */
const LOCK_WITHIN = '500ms';

@Injectable()
export class AlertSweeper implements Sweeper {
  readonly name = 'alerts';
  readonly isLeftToWorker = true;
  readonly everyMs = 10_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Authors) private readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'STATUS_EVERY_SECONDS'>,
  ) {}

  /** @returns how many rules it judged, and how many alerts it opened and closed */
  async sweep(): Promise<Record<string, number>> {
    const sum = { judged: 0, opened: 0, closed: 0 };
    const rules = await this.db.manager.find(AlertRule, { where: { enabled: true }, order: { id: 'asc' } });
    await this.db.query(
      `delete from alert where state = 'closed' and closed_at < $1::timestamptz - ${CLOSED_KEPT_DAYS} * interval '1 day'`,
      [this.clock.now()],
    );
    const byId = new Map(rules.map((rule) => [rule.id, rule]));
    await eachRow([...byId.keys()], async (id) => {
      const rule = byId.get(id)!;
      const result = await this.judge(rule).catch((error: unknown) => {
        if (error instanceof AppError) return error;
        if (isLockTimeout(error)) return null;
        throw error;
      });
      if (result === null) return;
      await this.noteError(rule, result instanceof AppError ? result.code : null);
      if (result instanceof AppError) return;
      sum.judged++;
      sum.opened += result.opened;
      sum.closed += result.closed;
    });
    return sum;
  }

  /** @returns null when another process judges it, a person changed it, or its rows are locked @throws AppError `author_gone`, `invalid_selector` */
  private async judge(rule: AlertRule): Promise<{ opened: number; closed: number } | null> {
    const rights = await this.authors.rightsOf(rule);
    if (!rights) throw new AppError('author_gone');
    const now = this.clock.now();
    const values: unknown[] = [];
    const read = (text: string) => this.selectors.read(text, rights);
    const trees = await Promise.all([rule.selector, ...(rule.clearSelector ? [rule.clearSelector] : [])].map(read));
    const [matches, clears] = trees.map((tree) => selectorSql(tree, values, now, rights));
    const statement = alertPassSql({
      matches: matches!,
      clears: clears ?? null,
      scope: rights.sql('device.read', values, now),
      columns: sampleColumnsOf(...trees),
      clearColumns: sampleColumnsOf(...trees.slice(1)),
      rule: `$${values.push(rule.id)}::uuid`,
      now: `$${values.push(now)}::timestamptz`,
      forSeconds: rule.forSeconds,
      clearAfterSeconds: rule.clearAfterSeconds,
      checkSeconds: isOfOffline(trees[0]!) ? this.config.STATUS_EVERY_SECONDS : null,
    });
    return this.db.transaction(async (tx) => {
      if (!(await tryLock(tx, ADVISORY_LOCK.alertPass))) return null;
      await tx.query(`set local lock_timeout = '${LOCK_WITHIN}'`);
      if (!(await this.begin(tx, rule, now))) return null;
      const [counts] = await tx.query<[{ opened: number; closed: number }]>(statement, values);
      return counts;
    });
  }

  /** @returns false when another process judged it just now, or a person changed it: a disabled rule opens nothing */
  private async begin(tx: EntityManager, { id, version }: AlertRule, now: Date): Promise<boolean> {
    const [judged] = await tx.query<[{ before: Date | null }[], number]>(
      `with known as (select id, judged_at from alert_rule
           where id = $1 and version = $2 and enabled
             and (judged_at is null or abs(extract(epoch from $3::timestamptz - judged_at)) >= ${this.everyMs / 2_000}) for no key update)
       update alert_rule set judged_at = $3 from known where alert_rule.id = known.id returning known.judged_at as before`,
      [id, version, now],
    );
    const [row] = judged;
    if (row && row.before !== null && Math.abs(now.getTime() - row.before.getTime()) > BREAK_MS)
      await tx.query(timesAgainSql('$1::uuid', '$2::timestamptz'), [id, now]);
    return row !== undefined;
  }

  private async noteError(rule: AlertRule, code: string | null): Promise<void> {
    if (rule.lastError === code) return;
    await this.db.query('update alert_rule set last_error = $2 where id = $1', [rule.id, code]);
  }
}
