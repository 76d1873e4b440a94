import { type EntityManager } from 'typeorm';
import { type ArtifactNeeds } from '../../artifacts/artifact-keepers.js';

/** Ids that the error names; one is enough to keep an artifact. */
const MAX_TOLD = 10;

/**
 * Rollouts that may still start jobs with an artifact, and schedules that would create such rollouts. A spec names an
 * artifact somewhere in its texts. Devices of a roll-back have their own specs, and schedules have templates.
 */
export async function rolloutsThatNeed(tx: EntityManager, artifactId: string): Promise<ArtifactNeeds> {
  const idsOf = async (sql: string) =>
    (await tx.query<{ id: string }[]>(`${sql} limit ${MAX_TOLD}`, [`%${artifactId}%`])).map(({ id }) => id);
  return {
    rollouts: await idsOf(
      `select id from rollout
        where state not in ('finished', 'aborted')
          and (spec::text like $1 or exists (
                select from rollout_target as target where target.rollout_id = rollout.id and target.spec::text like $1))
        order by created_at`,
    ),
    schedules: await idsOf(`select id from schedule where enabled and template::text like $1 order by created_at`),
  };
}
