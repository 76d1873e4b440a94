import { type EntityManager } from 'typeorm';
import { ADVISORY_LOCK } from '../../database/advisory-locks.js';
import { AppError } from '../../platform/errors.js';

/**
 * Makes a change, unless it would leave no administrator. When there is none before it, it stops nothing: a stolen key
 * can always be revoked. An administrator has that role for all devices, is neither disabled nor locked, and has a
 * password or a valid key. The key is neither narrowed nor locked. A sign-in at a provider does not count, since the
 * provider may fail. Custom roles do not count, since they can be changed.
 * @param change runs in the transaction `tx`, which is rolled back when this throws
 * @throws AppError `last_administrator`
 */
export async function keepAdministrator<Result>(
  tx: EntityManager,
  now: Date,
  change: () => Promise<Result>,
): Promise<Result> {
  // Of two administrators who remove each other at the same time, only one may succeed.
  await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.administrators]);
  const wasThere = await hasAdministrator(tx, now);
  const result = await change();
  if (wasThere && !(await hasAdministrator(tx, now))) throw new AppError('last_administrator');
  return result;
}

async function hasAdministrator(tx: EntityManager, now: Date): Promise<boolean> {
  const locked = (kind: string, id: string) =>
    `exists (select from lock where kind = '${kind}' and target = ${id}::text and lifted_at is null
                and (ends_at is null or ends_at > $1))`;
  const found = await tx.query<unknown[]>(
    `select from operator
      where disabled_at is null and not ${locked('operator', 'operator.id')}
        and exists (select from operator_role
                     where operator_id = operator.id and role = 'administrator' and selector is null)
        and (exists (select from operator_password where operator_id = operator.id)
          or exists (select from api_key
                      where operator_id = operator.id and revoked_at is null
                        and coalesce(scope, '{}') - 'stepUp' = '{}' and (expires_at is null or expires_at > $1)
                        and not ${locked('key', 'api_key.id')}))
      limit 1`,
    [now],
  );
  return found.length > 0;
}
