import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { mapConstraintErrors } from '../../database/constraints.js';
import { AppError } from '../../platform/errors.js';
import { requireRoom } from '../../database/row-limits.js';
import { requireTag } from '../../http/etag.js';
import { Access, type Principal } from '../access/access.js';
import { keepAdministrator } from '../rights/administrators.js';
import { type OperatorChangeInput } from './auth.contract.js';
import { Operator } from './operator.entity.js';
import { RightsService, type Assignment } from '../rights/rights.service.js';
import { RolesService } from '../access/roles.service.js';

export interface OperatorDetails extends Operator {
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  /** A session stays stored until a newer one begins, so this is never forgotten. */
  readonly lastSignInAt: Date | null;
  readonly providers: readonly string[];
  readonly roles: readonly Assignment[];
}

const CONSTRAINTS = { operator_name_is_unique: ['operator_exists'] } as const;

/** Operators. Each change is one transaction with its audit entry. */
@Injectable()
export class OperatorsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Access) private readonly access: Access,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(RolesService) private readonly roles: RolesService,
  ) {}

  /** @throws AppError `operator_exists`, `role_not_found`, `too_many_saved`; `rights_not_held` for a role that the actor could not give */
  async create(name: string, role: string, actor: Principal): Promise<OperatorDetails> {
    return mapConstraintErrors(CONSTRAINTS, () =>
      this.db.transaction(async (tx) => {
        await requireRoom(tx, 'operator');
        const roles = [{ role, selector: null }];
        this.rights.requireCovers(actor.rights, await this.rights.compile(tx, roles));
        const { id } = await this.createIn(tx, name, roles, actor);
        return this.get(id, tx);
      }),
    );
  }

  /** The caller has checked the actor's rights. @throws AppError `role_not_found`, `invalid_selector` */
  async createIn(tx: EntityManager, name: string, roles: readonly Assignment[], actor: Actor): Promise<Operator> {
    const operator = await tx.save(Operator, { id: randomUUID(), name, createdAt: this.clock.now(), disabledAt: null });
    await this.audit.record(tx, {
      actor,
      action: 'operator.create',
      subject: `operator:${operator.id}`,
      facts: { name, roles },
    });
    await this.roles.assignIn(tx, operator.id, roles, actor);
    return operator;
  }

  /** All operators, oldest first. */
  list(): Promise<OperatorDetails[]> {
    return this.read(this.db.manager);
  }

  /** @throws AppError `operator_not_found` */
  async get(operatorId: string, tx: EntityManager = this.db.manager): Promise<OperatorDetails> {
    const [operator] = await this.read(tx, operatorId);
    if (!operator) throw new AppError('operator_not_found');
    return operator;
  }

  /**
   * Refuses to change an operator with more rights than the actor. An actor who can invite an administrator again, or
   * remove the administrator's second factor, could take over the account.
   * @throws AppError `operator_not_found`, `rights_not_held`
   */
  async requireCovered(operatorId: string, actor: Principal): Promise<void> {
    await this.get(operatorId);
    this.rights.requireCovers(actor.rights, await this.rights.assigned(operatorId, null));
  }

  /**
   * Renames, disables or enables. A disabled operator loses access at once in all processes: sessions end permanently,
   * keys are suspended until the operator is enabled.
   * @throws AppError `operator_not_found`, `operator_exists`, `last_administrator`
   */
  async update(
    operatorId: string,
    change: OperatorChangeInput,
    actor: Actor,
    ifMatch?: string,
  ): Promise<OperatorDetails> {
    const changed = await mapConstraintErrors(CONSTRAINTS, () =>
      this.db.transaction(async (tx) => {
        await tx.query('select from operator where id = $1 for update', [operatorId]);
        const before = await this.get(operatorId, tx);
        requireTag(ifMatch, editableOf(before));
        const now = this.clock.now();
        const disabledAt = change.disabled === false ? null : (before.disabledAt ?? (change.disabled ? now : null));
        const after = { name: change.name ?? before.name, disabledAt };
        await keepAdministrator(tx, now, () => tx.update(Operator, { id: operatorId }, after));
        if (disabledAt) {
          await tx.query(
            'update operator_session set revoked_at = $2 where operator_id = $1 and revoked_at is null and ends_at > $2',
            [operatorId, now],
          );
        }
        await this.audit.record(tx, {
          actor,
          action: 'operator.update',
          subject: `operator:${operatorId}`,
          facts: {
            before: { name: before.name, disabled: before.disabledAt !== null },
            after: { name: after.name, disabled: disabledAt !== null },
          },
        });
        return { ...before, ...after };
      }),
    );
    this.access.forgetOperator(operatorId);
    this.rights.forget();
    return changed;
  }

  private read(tx: EntityManager, operatorId?: string): Promise<OperatorDetails[]> {
    return tx.query<OperatorDetails[]>(
      `select id, name, created_at as "createdAt", disabled_at as "disabledAt",
              exists (select from operator_password where operator_id = operator.id) as "hasPassword",
              exists (select from operator_totp
                       where operator_id = operator.id and confirmed_at is not null) as "hasSecondFactor",
              (select max(made_at) from operator_session where operator_id = operator.id) as "lastSignInAt",
              array(select provider from operator_identity
                     where operator_id = operator.id order by provider) as providers,
              coalesce((select jsonb_agg(jsonb_build_object('role', role, 'selector', selector)
                                         order by role, selector nulls first)
                          from operator_role where operator_id = operator.id), '[]') as roles
         from operator where $1::uuid is null or id = $1 order by created_at, id`,
      [operatorId ?? null],
    );
  }
}

/** The editable fields of an operator, which the ETag covers. */
export const editableOf = ({ name, disabledAt }: Pick<OperatorDetails, 'name' | 'disabledAt'>) => ({
  name,
  disabledAt,
});
