import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { DataSource, type DeepPartial, type EntityManager, type EntityTarget, type FindOptionsWhere } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type AuditAction } from '../audit/entries/audit-actions.js';
import { type Principal } from '../auth/access/access.js';
import { RightsService } from '../auth/rights/rights.service.js';
import { Authors } from '../auth/keys/authors.service.js';
import { mapConstraintErrors } from '../database/constraints.js';
import { requireRoom } from '../database/row-limits.js';
import { lockVersion } from '../http/edits.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { authorFields, type AuthoredNoun, type AuthoredRow } from './recurring.js';

type Change = 'create' | 'change' | 'remove';

/** The one in whose name a row acts. */
export type RowAuthor = Actor & { readonly operatorId: string | null };

/** Rows that act in the name of their author, as operators see and change them. A subclass says which fields they have. */
export abstract class AuthoredService<Row extends AuthoredRow, Input extends { readonly name: string }> {
  @Inject(DataSource) protected readonly db!: DataSource;
  @Inject(Clock) protected readonly clock!: Clock;
  @Inject(RightsService) protected readonly rights!: RightsService;
  @Inject(Authors) readonly authors!: Authors;
  @Inject(Audit) private readonly audit!: Audit;

  constructor(
    protected readonly noun: AuthoredNoun,
    protected readonly entity: EntityTarget<Row>,
  ) {}

  /** What the author must meet now, since no person is present when the row acts. */
  protected abstract requireAuthor(input: Input, actor: Principal): Promise<void>;

  /** The fields that a save sets, beside those of every authored row. @param found the row that is replaced; null for a new one */
  protected abstract fieldsOf(
    input: Input,
    row: Pick<AuthoredRow, 'id' | 'createdAt'>,
    found: Row | null,
    author: RowAuthor,
    tx: EntityManager,
  ): object | Promise<object>;

  /** Facts of the audit entry of a saved row, beside its name. */
  protected abstract factsOf(row: Row): object;

  /** What else a save or a removal changes, in its transaction. */
  protected afterChange?(tx: EntityManager, change: Change, row: Row): Promise<void>;

  /** @throws AppError such as `schedule_not_found` */
  async get(id: string): Promise<Row> {
    const row = await this.db.manager.findOneBy(this.entity, { id } as FindOptionsWhere<Row>);
    if (!row) throw new AppError(`${this.noun}_not_found`);
    return row;
  }

  /** All rows by name. */
  list(): Promise<Row[]> {
    return this.db.manager.createQueryBuilder(this.entity, 'item').orderBy('item.name').getMany();
  }

  /** Those of the given rows whose author is disabled or revoked: they do nothing. */
  orphansOf(rows: readonly Row[]): Promise<ReadonlySet<Row>> {
    return this.authors.orphansOf(rows);
  }

  /**
   * Creates a row; it acts in the name of the actor, with their rights at that time.
   * @throws AppError such as `schedule_exists`; `too_many_saved`; those of `requireAuthor` and `fieldsOf`
   */
  create(input: Input, actor: Principal): Promise<Row> {
    return this.save(input, actor, () => null);
  }

  /** Replaces a row; from now on it acts in the name of the new author. @throws AppError `version_changed`; as `get` and `create` */
  replace(id: string, input: Input, ifMatch: number | null, actor: Principal): Promise<Row> {
    return this.save(input, actor, (tx) => this.locked(tx, id, ifMatch));
  }

  /** @throws AppError `version_changed`; as `get` */
  async remove(id: string, ifMatch: number | null, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      const found = await this.locked(tx, id, ifMatch);
      await this.afterChange?.(tx, 'remove', found);
      await tx.delete(this.entity, id);
      await this.record(tx, `${this.noun}.remove`, found, actor);
    });
  }

  /** In the transaction of the caller, without a look at rights. */
  protected async write(tx: EntityManager, input: Input, found: Row | null, author: RowAuthor): Promise<Row> {
    if (!found) await requireRoom(tx, this.noun);
    const row = found ?? { id: randomUUID(), createdAt: this.clock.now(), version: 1 };
    const { name } = input;
    const fields = { name, ...(await this.fieldsOf(input, row, found, author, tx)), ...authorFields(author) };
    const saved = await tx.save(this.entity, Object.assign(row, fields) as Row & DeepPartial<Row>);
    const change = found ? 'change' : 'create';
    await this.afterChange?.(tx, change, saved);
    await this.record(tx, `${this.noun}.${change}`, saved, author, this.factsOf(saved));
    return saved;
  }

  protected record(
    tx: EntityManager,
    action: AuditAction,
    { id, name }: AuthoredRow,
    actor: Actor,
    facts: object = {},
  ): Promise<void> {
    return this.audit.record(tx, { actor, action, subject: `${this.noun}:${id}`, facts: { name, ...facts } });
  }

  private async save(input: Input, actor: Principal, find: (tx: EntityManager) => Promise<Row> | null): Promise<Row> {
    await this.requireAuthor(input, actor);
    return mapConstraintErrors({ [`${this.noun}_name_is_unique`]: [`${this.noun}_exists`] }, () =>
      this.db.transaction(async (tx) => this.write(tx, input, await find(tx), actor)),
    );
  }

  private locked(tx: EntityManager, id: string, ifMatch: number | null): Promise<Row> {
    return lockVersion(tx, this.entity, { id } as FindOptionsWhere<Row>, ifMatch, `${this.noun}_not_found`);
  }
}
