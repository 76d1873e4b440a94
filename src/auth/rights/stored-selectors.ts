import { type EntityManager } from 'typeorm';

/** The selectors that rights and locks in force have and that contain a text, in any case. */
export async function storedSelectors(tx: EntityManager, now: Date, containing: string): Promise<string[]> {
  const rows = await tx.query<{ selector: string }[]>(
    `select distinct selector from (
       select rule ->> 'selector' from role cross join jsonb_array_elements(rules) as rule
       union all select selector from operator_role
       union all select scope ->> 'selector' from api_key
                  where revoked_at is null and (expires_at is null or expires_at > $1)
       union all select target from lock
                  where kind = 'selector' and lifted_at is null and (ends_at is null or ends_at > $1)
     ) as stored (selector)
      where strpos(lower(selector), lower($2)) > 0`,
    [now, containing],
  );
  return rows.map(({ selector }) => selector);
}
