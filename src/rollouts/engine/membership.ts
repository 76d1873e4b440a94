import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Authors } from '../../auth/keys/authors.service.js';
import { NO_RIGHTS } from '../../auth/rights/rights.js';
import { FleetService } from '../../devices/fleet-files/fleet.service.js';
import { Clock } from '../../platform/clock.js';
import { authoredRowOf } from './rollout-rights.js';
import { Rollout } from '../state/rollout.entity.js';
import { columnsOf } from '../../database/columns-of.js';

/** How often a rollout with the membership `following` evaluates its selector. */
const UPDATE_EVERY_MS = 60_000;

/**
 * Which devices take part. With the membership `frozen` a rollout has the devices of its plan. With `following` it adds
 * newly matching devices to its last wave. It skips those that have not started and no longer match, have no account, or
 * may no longer get the job from its author. A device never takes part twice.
 */
@Injectable()
export class Membership {
  constructor(
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Compares the targets with the selector, when it is due. */
  async update(tx: EntityManager, rollout: Rollout): Promise<void> {
    const now = this.clock.now();
    if (rollout.policy.membership !== 'following') return;
    if (rollout.followedAt && now.getTime() - rollout.followedAt.getTime() < UPDATE_EVERY_MS) return;
    const rights = (await this.authors.rightsOf(await authoredRowOf(tx, rollout))) ?? NO_RIGHTS;
    const named = await this.fleet.members(rollout.selector, rights, [{ action: 'job.start' }]);
    const members = named.filter(({ hasAccount, isAllowed }) => hasAccount && isAllowed);
    await tx.query(
      `insert into rollout_target (rollout_id, device_id, device_name, wave, position, state, wake_at, changed_at)
       select $1, item.id, item.name, last.wave, last.position + row_number() over (), 'waiting', $2, $2
         from unnest($3::uuid[], $4::text[]) as item (id, name),
              (select max(wave.ordinal) as wave, coalesce(max(target.position), 0) as position
                 from rollout_wave wave left join rollout_target target
                   on target.rollout_id = wave.rollout_id and target.wave = wave.ordinal
                where wave.rollout_id = $1) as last
       on conflict do nothing`,
      [rollout.id, now, ...columnsOf(members, 'id', 'name')],
    );
    await tx.query(
      `update rollout_target set state = 'skipped', reason = 'left_selector', ended_at = $2, changed_at = $2
        where rollout_id = $1 and state in ('waiting', 'offline') and device_id <> all ($3::uuid[])`,
      [rollout.id, now, members.map(({ id }) => id)],
    );
    rollout.followedAt = now;
    await tx.update(Rollout, { id: rollout.id }, { followedAt: now });
  }
}
