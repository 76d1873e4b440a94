import { setMaxListeners } from 'node:events';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { errorFields, LOG } from '../../platform/log.js';
import { WorkMarks } from '../../database/work-marks.js';
import { CheckRunner, CheckNotRun } from './check-runner.js';
import { Rollout } from '../state/rollout.entity.js';
import { columnsOf } from '../../database/columns-of.js';

/*
 * Checks the succeeded devices of a wave after its soak. A device that succeeds after the wave has passed, because it
 * was offline, is not checked. A device that does not pass the checks of the policy counts as failed. Checks are reads,
 * so two processes may check the same device; the rows are written afterwards, in batches. The checks of a rollout run
 * beside the sweep, so a device that does not answer delays only its own rollout. A device that could not be checked is
 * checked again, and the soak waits for it; its target has the reason.
 */

/** Devices that are checked at once, between two writes. */
const BATCH = 50;

/** A device may still reboot at the end of the soak: it counts as failed only after this number of checks. */
const ATTEMPTS = 3;
const RECHECK_MS = 5_000;

@Injectable()
export class HealthChecks implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  /** Rollouts whose devices this process checks now. */
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CheckRunner) private readonly runner: CheckRunner,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(LOG) private readonly log: Logger,
  ) {
    setMaxListeners(0, this.stopping.signal); // each check listens to it
  }

  /**
   * Starts to check the next devices of a wave whose soak has ended, unless this process already checks some.
   * @param quarantine stops a rollout whose checks crash processes
   */
  start(rolloutId: string, wave: number, quarantine: (rolloutId: string) => Promise<void>): void {
    if (this.running.has(rolloutId) || this.stopping.signal.aborted) return;
    const run = this.marks
      .during('health_check', [rolloutId], () => this.run(rolloutId, wave), quarantine)
      .catch((error: unknown) =>
        this.log.warn({ rolloutId, ...errorFields(error) }, 'Health checks failed; the next sweep starts them again'),
      )
      .finally(() => this.running.delete(rolloutId));
    this.running.set(rolloutId, run);
  }

  /** Running checks end without a result: the next process checks again. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  private async run(rolloutId: string, wave: number): Promise<void> {
    const rollout = await this.db.manager.findOneByOrFail(Rollout, { id: rolloutId });
    const targets = await this.db.query<{ deviceId: string }[]>(
      `select target.device_id as "deviceId" from rollout_target target
         join rollout_wave wave on wave.rollout_id = target.rollout_id and wave.ordinal = target.wave
        where target.rollout_id = $1 and target.wave = $2 and target.state = 'succeeded'
          and (target.checked_at is null or target.checked_at < wave.soak_until)
        order by target.changed_at, target.position limit ${BATCH}`, // devices that could not be checked come last
      [rolloutId, wave],
    );
    const found = await Promise.all(
      targets.map(async ({ deviceId }) => ({ deviceId, ...(await this.checkDevice(deviceId, rollout)) })),
    );
    if (this.stopping.signal.aborted) return; // an interrupted check says nothing about the devices
    await this.db.query(
      `update rollout_target target set
         checked_at = case when item.obstacle is null then $2 else target.checked_at end, changed_at = $2,
         state = case when item.fault is null then target.state else 'failed' end,
         reason = coalesce(item.fault, item.obstacle)
       from unnest($3::uuid[], $4::text[], $5::text[]) as item (device_id, fault, obstacle)
       where target.rollout_id = $1 and target.device_id = item.device_id and target.state = 'succeeded'`,
      [rolloutId, this.clock.now(), ...columnsOf(found, 'deviceId', 'fault', 'obstacle')],
    );
    const obstacles = new Set(found.flatMap(({ obstacle }) => obstacle ?? []));
    if (obstacles.size === 0) return;
    this.log.warn({ rolloutId, reason: [...obstacles].join(' ') }, 'Health checks could not run; they will run later');
    await this.clock.sleep(RECHECK_MS, this.stopping.signal);
  }

  /** What is wrong with a device, or why the gateway could not check it. */
  private async checkDevice(
    deviceId: string,
    rollout: Rollout,
  ): Promise<{ fault: string | null; obstacle: string | null }> {
    try {
      return { fault: await this.faultOf(deviceId, rollout), obstacle: null };
    } catch (error) {
      if (!(error instanceof CheckNotRun)) throw error;
      return { fault: null, obstacle: error.code };
    }
  }

  /** What is wrong with a device, as a reason; null when all checks pass. */
  private async faultOf(deviceId: string, rollout: Rollout): Promise<string | null> {
    const { signal } = this.stopping;
    for (const check of rollout.policy.checks) {
      let fault = await this.runner.run(rollout, deviceId, check, signal);
      for (let attempt = 1; fault !== null && attempt < ATTEMPTS && !signal.aborted; attempt++) {
        await this.clock.sleep(RECHECK_MS, signal);
        fault = await this.runner.run(rollout, deviceId, check, signal);
      }
      if (fault !== null) return fault;
    }
    return null;
  }
}
