import { type AuditAction } from './audit-actions.js';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { DataSource } from 'typeorm';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { v7 } from 'uuid';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { nearDatabase } from '../../database/database-time.js';
import { AppError, isDiskFull } from '../../platform/errors.js';
import { Batching } from '../../database/batching.js';
import { storableJson } from '../../database/storable.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { isWrongValue } from '../../platform/wrong-value.js';
import { type Sweeper } from '../../platform/sweeper.js';

/*
 * The audit records actions and their outcomes.
 *
 * A change of the gateway's own rows writes entry and outcome together, in the transaction of the change, so
 * the change cannot be committed without them. A write on a device has two: `open` commits the entry before the first
 * byte is sent, `close` adds the outcome after the answer. An entry without an outcome was in progress when its process
 * died.
 *
 * Ids begin with the time: an id is in four indexes, and in each its neighbours are of the same moment.
 */

/** Fewer statements with more rows each raise the throughput of writes (ADR 21). */
export const PAUSE_BETWEEN_BATCHES_MS = 1;

export type AuditOutcomeName = 'succeeded' | 'failed' | 'refused' | 'unknown';

/** An action to record. `facts` contain no secret: secrets are replaced by `Secrets.fingerprint`. */
export interface NewAuditEntry {
  readonly actor: Actor;
  readonly action: AuditAction;
  /** What it is about, such as `job:<id>` or `PUT /api/…`. */
  readonly subject: string;
  readonly deviceId?: string | undefined;
  readonly jobId?: string | undefined;
  /** The fan-out that it belongs to. */
  readonly operationId?: string | undefined;
  readonly facts?: Record<string, unknown>;
}

/** Runs as the gateway's role, or as the database owner where only the owner may make the recorded change. */
interface Transaction {
  query(sql: string, values: unknown[]): Promise<unknown>;
}

/** A commit has no limit in Postgres: it waits for a synchronous standby for ever. Late entries close as not sent. */
const OPEN_WITHIN_MS = 15_000;

/** Outcomes of writes that wait for the database: at 200 writes a second a minute without it. */
const LATE_MAX = 12_000;

/** Outcomes of calls that were refused as their entry was not confirmed. Any caller can cause them, and few have an entry. */
const LATE_UNSENT_MAX = 2_000;

interface EntryRow {
  readonly id: string;
  readonly openedAt: Date;
  readonly entry: NewAuditEntry;
}

interface OutcomeRow {
  readonly entryId: string;
  readonly closedAt: Date;
  readonly outcome: AuditOutcomeName;
  readonly facts: Record<string, unknown>;
}

