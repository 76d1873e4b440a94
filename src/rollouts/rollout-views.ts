import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { waveRules } from './rollout-policy.js';
import { NO_TARGETS, size, sum, type Counts, type TargetState, type WaveState } from './rollout-state.js';
import { type Rollout } from './rollout.entity.js';

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

/** Rollouts as people see them. Numbers of one answer are of one instant: each comes from one statement. */
@Injectable()
export class RolloutViews {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

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
