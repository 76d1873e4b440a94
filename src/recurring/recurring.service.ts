import { Inject } from '@nestjs/common';
import { type EntityManager, type FindOptionsWhere } from 'typeorm';
import { withinInterval } from '../database/due-times.js';
import { WorkMarks } from '../database/work-marks.js';
import { type Actor, systemActor } from '../platform/actor.js';
import { eachRow, type Sweeper } from '../platform/sweeper.js';
import { AuthoredService, type RowAuthor } from './authored.service.js';
import { type RecurringInput, type RecurringNoun, type RecurringRow, rhythmFields } from './recurring.js';

/** Due rows of one sweep, the longest due first: a bound, not a pace. */
const DUE = 200;

type OwnFields<Row> = Omit<Row, keyof RecurringRow>;

/** Schedules and backup policies: rows that run repeatedly in the name of their author. A subclass says what a run does. */
export abstract class RecurringService<Row extends RecurringRow, Input extends RecurringInput>
  extends AuthoredService<Row, Input>
  implements Sweeper
{
  abstract readonly name: string;
  readonly everyMs = 1_000;

  declare protected readonly noun: RecurringNoun;
  @Inject(WorkMarks) private readonly marks!: WorkMarks;

  abstract sweep(): Promise<Record<string, number>>;

  /** The fields that other kinds of rows do not have. @param found the row that is replaced; null for a new one */
  protected abstract ownFields(
    input: Input & { readonly id: string },
    found: Row | null,
    author: RowAuthor,
    tx: EntityManager,
  ): OwnFields<Row> | Promise<OwnFields<Row>>;

  protected async fieldsOf(
    input: Input,
    { id, createdAt }: Pick<Row, 'id' | 'createdAt'>,
    found: Row | null,
    author: RowAuthor,
    tx: EntityManager,
  ): Promise<object> {
    const own = await this.ownFields({ ...input, id }, found, author, tx);
    const first = found ? {} : { lastRunAt: null, lastError: null };
    return { ...first, ...rhythmFields(input, this.clock.now(), createdAt), ...own };
  }

  protected async runDue(run: (id: string) => Promise<void>): Promise<void> {
    await this.db.query(withinInterval(this.noun, 'next_run_at', 'every_seconds'), [this.clock.now()]);
    const rows = await this.db.query<{ id: string }[]>(
      `select id from ${this.noun} where enabled and next_run_at <= $1 order by next_run_at, id limit ${DUE}`,
      [this.clock.now()],
    );
    const ids = rows.map(({ id }) => id);
    const quarantine = (id: string) => this.quarantine(id);
    await this.marks.during(this.noun, ids, (some) => eachRow(some, run), quarantine);
  }

  protected recordRun(
    tx: EntityManager,
    what: 'run' | 'quarantine',
    row: RecurringRow,
    actor: Actor,
    facts: object = {},
  ): Promise<void> {
    return this.record(tx, `${this.noun}.${what}`, row, actor, facts);
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
      await this.recordRun(tx, 'quarantine', row, systemActor(this.name));
    });
  }
}