@Injectable()
export class Audit {
  private readonly rows: Batching<EntryRow | OutcomeRow>;
  private readonly late = new LateOutcomes<OutcomeRow>(LATE_MAX);
  private readonly lateUnsent = new LateOutcomes<OutcomeRow>(LATE_UNSENT_MAX);
  private readonly lateRows: Batching<OutcomeRow>;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.rows = new Batching((rows) => this.write(rows), PAUSE_BETWEEN_BATCHES_MS);
    this.lateRows = new Batching(async (rows) => {
      await this.db.query(INSERT_LATE, [this.clock.fromDatabaseMs, outcomesJson(rows)]);
    });
  }

  /** Records a change of the gateway's rows in its transaction: both are committed, or neither. */
  async record(tx: Transaction, entry: NewAuditEntry, outcome: AuditOutcomeName = 'succeeded'): Promise<void> {
    await this.recordAll(tx, [entry], outcome);
  }

  /** As `record`, for bulk changes: one statement for any number of entries. */
  async recordAll(
    tx: Transaction,
    newEntries: readonly NewAuditEntry[],
    outcome: AuditOutcomeName = 'succeeded',
  ): Promise<void> {
    const now = this.clock.now();
    const entries = newEntries.map((entry) => ({ id: v7(), openedAt: now, entry }));
    const outcomes = entries.map(({ id }) => ({ entryId: id, closedAt: now, outcome, facts: {} }));
    const { fromDatabaseMs } = this.clock;
    await tx.query(INSERT_BOTH.text, [fromDatabaseMs, entriesJson(entries), outcomesJson(outcomes)]);
  }

  /**
   * Commits the entry of a write on a device.
   * @returns the entry's id, for `close`
   * @throws AppError `database_unavailable`, `disk_full`; Error when this entry cannot be written: the write must not
   *   be sent
   */
  async open(entry: NewAuditEntry): Promise<string> {
    const id = v7();
    try {
      const committed = this.rows.add({ id, openedAt: this.clock.now(), entry });
      await withTimeout(OPEN_WITHIN_MS, committed, () => {
        throw new Error('The entry was not committed in time; a standby of synchronous replication may be away');
      });
    } catch (cause) {
      if (isWrongValue(cause)) throw cause;
      throw this.notSent([id], cause);
    }
    return id;
  }

  /** As `open`, for several writes of one request: all or none are committed. */
  async openAll(newEntries: readonly NewAuditEntry[]): Promise<string[]> {
    if (newEntries.length === 1) return [await this.open(newEntries[0]!)];
    const now = this.clock.now();
    const entries = newEntries.map((entry) => ({ id: v7(), openedAt: now, entry }));
    try {
      await this.db.query(INSERT_ENTRIES, [this.clock.fromDatabaseMs, entriesJson(entries)]);
    } catch (cause) {
      throw this.notSent(
        entries.map(({ id }) => id),
        cause,
      );
    }
    return entries.map(({ id }) => id);
  }

  /**
   * Without the database the outcome waits in this process and is written when the database is back. An entry whose outcome
   * is lost with the process is closed as `unknown` by a sweeper.
   */
  async close(entryId: string, outcome: AuditOutcomeName, facts: Record<string, unknown> = {}): Promise<void> {
    const row = { entryId, closedAt: this.clock.now(), outcome, facts };
    try {
      await this.rows.add(row, true);
    } catch (error) {
      if (isWrongValue(error) || !this.late.add(row)) throw error;
    }
  }

  /** Writes outcomes that the database did not take in time. @returns how many */
  async closeLate(): Promise<number> {
    const insert = (row: OutcomeRow) => this.lateRows.add(row);
    const known = await this.late.write(insert);
    return known + (await this.lateUnsent.write(insert));
  }

  /** Waits until all given rows are committed. */
  async drain(): Promise<void> {
    await this.rows.drain();
    await this.closeLate().catch(() => undefined); // without the database the entries stay open
  }

  /** An entry that the database did not confirm may be there: nothing was sent for it, and so it says. */
  private notSent(ids: readonly string[], cause: unknown): AppError {
    const error = asUnavailable(cause);
    const closedAt = this.clock.now();
    for (const entryId of ids)
      this.lateUnsent.add({ entryId, closedAt, outcome: 'failed', facts: { code: error.code, sent: false } });
    return error;
  }

  /**
   * Writes the waiting entries and outcomes with one commit. Outcomes, which may be some milliseconds late, go with the
   * next entries. It uses the pool directly: a query runner cannot name a prepared statement.
   */
  private async write(rows: readonly (EntryRow | OutcomeRow)[]): Promise<void> {
    const entries = rows.filter((row) => 'entry' in row);
    const outcomes = rows.filter((row) => 'entryId' in row);
    const pool = (this.db.driver as PostgresDriver).master as Pool;
    const { fromDatabaseMs } = this.clock;
    if (entries.length === 0)
      await pool.query({ ...INSERT_OUTCOMES, values: [fromDatabaseMs, outcomesJson(outcomes)] });
    else await pool.query({ ...INSERT_BOTH, values: [fromDatabaseMs, entriesJson(entries), outcomesJson(outcomes)] });
  }
}

/*
 * Rows as one JSON parameter: one statement for any number of rows, and one pass over them in this process. Names are
 * for statements that Postgres prepares once per connection. $1 is how far a time may be from the database's clock.
 */

