import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { DataSource, type DeepPartial, type EntityManager, type EntityTarget, type FindOptionsWhere } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type Actor, systemActor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { mapConstraintErrors } from '../database/constraints.js';
import { authorFields, type RecurringInput, type RecurringNoun, type RecurringRow, rhythmFields } from './recurring.js';
import { WorkMarks } from '../database/work-marks.js';
import { AppError } from '../platform/errors.js';
import { lockVersion } from '../http/edits.js';
import { eachRow, type Sweeper } from '../platform/sweeper.js';
import { type Principal } from '../auth/access/access.js';
import { RightsService } from '../auth/rights/rights.service.js';
import { Authors } from '../auth/keys/authors.service.js';

/** Due rows of one sweep, the longest due first: a bound, not a pace. */
const DUE = 200;

type OwnFields<Row> = Omit<Row, keyof RecurringRow>;

type Change = 'create' | 'change' | 'remove' | 'run' | 'quarantine';

/** Schedules and backup policies: rows that run repeatedly in the name of their author. A subclass says what a run does. */
export abstract class RecurringService<Row extends RecurringRow, Input extends RecurringInput> implements Sweeper {
  abstract readonly name: string;
  readonly everyMs = 1_000;

  @Inject(DataSource) protected readonly db!: DataSource;
  @Inject(Clock) protected readonly clock!: Clock;
  @Inject(RightsService) protected readonly rights!: RightsService;
  @Inject(Authors) protected readonly authors!: Authors;
  @Inject(Audit) private readonly audit!: Audit;
  @Inject(WorkMarks) private readonly marks!: WorkMarks;

  constructor(
    private readonly noun: RecurringNoun,
    private readonly entity: EntityTarget<Row>,
  ) {}

  abstract sweep(): Promise<Record<string, number>>;

  /** No person is present at a run: the author must meet now what it requires. */
  protected abstract requireAuthor(input: Input, actor: Principal): Promise<void>;

  /** The fields that other kinds of rows do not have. @param found the row that is replaced; null for a new one */
  protected abstract ownFields(
    input: Input & { readonly id: string },
    found: Row | null,
    actor: Principal,
    tx: EntityManager,
  ): OwnFields<Row> | Promise<OwnFields<Row>>;

  /** Facts of the audit entry of a saved row. */
  protected abstract factsOf(row: Row): object;

  /** @throws AppError `schedule_not_found`, `backup_policy_not_found` */
  async get(id: string): Promise<Row> {
    const row = await this.db.manager.findOneBy(this.entity, { id } as FindOptionsWhere<Row>);
    if (!row) throw new AppError(`${this.noun}_not_found`);
    return row;
  }

  /** All rows by name. */
  list(): Promise<Row[]> {
    return this.db.manager.createQueryBuilder(this.entity, 'item').orderBy('item.name').getMany();
  }

  /** Those of the given rows whose author is disabled or revoked: they start nothing. */
  orphansOf(rows: readonly Row[]): Promise<ReadonlySet<Row>> {
    return this.authors.orphansOf(rows);
  }

  /** What it started stays. @throws AppError `schedule_not_found`, `backup_policy_not_found`, `version_changed` */
  async remove(id: string, ifMatch: number | null, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      const where = { id } as FindOptionsWhere<Row>;
      const found = await lockVersion(tx, this.entity, where, ifMatch, `${this.noun}_not_found`);
      await tx.delete(this.entity, id);
      await this.recordChange(tx, 'remove', found, actor);
    });
  }

  /**
   * Creates a row; it acts in the name of the actor, with their rights at each run.
   * @throws AppError `schedule_exists`, `backup_policy_exists`; those of `requireAuthor` and `ownFields`
   */
  create(input: Input, actor: Principal): Promise<Row> {
    return this.save('create', input, actor, () => null);
  }

  /**
   * Replaces a row; from now on it acts in the name of the new author.
   * @throws AppError `schedule_not_found`, `backup_policy_not_found`, `version_changed`; as `create`
   */
  replace(id: string, input: Input, ifMatch: number | null, actor: Principal): Promise<Row> {
    const where = { id } as FindOptionsWhere<Row>;
    const find = (tx: EntityManager) => lockVersion(tx, this.entity, where, ifMatch, `${this.noun}_not_found`);
    return this.save('change', input, actor, find);
  }

  private async save(
    change: Change,
    input: Input,
    actor: Principal,
    find: (tx: EntityManager) => Promise<Row> | null,
  ): Promise<Row> {
    await this.requireAuthor(input, actor);
    return mapConstraintErrors({ [`${this.noun}_name_is_unique`]: [`${this.noun}_exists`] }, () =>
      this.db.transaction(async (tx) => {
        const found = await find(tx);
        const now = this.clock.now();
        const row = found ?? { id: randomUUID(), createdAt: now, lastRunAt: null, lastError: null, version: 1 };
        const own = await this.ownFields({ ...input, id: row.id }, found, actor, tx);
        const shared = { ...rhythmFields(input, now, row.createdAt), ...authorFields(actor) };
        const saved = await tx.save(this.entity, Object.assign(row, shared, own) as Row & DeepPartial<Row>);
        await this.recordChange(tx, change, saved, actor, this.factsOf(saved));
        return saved;
      }),
    );
  }

  protected async runDue(run: (id: string) => Promise<void>): Promise<void> {
    const rows = await this.db.query<{ id: string }[]>(
      `select id from ${this.noun} where enabled and next_run_at <= $1 order by next_run_at, id limit ${DUE}`,
      [this.clock.now()],
    );
    const ids = rows.map(({ id }) => id);
    const quarantine = (id: string) => this.quarantine(id);
    await this.marks.during(this.noun, ids, (some) => eachRow(some, run), quarantine);
  }

  protected recordChange(
    tx: EntityManager,
    change: Change,
    { id, name }: RecurringRow,
    actor: Actor,
    facts: object = {},
  ) {
    const { noun } = this;
    return this.audit.record(tx, {
      actor,
      action: `${noun}.${change}`,
      subject: `${noun}:${id}`,
      facts: { name, ...facts },
    });
  }

  /** Stops a row that took its processes down: a person must look at it, and enables it again. */
  private quarantine(id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const row = await tx.findOneBy(this.entity, { id } as FindOptionsWhere<Row>);
      if (!row) return;
      await tx.query(
        `update ${this.noun} set enabled = false, next_run_at = null, last_error = 'quarantined', quarantined_at = $2,
                version = version + 1 where id = $1 and enabled`,
        [id, this.clock.now()],
      );
      await this.recordChange(tx, 'quarantine', row, systemActor(this.name));
    });
  }
}
