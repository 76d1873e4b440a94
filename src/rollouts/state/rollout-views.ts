import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { inSight } from '../../auth/rights/in-sight.js';
import { type Rights } from '../../auth/rights/rights.js';
import { type Reader, shownSelector } from '../../auth/access/shown-selector.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { cutPage, decodeCursor, type Page } from '../../http/page.js';
import { newestFirst } from '../../http/newest-first.js';
import { CheckSecrets } from './check-secrets.js';
import { waveRules } from './rollout-policy.js';
import { NO_TARGETS, PAUSE_WITHOUT_FACTS, totalCount, sum, type Counts, type TargetState } from './rollout-state.js';
import { Rollout } from './rollout.entity.js';
import { type ListRolloutsQuery, type ListTargetsQuery, type rolloutWithWavesView } from './rollouts.contract.js';

type WaveLine = Omit<z.input<typeof rolloutWithWavesView>['waves'][number], 'name' | 'gate'>;

export interface TargetLine {
  readonly deviceId: string;
  /** Order in a wave. Devices that are left out count from 0 on their own in the last wave. */
  readonly position: number;
  readonly wave: number;
}

const TARGET_COLUMNS = `
  device_id as "deviceId", device_name as "deviceName", wave, position, state, reason, wake_at as "wakeAt", tries,
  job_id as "jobId", began_at as "beganAt", ended_at as "endedAt"`;

/** Rollouts for callers: counts are of devices in their sight, and all numbers of one answer are of one instant. */
@Injectable()
export class RolloutViews {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CheckSecrets) private readonly secrets: CheckSecrets,
  ) {}

  /** @throws AppError `rollout_not_found` */
  async get(rolloutId: string): Promise<Rollout> {
    const rollout = await this.db.manager.findOneBy(Rollout, { id: rolloutId });
    if (!rollout) throw new AppError('rollout_not_found');
    return rollout;
  }

  /** Newest first. @throws AppError `invalid_cursor` */
  list(filter: ListRolloutsQuery): Promise<Page<Rollout>> {
    const rows = this.db.manager.createQueryBuilder(Rollout, 'rollout');
    if (filter.artifact) rows.where(`rollout.spec ->> 'artifactId' = :artifact`, { artifact: filter.artifact });
    if (filter.job) {
      rows.andWhere('rollout.id in (select rollout_id from rollout_target where job_id = :job)', { job: filter.job });
    }
    for (const column of ['name', 'createdByName'] as const) {
      const text = column === 'name' ? filter.name : filter.createdBy;
      if (text) rows.andWhere(`strpos(lower(rollout.${column}), lower(:${column})) > 0`, { [column]: text });
    }
    return newestFirst(rows, 'rollouts', filter, { state: filter.state, kind: filter.kind });
  }

  /** The targets that the caller sees, in the order of waves. @throws AppError `rollout_not_found`, `invalid_cursor` */
  async targets(rolloutId: string, filter: ListTargetsQuery, rights: Rights): Promise<Page<TargetLine>> {
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

  /** A rollout with its counts. */
  async one(rollout: Rollout, reader: Reader) {
    return (await this.many([rollout], reader))[0]!;
  }

  async many(rollouts: readonly Rollout[], reader: Reader) {
    const values: unknown[] = [rollouts.map(({ id }) => id)];
    const seen = inSight(reader.rights, 'device_id', values, this.clock.now());
    const rows = await this.db.query<{ id: string; state: TargetState; count: number; total: number }[]>(
      `select rollout_id as id, state, count(*) filter (where ${seen})::int as count, count(*)::int as total
         from rollout_target where rollout_id = any ($1::uuid[]) group by rollout_id, state`,
      values,
    );
    return rollouts.map((rollout) => {
      const own = rows.filter(({ id }) => id === rollout.id);
      const counts: Record<TargetState, number> = { ...NO_TARGETS };
      for (const { state, count } of own) counts[state] = count;
      const seesAll = own.every(({ count, total }) => count === total);
      return this.viewOf(rollout, counts, seesAll, reader);
    });
  }

  /** With its numbers, wave by wave. */
  async withWaves(rollout: Rollout, reader: Reader) {
    const values: unknown[] = [rollout.id];
    const seen = inSight(reader.rights, 'device_id', values, this.clock.now());
    const rows = await this.db.query<(WaveLine & { total: number })[]>(
      `select wave.ordinal, wave.state, wave.promoted, wave.soak_until as "soakUntil", wave.started_at as "startedAt",
              wave.ended_at as "endedAt", coalesce(counted.counts, '{}') as counts, coalesce(counted.total, 0)::int as total
         from rollout_wave wave
         left join (select wave, jsonb_object_agg(state, count) as counts, sum(total) as total
                      from (select wave, state, count(*) filter (where ${seen})::int as count, count(*) as total
                              from rollout_target where rollout_id = $1 group by wave, state) as by_state
                     group by wave) as counted on counted.wave = wave.ordinal
        where wave.rollout_id = $1 order by wave.ordinal`,
      values,
    );
    const waves = rows.map(({ total: _total, ...row }) => {
      const { name, gate } = waveRules(rollout.policy, row.ordinal);
      return { ...row, name: name ?? `wave ${row.ordinal + 1}`, gate, counts: { ...NO_TARGETS, ...row.counts } };
    });
    const counts = sum(waves.map((wave) => wave.counts));
    const seesAll = totalCount(counts) === rows.reduce((all, { total }) => all + total, 0);
    return { ...this.viewOf(rollout, counts, seesAll, reader), waves };
  }

  /** @param seesAll whether the caller sees all of its devices */
  private viewOf(rollout: Rollout, counts: Counts, seesAll: boolean, reader: Reader) {
    // A roll-back has the selector of the rollout that it rolls back: its caller did not write that.
    const selector = shownSelector(rollout.selector, rollout.rollsBack === null ? rollout : null, reader);
    const pause = pauseOf(rollout, seesAll && selector !== null);
    return { ...this.secrets.redacted(rollout), selector, pause, counts, total: totalCount(counts) };
  }
}

/** The sentence has no numbers of devices out of sight, and no names from a selector. */
function pauseOf({ pauseCause, pauseSentence }: Rollout, seesAll: boolean) {
  if (pauseCause === null) return null;
  const sentence = seesAll ? null : PAUSE_WITHOUT_FACTS[pauseCause];
  return { cause: pauseCause, sentence: sentence ?? pauseSentence ?? '' };
}