const ENTRY_COLUMNS = `
  action, actor, actor_name, request_id, address, reason, device_id, job_id, operation_id, subject, facts`;

const INSERT_ENTRIES = `
  insert into audit_entry (id, opened_at, ${ENTRY_COLUMNS})
  select id, ${nearDatabase('opened_at', 1)}, ${ENTRY_COLUMNS} from json_to_recordset($2::json) as entry
    (id uuid, opened_at timestamptz, action text, actor text, actor_name text, request_id text, address text,
     reason text, device_id uuid, job_id uuid, operation_id uuid, subject text, facts jsonb)`;

/** The first outcome wins, also against the sweeper's. @param rows the number of its parameter */
const insertOutcomes = (rows: number, condition = '') => `
  insert into audit_outcome (entry_id, closed_at, outcome, facts)
  select entry_id, ${nearDatabase('closed_at', 1)}, outcome, facts from json_to_recordset($${rows}::json) as outcome
    (entry_id uuid, closed_at timestamptz, outcome text, facts jsonb) ${condition}
  on conflict do nothing`;

/** An entry that was not confirmed may be missing; an outcome without entry would be a fault of the log. */
const INSERT_LATE = insertOutcomes(2, 'where exists (select from audit_entry where id = entry_id)');
const INSERT_OUTCOMES = { name: 'audit outcomes', text: insertOutcomes(2) };
const INSERT_BOTH = { name: 'audit rows', text: `with entries as (${INSERT_ENTRIES}) ${insertOutcomes(3)}` };

const entriesJson = (rows: readonly EntryRow[]): string =>
  storableJson(
    rows.map(({ id, openedAt, entry }) => ({
      id,
      opened_at: openedAt,
      action: entry.action,
      actor: entry.actor.actorId,
      actor_name: entry.actor.name,
      request_id: entry.actor.requestId,
      address: entry.actor.address,
      reason: entry.actor.reason,
      device_id: entry.deviceId,
      job_id: entry.jobId,
      operation_id: entry.operationId,
      subject: entry.subject,
      facts: entry.facts ?? {},
    })),
  );

const outcomesJson = (rows: readonly OutcomeRow[]): string =>
  storableJson(
    rows.map(({ entryId, closedAt, outcome, facts }) => ({ entry_id: entryId, closed_at: closedAt, outcome, facts })),
  );

function asUnavailable(cause: unknown): AppError {
  return new AppError(isDiskFull(cause) ? 'disk_full' : 'database_unavailable', {}, { cause });
}

/** Outcomes that the database did not take: they are known here, and nowhere else. */
class LateOutcomes<Row> {
  private rows: Row[] = [];

  /** @param most rows; the sweeper of open entries closes the other ones as `unknown` */
  constructor(private readonly most: number) {}

  /** @returns whether there was room */
  add(row: Row): boolean {
    if (this.rows.length >= this.most) return false;
    this.rows.push(row);
    return true;
  }

  /**
   * Writes all. What the database cannot take now stays; a row with a value that it refuses does not.
   * @returns how many were written
   * @throws what the first of those that stay met
   */
  async write(insert: (row: Row) => Promise<void>): Promise<number> {
    const rows = this.rows.splice(0);
    const written = await Promise.allSettled(rows.map(insert));
    const failed = written.map((one) => (one.status === 'rejected' && !isWrongValue(one.reason) ? one : null));
    this.rows.push(...rows.filter((_row, index) => failed[index] !== null));
    const first = failed.find((one) => one !== null);
    if (first) throw first.reason;
    return written.filter(({ status }) => status === 'fulfilled').length;
  }
}

/** Closes entries whose outcome the database did not take in time, as soon as it is back. */
@Injectable()
export class LateOutcomesSweeper implements Sweeper {
  readonly name = 'late-audit-outcomes';
  readonly everyMs = 2_000;

  constructor(@Inject(Audit) private readonly audit: Pick<Audit, 'closeLate'>) {}

  async sweep(): Promise<Record<string, number>> {
    return { closed: await this.audit.closeLate() };
  }
}
