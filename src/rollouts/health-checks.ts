import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PATHS } from '../device-api/contract.js';
import { systemActor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { toAppError } from '../platform/problem.js';
import { DeviceCalls } from '../proxy/device-calls.js';
import { matches } from './matching.js';
import { type HealthCheck } from './rollout-policy.js';
import { Rollout } from './rollout.entity.js';

/*
 * After the soak every succeeded device of a wave is looked at. One that does not hold what the policy asks for has
 * failed after all, and counts as such. Looks are reads, so that two processes may look at the same device; the rows are
 * written afterwards, a batch at a time.
 */

const ACTOR = systemActor('rollouts');

/** Devices looked at between two writes, and at once. */
const BATCH = 50;

/** A device that reboots in the soak's last minute gets another chance: looks before it counts as failed. */
const LOOKS = 3;
const LOOK_AGAIN_MS = 5_000;

@Injectable()
export class HealthChecks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
  ) {}

  /** Looks at the next devices of a wave whose soak has ended. */
  async run(rolloutId: string, wave: number): Promise<void> {
    const rollout = await this.db.manager.findOneByOrFail(Rollout, { id: rolloutId });
    const targets = await this.db.query<{ deviceId: string }[]>(
      `select target.device_id as "deviceId" from rollout_target target
         join rollout_wave wave on wave.rollout_id = target.rollout_id and wave.ordinal = target.wave
        where target.rollout_id = $1 and target.wave = $2 and target.state = 'succeeded'
          and (target.checked_at is null or target.checked_at < wave.soak_until)
        order by target.position limit ${BATCH}`,
      [rolloutId, wave],
    );
    const found = await Promise.all(
      targets.map(async ({ deviceId }) => ({ deviceId, fault: await this.faultOf(deviceId, rollout.policy.checks) })),
    );
    await this.db.query(
      `update rollout_target target set checked_at = $2, changed_at = $2,
         state = case when item.fault is null then target.state else 'failed' end,
         reason = coalesce(item.fault, target.reason)
       from unnest($3::uuid[], $4::text[]) as item (device_id, fault)
       where target.rollout_id = $1 and target.device_id = item.device_id and target.state = 'succeeded'`,
      [rolloutId, this.clock.now(), found.map(({ deviceId }) => deviceId), found.map(({ fault }) => fault)],
    );
  }

  /** What is wrong with a device, as a reason; null when all checks hold. */
  private async faultOf(deviceId: string, checks: readonly HealthCheck[]): Promise<string | null> {
    for (const check of checks) {
      let fault = await this.look(deviceId, check);
      for (let looks = 1; fault !== null && looks < LOOKS; looks++) {
        await this.clock.sleep(LOOK_AGAIN_MS);
        fault = await this.look(deviceId, check);
      }
      if (fault !== null) return fault;
    }
    return null;
  }

  private async look(deviceId: string, check: HealthCheck): Promise<string | null> {
    const path = check.check === 'call' ? check.path : PATHS.systemStatus;
    try {
      const { body } = await this.calls.call(deviceId, { method: 'GET', path }, { actor: ACTOR });
      const { data } = body as { data: unknown };
      if (check.check === 'firmware') {
        return matches(data, { static: { fw_version: check.is } }) ? null : 'health_firmware';
      }
      return check.check === 'call' && !matches(data, check.match) ? 'health_answer' : null;
    } catch (error) {
      const { code } = toAppError(error);
      return `health_${code}`;
    }
  }
}
