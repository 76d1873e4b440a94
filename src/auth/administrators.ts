import { type EntityManager } from 'typeorm';
import { AppError } from '../platform/errors.js';

/**
 * Says no to a change after which nobody could administer the gateway: call it in the transaction, after the change. An
 * administrator counts who is not disabled and has a password or a key in force that is not narrowed; a sign-in at a
 * provider does not, since the provider is not ours to keep running.
 * @throws AppError `last_administrator`
 */
export async function requireAdministrator(tx: EntityManager, now: Date): Promise<void> {
  // Two administrators who take each other's way in at once must not both succeed.
  await tx.query(`select pg_advisory_xact_lock(hashtext('fleetgate.administrators'))`);
  const left = await tx.query<unknown[]>(
    `select from operator
      where role = 'administrator' and disabled_at is null
        and (exists (select from operator_password where operator_id = operator.id)
          or exists (select from api_key
                      where operator_id = operator.id and revoked_at is null and scope is null
                        and (expires_at is null or expires_at > $1)))
      limit 1`,
    [now],
  );
  if (left.length === 0) throw new AppError('last_administrator');
}
