import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { DataSource, type DeepPartial, type EntityManager, type EntityTarget, type FindOptionsWhere } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor, systemActor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { translated } from '../../platform/database/constraints.js';
import { authorFields, dueIds, type RecurringNoun, type RecurringRow } from '../../platform/database/recurring.js';
import { eachRow, WorkMarks } from '../../platform/database/work-marks.js';
import { AppError } from '../../platform/errors.js';
import { lockRow } from '../../platform/http/edits.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type Principal } from '../access/access.js';
import { RightsService } from '../rights/rights.service.js';
import { Authors } from './authors.service.js';

type Change = 'create' | 'change' | 'remove' | 'run' | 'quarantine';

/** Rows that run again and again in the name of their author. What a run does is the work of the subclass. */
export abstract class RecurringService<Row extends RecurringRow> implements Sweeper {
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

  /** @throws AppError `schedule_not_found`, `backup_policy_not_found` */
  async get(id: string): Promise<Row> {
    const row = await this.db.manager.findOneBy(this.entity, { id } as FindOptionsWhere<Row>);
    if (!row) throw new AppError(`${this.noun}_not_found`);
    return row;
  }

  list(): Promise<Row[]> {
    return this.db.manager.createQueryBuilder(this.entity, 'item').orderBy('item.name').getMany();
  }

  /** Those of the given rows whose author is disabled or revoked: they start nothing. */
  orphansOf(rows: readonly Row[]): Promise<ReadonlySet<Row>> {
    return this.authors.orphansOf(rows);
  }

  /** What it started stays. @throws AppError `schedule_not_found`, `backup_policy_not_found` */
  async remove(id: string, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      const where = { id } as FindOptionsWhere<Row>;
      const found = await lockRow(tx, this.entity, where, `${this.noun}_not_found`);
      await tx.delete(this.entity, id);
      await this.note(tx, 'remove', found, actor);
    });
  }

  /** The fields of a row that has not run. */
  protected newRow(actor: Principal) {
    const createdAt = this.clock.now();
    return { id: randomUUID(), lastRunAt: null, lastError: null, ...authorFields(actor), createdAt, version: 1 };
  }

  /** Saves an edit. @throws AppError `schedule_exists`, `backup_policy_exists`; those of `edit` */
  protected keep(
    change: Change,
    actor: Actor,
    edit: (tx: EntityManager) => Row | Promise<Row>,
    facts: (saved: Row) => object,
  ): Promise<Row> {
    return translated({ [`${this.noun}_name_is_unique`]: [`${this.noun}_exists`] }, () =>
      this.db.transaction(async (tx) => {
        const saved = await tx.save(this.entity, (await edit(tx)) as Row & DeepPartial<Row>);
        await this.note(tx, change, saved, actor, facts(saved));
        return saved;
      }),
    );
  }

  /** Runs each row that is due. */
  protected async runDue(run: (id: string) => Promise<void>): Promise<void> {
    const ids = await dueIds(this.db, this.noun, this.clock.now());
    const quarantine = (id: string) => this.quarantine(id);
    await this.marks.during(this.noun, ids, (some) => eachRow(some, run), quarantine);
  }

  protected note(tx: EntityManager, change: Change, { id, name }: RecurringRow, actor: Actor, facts: object = {}) {
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
      await this.note(tx, 'quarantine', row, systemActor(this.name));
    });
  }
}
