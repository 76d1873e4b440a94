import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { type KeyScope } from './key-scope.js';
import { RightsService } from './rights.service.js';

interface HandedKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scope: KeyScope | null;
  readonly issuedBy: string;
}

/**
 * Credentials of an operator that another operator issued, and may have copied: keys and open invitations. They gave no
 * more rights than their issuer held. When the operator gets more rights than that, they end.
 */
@Injectable()
export class IssuedCredentials {
  constructor(
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(RightsService) private readonly rights: RightsService,
  ) {}

  /** Call it in the transaction, after the change. */
  async endGrownIn(tx: EntityManager, operatorId: string, actor: Actor): Promise<void> {
    const keys = await tx.query<HandedKey[]>(
      `select id, name, prefix, scope, issued_by as "issuedBy" from api_key
        where operator_id = $1 and issued_by is not null and revoked_at is null and (expires_at is null or expires_at > $2)
        order by id for update`,
      [operatorId, this.clock.now()],
    );
    for (const key of keys) {
      if (await this.givesTooMuch(tx, operatorId, key.scope, key.issuedBy))
        await this.revoke(tx, operatorId, key, actor);
    }
    const [invitation] = await tx.query<{ issuedBy: string | null }[]>(
      'select issued_by as "issuedBy" from invitation where operator_id = $1 for update',
      [operatorId],
    );
    if (invitation && (await this.givesTooMuch(tx, operatorId, null, invitation.issuedBy))) {
      await tx.query('delete from invitation where operator_id = $1', [operatorId]);
    }
  }

  /** As `endGrownIn`, for all operators with a role that grew. */
  async endGrownByRoleIn(tx: EntityManager, role: string, actor: Actor): Promise<void> {
    const holders = await tx.query<{ id: string }[]>(
      'select distinct operator_id as id from operator_role where role = $1 order by 1',
      [role],
    );
    for (const { id } of holders) await this.endGrownIn(tx, id, actor);
  }

  private async givesTooMuch(
    tx: EntityManager,
    operatorId: string,
    scope: KeyScope | null,
    issuedBy: string | null,
  ): Promise<boolean> {
    if (issuedBy === null) return true;
    const issuer = await this.rights.assigned(issuedBy, null, tx);
    return !issuer.includes(await this.rights.assigned(operatorId, scope, tx));
  }

  private async revoke(tx: EntityManager, operatorId: string, key: HandedKey, actor: Actor): Promise<void> {
    const { id, name, prefix, issuedBy } = key;
    await tx.query('update api_key set revoked_at = $2 where id = $1', [id, this.clock.now()]);
    const why = 'its operator now has more rights than its issuer';
    await this.audit.record(tx, {
      actor,
      action: 'api_key.revoke',
      subject: `api_key:${id}`,
      facts: { name, prefix, operatorId, issuedBy, why },
    });
  }
}
