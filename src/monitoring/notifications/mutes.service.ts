import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { mapConstraintErrors } from '../../database/constraints.js';
import { requireRoom } from '../../database/row-limits.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { authorFields } from '../../recurring/recurring.js';
import { Mute } from './mute.entity.js';
import { type MuteInput } from './mutes.contract.js';

/** A longer silence is forgotten: a rule that is not wanted is disabled. */
const LASTS_MAX_MS = 30 * 86_400_000;

/** Mutes, as operators see and set them. A mute names the devices that its author may see. It is removed and set again, not changed. */
@Injectable()
export class Mutes {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
  ) {}

  /** Those in force, the first to end first. */
  list(): Promise<Mute[]> {
    return this.db.manager.find(Mute, {
      where: { until: MoreThan(this.clock.now()) },
      order: { until: 'asc', id: 'asc' },
    });
  }

  /** @throws AppError `invalid_selector`, `alert_rule_not_found`, `too_many_saved`, `invalid_input` for an end that is past or too far */
  async create(input: MuteInput, actor: Principal): Promise<Mute> {
    await this.selectors.read(input.selector, actor.rights);
    const now = this.clock.now();
    const lastsMs = input.until.getTime() - now.getTime();
    if (lastsMs <= 0 || lastsMs > LASTS_MAX_MS)
      throw new AppError('invalid_input', {
        errors: [{ pointer: '/body/until', detail: 'must be in the future, and at most 30 days ahead' }],
      });
    const { selector, ruleId, until, reason } = input;
    return mapConstraintErrors({ mute_is_of_a_rule: ['alert_rule_not_found'] }, () =>
      this.db.transaction(async (tx) => {
        await requireRoom(tx, 'mute', 'until > $1', [now]);
        const mute = await tx.save(Mute, { id: randomUUID(), ...input, ...authorFields(actor), createdAt: now });
        const facts = { selector, ruleId, until, reason };
        await this.audit.record(tx, { actor, action: 'mute.create', subject: `mute:${mute.id}`, facts });
        return mute;
      }),
    );
  }

  /** @throws AppError `mute_not_found` */
  async remove(id: string, actor: Principal): Promise<void> {
    await this.db.transaction(async (tx) => {
      const found = await tx.findOneBy(Mute, { id });
      if (!found) throw new AppError('mute_not_found');
      await tx.delete(Mute, id);
      const facts = { selector: found.selector, ruleId: found.ruleId };
      await this.audit.record(tx, { actor, action: 'mute.remove', subject: `mute:${id}`, facts });
    });
  }
}
