import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { SetupService } from '../../auth/keys/setup.service.js';
import { type Rights } from '../../auth/rights/rights.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { AuthoredService } from '../../recurring/authored.service.js';
import { AlertRule } from './alert-rule.entity.js';
import { type RuleInput } from './alerts.contract.js';
import { SHIPPED_RULES } from './shipped-rules.js';

/**
 * Rules of alerts, as operators see and change them. A rule only reads what the gateway knows, as its author may see it, so an
 * author with a narrowed key may make one.
 */
@Injectable()
export class AlertRules extends AuthoredService<AlertRule, RuleInput> {
  constructor(
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(SetupService) setup: Pick<SetupService, 'onFinish'>,
  ) {
    super('alert_rule', AlertRule);
    setup.onFinish(async (tx, author) => {
      for (const rule of SHIPPED_RULES) await this.write(tx, rule, null, author);
    });
  }

  /** How many alerts of each rule are open, of devices that the reader may see. */
  async openOf(rights: Rights): Promise<ReadonlyMap<string, number>> {
    const values: unknown[] = [];
    const scope = rights.sql('device.read', values, this.clock.now());
    const rows = await this.db.query<{ id: string; open: number }[]>(
      `select rule_id as id, count(*)::int as open from alert join device on device.id = alert.device_id
        where alert.state = 'open' and ${scope} group by rule_id`,
      values,
    );
    return new Map(rows.map(({ id, open }) => [id, open]));
  }

  /** @throws AppError `invalid_selector` */
  protected async requireAuthor({ selector, clearSelector }: RuleInput, actor: Principal): Promise<void> {
    await this.selectors.read(selector, actor.rights);
    if (clearSelector !== null) await this.selectors.read(clearSelector, actor.rights);
  }

  protected fieldsOf(input: RuleInput) {
    return { ...input, lastError: null };
  }

  protected factsOf(rule: AlertRule) {
    const { selector, forSeconds, clearAfterSeconds, clearSelector, severity, enabled } = rule;
    return { selector, forSeconds, clearAfterSeconds, clearSelector, severity, enabled };
  }

  /** A rule that judges nothing any more has no open alert, and receivers of events are told so. */
  protected override async afterChange(tx: EntityManager, change: string, { id, enabled }: AlertRule): Promise<void> {
    if (change !== 'remove' && enabled) return;
    await tx.query(`delete from alert where rule_id = $1 and state = 'pending'`, [id]);
    await tx.query(
      `update alert set state = 'closed', closed_at = $2 where id in (
         select id from alert where rule_id = $1 and state = 'open' order by device_id for no key update)`,
      [id, this.clock.now()],
    );
  }
}
