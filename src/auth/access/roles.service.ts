import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type z } from 'zod';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { requireVersion } from '../../http/edits.js';
import { AppError } from '../../platform/errors.js';
import { requireRoom } from '../../database/row-limits.js';
import { mapConstraintErrors } from '../../database/constraints.js';
import { requireTag } from '../../http/etag.js';
import { Access, type Principal } from './access.js';
import { keepAdministrator } from '../rights/administrators.js';
import { type Assignment, BUILT_IN_DESCRIPTIONS, builtInRules, RightsService } from '../rights/rights.service.js';
import { isBuiltIn } from '../rights/permissions.js';
import { type roleView } from '../rights/roles.contract.js';
import { type Rights, type Rule, ruleUndoing } from '../rights/rights.js';
import { IssuedCredentials } from '../rights/issued-credentials.js';

export interface RoleRow extends z.input<typeof roleView> {
  readonly rules: Rule[];
}

const COLUMNS = 'name, built_in as "builtIn", description, rules, version, updated_at as "updatedAt"';

/** Roles and their assignment. Each change is one transaction with its audit entry; all processes are notified. */
@Injectable()
export class RolesService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Access) private readonly access: Access,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(IssuedCredentials) private readonly issued: IssuedCredentials,
  ) {}

  /** All roles, built-in ones first. */
  async list(): Promise<RoleRow[]> {
    const rows = await this.db.query<RoleRow[]>(`select ${COLUMNS} from role order by built_in desc, name`);
    return rows.map(withBuiltIn);
  }

  /** @throws AppError `role_not_found` */
  async get(name: string, tx: EntityManager = this.db.manager): Promise<RoleRow> {
    const [row] = await tx.query<RoleRow[]>(`select ${COLUMNS} from role where name = $1`, [name]);
    if (!row) throw new AppError('role_not_found');
    return withBuiltIn(row);
  }

  /**
   * Saves a role; an existing one of this name is replaced.
   * @param ifMatch the required version; null accepts any version or none
   * @throws AppError `role_built_in`, `version_changed`, `invalid_selector`, `too_many_saved`; `rights_not_held` when the old or new role
   *   allows what the actor may not, or when the change removes a denial of it
   */
  async save(
    name: string,
    role: { readonly description: string; readonly rules: readonly Rule[] },
    ifMatch: number | null,
    actor: Principal,
  ): Promise<RoleRow> {
    if (isBuiltIn(name)) throw new AppError('role_built_in');
    for (const { selector } of role.rules) this.rights.checkSelector(selector);
    this.rights.requireCovers(actor.rights, this.rights.compileRules(name, role.rules));
    const saved = await this.db.transaction(async (tx) => {
      const before = await this.lockRow(tx, name);
      requireVersion(ifMatch, before?.version);
      if (before) this.requireMayChange(before, role.rules, actor);
      else await requireRoom(tx, 'role');
      await tx.query(
        `insert into role (name, description, rules, updated_at) values ($1, $2, $3, $4)
         on conflict (name) do update set description = excluded.description, rules = excluded.rules,
                                          updated_at = excluded.updated_at, version = role.version + 1`,
        [name, role.description, JSON.stringify(role.rules), this.clock.now()],
      );
      await this.audit.record(tx, {
        actor,
        action: 'role.save',
        subject: `role:${name}`,
        facts: { before: before && { description: before.description, rules: before.rules }, after: role },
      });
      if (before && this.grows(before, role.rules)) await this.issued.endGrownByRoleIn(tx, name, actor);
      return this.get(name, tx);
    });
    this.access.forgetOperator(null);
    this.rights.forget();
    return saved;
  }

  /** @throws AppError `role_not_found`, `role_built_in`, `version_changed`; `role_in_use` while an operator has it */
  async remove(name: string, ifMatch: number | null, actor: Actor): Promise<void> {
    if (isBuiltIn(name)) throw new AppError('role_built_in');
    const remove = async (tx: EntityManager) => {
      const before = await this.lockRow(tx, name);
      if (!before) throw new AppError('role_not_found');
      requireVersion(ifMatch, before.version);
      await tx.query('delete from role where name = $1', [name]);
      const { description, rules } = before;
      const facts = { before: { description, rules } };
      await this.audit.record(tx, { actor, action: 'role.remove', subject: `role:${name}`, facts });
    };
    await mapConstraintErrors({ operator_role_keeps_its_role: ['role_in_use'] }, () => this.db.transaction(remove));
    this.rights.forget();
  }

  /** The roles that an operator has. @throws AppError `operator_not_found` */
  async assignments(operatorId: string): Promise<Assignment[]> {
    await requireOperator(this.db.manager, operatorId);
    return assignmentsOf(this.db.manager, operatorId);
  }

  /**
   * The rights that an operator would have with one role more; an operator who is disabled, when enabled.
   * @throws AppError `operator_not_found`, `role_not_found`, `invalid_selector`
   */
  async rightsWith(operatorId: string, added: Assignment): Promise<Rights> {
    this.rights.checkSelector(added.selector);
    await this.get(added.role);
    return this.rights.compile(this.db.manager, [...(await this.assignments(operatorId)), added]);
  }

  /**
   * Gives an operator these roles and no others.
   * @throws AppError `operator_not_found`, `role_not_found`, `invalid_selector`, `last_administrator`, `version_changed`;
   *   `rights_not_held` when the operator has, or would have, what the actor may not
   */
  async assign(
    operatorId: string,
    roles: readonly Assignment[],
    actor: Principal,
    ifMatch?: string,
  ): Promise<Assignment[]> {
    const assigned = await this.db.transaction(async (tx) => {
      await requireOperator(tx, operatorId, 'for update');
      const before = await assignmentsOf(tx, operatorId);
      requireTag(ifMatch, before);
      // The actor must not change an operator with more rights.
      this.rights.requireCovers(actor.rights, await this.rights.compile(tx, before));
      this.rights.requireCovers(actor.rights, await this.rights.compile(tx, roles));
      await keepAdministrator(tx, this.clock.now(), () => this.assignIn(tx, operatorId, roles, actor));
      return assignmentsOf(tx, operatorId);
    });
    this.access.forgetOperator(operatorId);
    this.rights.forget();
    return assigned;
  }

  /**
   * As `assign`, in the caller's transaction. The caller has checked that the actor may give these rights. Writes no
   * audit entry when nothing changes.
   * @throws AppError `role_not_found`, `invalid_selector`
   */
  async assignIn(tx: EntityManager, operatorId: string, roles: readonly Assignment[], actor: Actor): Promise<void> {
    for (const { selector } of roles) this.rights.checkSelector(selector);
    const before = await assignmentsOf(tx, operatorId);
    const after = [...new Map(roles.map((one) => [keyOf(one), one])).values()];
    if (before.map(keyOf).sort().join('\n') === after.map(keyOf).sort().join('\n')) return;
    await tx.query('delete from operator_role where operator_id = $1', [operatorId]);
    await mapConstraintErrors({ operator_role_keeps_its_role: ['role_not_found'] }, async () => {
      for (const { role, selector } of after) {
        await tx.query(
          'insert into operator_role (id, operator_id, role, selector, created_at) values ($1, $2, $3, $4, $5)',
          [randomUUID(), operatorId, role, selector, this.clock.now()],
        );
      }
    });
    await this.audit.record(tx, {
      actor,
      action: 'role.assign',
      subject: `operator:${operatorId}`,
      facts: { before, after },
    });
    const [had, has] = [await this.rights.compile(tx, before), await this.rights.compile(tx, after)];
    if (!had.includes(has)) await this.issued.endGrownIn(tx, operatorId, actor);
  }

  /** Removing a denial gives the denied rights. @throws AppError `rights_not_held` */
  private requireMayChange({ name, rules }: RoleRow, next: readonly Rule[], actor: Principal): void {
    const given = undone(rules, next).map(ruleUndoing);
    this.rights.requireCovers(actor.rights, this.rights.compileRules(name, rules));
    this.rights.requireCovers(actor.rights, this.rights.compileRules(name, given));
  }

  /** Whether the role might allow more with the new rules. */
  private grows({ name, rules }: RoleRow, next: readonly Rule[]): boolean {
    const compile = (those: readonly Rule[]) => this.rights.compileRules(name, those);
    return undone(rules, next).length > 0 || !compile(rules).includes(compile(next));
  }

  private async lockRow(tx: EntityManager, name: string): Promise<RoleRow | null> {
    const [row] = await tx.query<RoleRow[]>(`select ${COLUMNS} from role where name = $1 for update`, [name]);
    return row ?? null;
  }
}

function assignmentsOf(tx: EntityManager, operatorId: string): Promise<Assignment[]> {
  return tx.query(
    'select role, selector from operator_role where operator_id = $1 order by role, selector nulls first',
    [operatorId],
  );
}

async function requireOperator(tx: EntityManager, operatorId: string, lock: 'for update' | '' = ''): Promise<void> {
  const rows = await tx.query<unknown[]>(`select from operator where id = $1 ${lock}`, [operatorId]);
  if (rows.length === 0) throw new AppError('operator_not_found');
}

/** Adds the rules of a built-in role, which are in the code. */
function withBuiltIn(row: RoleRow): RoleRow {
  if (!isBuiltIn(row.name)) return row;
  return { ...row, description: BUILT_IN_DESCRIPTIONS[row.name], rules: builtInRules(row.name) };
}

/** The denials that the new rules lack. */
const undone = (rules: readonly Rule[], next: readonly Rule[]): Rule[] =>
  rules.filter((rule) => rule.effect === 'deny' && !next.some((kept) => isDeepStrictEqual(kept, rule)));

const keyOf = ({ role, selector }: Assignment) => `${role} ${selector ?? ''}`;
