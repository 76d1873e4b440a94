import { type EntityManager } from 'typeorm';
import { LATELY_MS, type Pass } from './reachability.js';

/** How many devices answered lately, and how many of them failed their last check: what `reachability.ts` judges. */
export async function countFailing(
  db: Pick<EntityManager, 'query'>,
  now: Date,
): Promise<Pick<Pass, 'answeredLately' | 'failed'>> {
  const [row] = await db.query<[Pick<Pass, 'answeredLately' | 'failed'>]>(
    `select count(*)::int as "answeredLately", (count(*) filter (where failed_checks > 0))::int as failed
       from device where seen_at > $1`,
    [new Date(now.getTime() - LATELY_MS)],
  );
  return row;
}
