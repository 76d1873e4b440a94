import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Rights } from '../auth/rights.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { cutPage, decodeCursor, type Page, type PageQuery } from '../platform/page.js';
import { waveRules } from './rollout-policy.js';
import { inSight } from './rollout-rows.js';
import {
  NO_TARGETS,
  size,
  sum,
  type Counts,
  type RolloutState,
  type TargetState,
  type WaveState,
} from './rollout-state.js';
import { Rollout } from './rollout.entity.js';

/** A wave with its numbers. */
export interface WaveLine {
  readonly ordinal: number;
  readonly state: WaveState;
  readonly promoted: boolean;
  readonly soakUntil: Date | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly counts: Counts;
}

/** A target as its list shows it. */
export interface TargetLine {
  readonly deviceId: string;
  readonly position: number;
  readonly wave: number;
}

export interface RolloutFilter extends PageQuery {
  readonly state?: RolloutState | undefined;
}

export interface TargetFilter extends PageQuery {
  readonly state?: TargetState | undefined;
  readonly wave?: number | undefined;
}

const TARGET_COLUMNS = `
  device_id as "deviceId", device_name as "deviceName", wave, position, state, reason, wake_at as "wakeAt", tries,
  job_id as "jobId", began_at as "beganAt", ended_at as "endedAt"`;

/** Rollouts as people see them. Numbers of one answer are of one instant: each comes from one statement. */
@Injectable()
export class RolloutViews {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws AppError `rollout_not_found` */
  async get(rolloutId: string): Promise<Rollout> {
    const rollout = await this.db.manager.findOneBy(Rollout, { id: rolloutId });
    if (!rollout) throw new AppError('rollout_not_found');
    return rollout;
  }

  /** Newest first. @throws AppError `invalid_cursor` */
  async list(filter: RolloutFilter): Promise<Page<Rollout>> {
    const rows = this.db.manager
      .createQueryBuilder(Rollout, 'rollout')
      .orderBy('rollout.created_at', 'DESC')
      .addOrderBy('rollout.id', 'DESC');
    if (filter.state) rows.andWhere('rollout.state = :state', { state: filter.state });
    if (filter.cursor) {
      const [at, id] = decodeCursor('rollouts', filter.cursor, z.tuple([z.iso.datetime(), z.uuid()]));
      rows.andWhere('(rollout.created_at, rollout.id) < (:at, :id)', { at, id });
    }
    const found = await rows.limit(filter.limit + 1).getMany();
    return cutPage('rollouts', found, filter.limit, (rollout) => [rollout.createdAt.toISOString(), rollout.id]);
  }

  /**
   * Wave by wave, in the order in which they are taken; those in sight.
   * @throws AppError `rollout_not_found`, `invalid_cursor`
   */
  async targets(rolloutId: string, filter: TargetFilter, rights: Rights): Promise<Page<TargetLine>> {
    await this.get(rolloutId);
    const after = filter.cursor
      ? decodeCursor(
          `targets ${rolloutId}`,
          filter.cursor,
          z.tuple([z.string().regex(/^\d{1,9}$/), z.string().regex(/^\d{1,9}$/), z.uuid()]),
        )
      : [null, null, null];
    const values: unknown[] = [rolloutId, filter.state ?? null, filter.wave ?? null, ...after, filter.limit + 1];
    const seen = inSight(rights, 'device_id', values, this.clock.now());
    const rows = await this.db.query<TargetLine[]>(
      `select ${TARGET_COLUMNS} from rollout_target
        where rollout_id = $1 and ($2::text is null or state = $2) and ($3::int is null or wave = $3)
          and ($4::int is null or (wave, position, device_id) > ($4::int, $5::int, $6::uuid)) and ${seen}
        order by wave, position, device_id limit $7`,
      values,
    );
    return cutPage(`targets ${rolloutId}`, rows, filter.limit, (row) => [
      String(row.wave),
      String(row.position),
      row.deviceId,
    ]);
  }

  /** With its numbers. */
  async one(rollout: Rollout) {
    return (await this.many([rollout]))[0]!;
  }

  async many(rollouts: readonly Rollout[]) {
    const rows = await this.db.query<{ id: string; state: TargetState; count: number }[]>(
      `select rollout_id as id, state, count(*)::int as count from rollout_target
        where rollout_id = any ($1::uuid[]) group by rollout_id, state`,
      [rollouts.map(({ id }) => id)],
    );
    return rollouts.map((rollout) => {
      const counts: Record<TargetState, number> = { ...NO_TARGETS };
      for (const { id, state, count } of rows) if (id === rollout.id) counts[state] = count;
      return viewOf(rollout, counts);
    });
  }

  /** With its numbers, wave by wave. */
  async withWaves(rollout: Rollout) {
    const rows = await this.db.query<(Omit<WaveLine, 'counts'> & { counts: Partial<Counts> })[]>(
      `select wave.ordinal, wave.state, wave.promoted, wave.soak_until as "soakUntil", wave.started_at as "startedAt",
              wave.ended_at as "endedAt", coalesce(counted.counts, '{}') as counts
         from rollout_wave wave
         left join (select wave, jsonb_object_agg(state, count) as counts
                      from (select wave, state, count(*)::int as count from rollout_target
                             where rollout_id = $1 group by wave, state) as by_state
                     group by wave) as counted on counted.wave = wave.ordinal
        where wave.rollout_id = $1 order by wave.ordinal`,
      [rollout.id],
    );
    const waves = rows.map((row) => {
      const { name, gate } = waveRules(rollout.policy, row.ordinal);
      return { ...row, name: name ?? `wave ${row.ordinal + 1}`, gate, counts: { ...NO_TARGETS, ...row.counts } };
    });
    return { ...viewOf(rollout, sum(waves.map(({ counts }) => counts))), waves };
  }
}

function viewOf(rollout: Rollout, counts: Counts) {
  const { pauseCause, pauseSentence } = rollout;
  const pause = pauseCause === null ? null : { cause: pauseCause, sentence: pauseSentence ?? '' };
  return { ...rollout, pause, counts, total: size(counts) };
}
