import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig, VERSION } from '../platform/config.js';
import { Readiness } from '../http/readiness.js';
import { standardOutput } from '../platform/output/standard-output.js';
import { type Sweeper, SweeperRunner } from '../platform/sweeper.js';
import { ReachabilityWatch } from '../proxy/connections/reachability-watch.js';
import { causeWarnings, logWarnings, settingWarnings, type Warning } from './warnings.js';

/** A process that did not write for this long has died, or cannot reach the database. */
export const ALIVE_MS = 45_000;

/** How long the row of a dead process stays, so that people see that it was there. */
const REMEMBERED_MS = 86_400_000;

/** Entries of the audit that wait for this long should have a checkpoint. */
const SIGNED_WITHIN_MS = 300_000;

/**
 * Describes this process in the database, so that each process can tell about all, and stores the warnings of the
 * installation. A new warning makes an event.
 */
@Injectable()
export class Processes implements Sweeper, OnModuleDestroy {
  readonly name = 'processes';
  readonly everyMs = 15_000;

  private readonly id = randomUUID();
  private readonly startedAt: Date;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(Readiness) private readonly readiness: Readiness,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
    @Inject(ReachabilityWatch) private readonly reachability: Pick<ReachabilityWatch, 'isDoubting'>,
  ) {
    this.startedAt = clock.now();
  }

  async sweep(): Promise<Record<string, number>> {
    await this.describe();
    const now = this.clock.now();
    const [, forgotten] = await this.db.query<[unknown[], number]>('delete from gateway_process where alive_at < $1', [
      new Date(now.getTime() - REMEMBERED_MS),
    ]);
    return { forgotten, warnings: await this.warn(now) };
  }

  /** A process that stops is not one that died. */
  async onModuleDestroy(): Promise<void> {
    await this.db.query('delete from gateway_process where id = $1', [this.id]).catch(() => undefined);
  }

  /** Writes the row of this process. */
  async describe(): Promise<void> {
    const now = this.clock.now();
    await this.db.query(
      `insert into gateway_process (id, role, host, version, node, checks, sweepers, warnings, started_at, alive_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (id) do update set checks = excluded.checks, sweepers = excluded.sweepers,
              warnings = excluded.warnings, alive_at = excluded.alive_at`,
      [
        this.id,
        this.config.ROLE,
        hostname(),
        VERSION,
        process.version,
        JSON.stringify(await this.readiness.check()),
        JSON.stringify(Object.fromEntries(this.sweepers.lastPasses)),
        [
          ...settingWarnings(this.config, process.version, now),
          ...causeWarnings(this.readiness.causes, this.config.REDIS_URL !== undefined),
          ...(this.reachability.isDoubting ? (['many_devices_away'] as const) : []),
          ...logWarnings(standardOutput(1).losses.lastMs, performance.now()),
        ],
        this.startedAt,
        now,
      ],
    );
  }

  /** Stores the warnings of all live processes and of the database. @returns how many are new */
  private async warn(now: Date): Promise<number> {
    const all = [...(await this.liveWarnings(now)), ...(await this.databaseWarnings(now))];
    const codes = [...new Set(all)].sort();
    await this.db.query('delete from system_warning where code <> all($1::text[])', [codes]);
    const added = await this.db.query<unknown[]>(
      `insert into system_warning (code, since) select code, $2 from unnest($1::text[]) as code
       on conflict (code) do nothing returning code`,
      [codes, now],
    );
    return added.length;
  }

  private async liveWarnings(now: Date): Promise<string[]> {
    const rows = await this.db.query<{ code: string }[]>(
      'select distinct unnest(warnings) as code from gateway_process where alive_at >= $1',
      [new Date(now.getTime() - ALIVE_MS)],
    );
    return rows.map(({ code }) => code);
  }

  private async databaseWarnings(now: Date): Promise<Warning[]> {
    const { FLEETGATE_KEY: key, TRANSIT_URL: transit } = this.config;
    const isOwnFile = key === undefined && transit === undefined;
    const [row] = await this.db.query<[Record<Warning, boolean>]>(
      `select $1 and exists (select from data_key where root_key_id not in (select root_key_id from root_key_copy))
                as root_key_without_copy,
              not exists (select from gateway_process where role <> 'api' and alive_at >= $2) as no_worker,
              exists (select from audit_entry
                       where opened_at < $3 and opened_at > coalesce((select max(signed_at) from audit_checkpoint), '-infinity'))
                as audit_not_signed,
              exists (select from device where claimed_serial is not null) or exists (select from device where claimed_mac is not null)
                as identity_conflict`,
      [isOwnFile, new Date(now.getTime() - ALIVE_MS), new Date(now.getTime() - SIGNED_WITHIN_MS)],
    );
    return (Object.keys(row) as Warning[]).filter((warning) => row[warning]);
  }
}
