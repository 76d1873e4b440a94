import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Checkpoint } from '../../merkle-log/checkpoint.js';
import { ADVISORY_LOCK, tryLock } from '../../database/advisory-locks.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { nearDatabase } from '../../database/database-time.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { AuditLog, sealOf, type Leaf } from './audit-log.js';
import { Audit } from '../entries/audit.js';
import { JOIN_ROWS, LINE } from '../entries/canonical.js';
import { CheckpointSigner, type PassStart, type LogState } from './checkpoint-signer.js';
import { MerkleStore } from './merkle-store.js';
import { columnsOf } from '../../database/columns-of.js';

/*
 * Gives each entry and each outcome its place in the log, within a second of its commit. There is one leader at a time,
 * by an advisory lock for one pass. A leader that dies frees it with its connection, and the next pass of another
 * process continues. A pass is one transaction, so half a pass leaves nothing.
 *
 * New rows are found by the transaction that wrote them. The watermark is a transaction number below which no
 * transaction is running: all rows below it have their place. At and above it rows may appear out of order, so each
 * pass reads all of them and takes those without a place. Numbers belong to one server. In a database that was restored
 * into another server, and without a watermark, a pass reads all rows, first those whose number means nothing on this
 * server.
 */

/** Topic of notifications to live streams: the log has grown. */
export const LOG_TOPIC = 'audit_log';

/** Rows of one pass: about 200 ms. */
const ROWS_PER_PASS = 5_000;

/** Leaves whose MAC is computed in one turn of the event loop, about 4 ms: requests wait for its end. */
const LEAVES_AT_ONCE = 512;

/** A pass without a watermark reads the complete audit, however long that takes, so it takes more rows. */
const ROWS_PER_FULL_PASS = 20_000;

const NO_TIMEOUT = 'set local statement_timeout = 0';

/** For a pass that takes few rows of large tables: a sequential scan would come from outdated or missing statistics. */
const BY_INDEX = 'set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off';

/** The longest wait for an entry's place, and the interval of its polls. */
const PLACE_WITHIN_MS = 10_000;
const PLACE_POLL_MS = 20;

/** Pauses after failures, so that a damaged log is reported once a minute and not twice a second. */
const REST_MS = [500, 2_000, 10_000, 60_000];

/** Transactions without a new row after which the watermark follows. */
const IDLE_TRANSACTIONS = 10_000n;

interface StateRow extends LogState {
  readonly server: string;
  readonly horizon: string;
  readonly ceiling: string;
  readonly size: number;
}

interface DueRow extends Omit<Leaf, 'sequence'> {
  readonly writtenIn: string | null;
}

type PassEnd = 'done' | 'more' | 'busy';

interface Pass {
  readonly end: PassEnd;
  /** Null: another process runs a pass. */
  readonly found: PassStart | null;
  readonly signed: Checkpoint | null;
}

@Injectable()
export class Sequencer implements Sweeper {
  readonly name = 'audit-sequencer';
  readonly everyMs = 500;
  private failures = 0;
  private restUntil = 0;
  private readonly signer: CheckpointSigner;
  /** The newest transaction whose rows this process has placed. */
  private lastTaken = 0n;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AuditLog) private readonly log: AuditLog,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'notify'>,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'AUDIT_CHECKPOINT_SECONDS'>,
    @Inject(Audit) audit: Pick<Audit, 'record'>,
  ) {
    this.signer = new CheckpointSigner(log, audit);
  }

  /** It returns no counts: it always finds work, and a log line each time would be noise. */
  async sweep(): Promise<Record<string, number>> {
    const restMs = this.restUntil - this.clock.nowMs();
    // Longer than any pause: the clock was set back.
    if (restMs > 0 && restMs <= REST_MS.at(-1)!) return {};
    try {
      while ((await this.pass()) === 'more');
      this.failures = 0;
    } catch (error) {
      const restMs = REST_MS[Math.min(this.failures++, REST_MS.length - 1)]!;
      this.restUntil = this.clock.now().getTime() + restMs;
      throw error;
    }
    return {};
  }

  /** At a stop: places and signs all committed rows, unless another process is doing so. */
  async catchUp(): Promise<void> {
    while ((await this.pass(0)) === 'more');
  }

  /**
   * Before an export: runs passes until a committed entry has its place and is signed. An older transaction or another
   * process may delay it, both for moments.
   * @throws AppError `audit_busy` when it takes longer than ten seconds
   */
  async place(entryId: string): Promise<void> {
    const until = performance.now() + PLACE_WITHIN_MS;
    for (;;) {
      while ((await this.pass(0)) === 'more' && performance.now() < until);
      const [row] = await this.db.query<{ placed: boolean }[]>(
        `select exists (select from audit_leaf where row_id = $1 and sequence < (select max(size) from audit_checkpoint)) as placed`,
        [entryId],
      );
      if (row!.placed) return;
      if (performance.now() > until) throw new AppError('audit_busy');
      await pause(PLACE_POLL_MS);
    }
  }

  /**
   * Runs one pass.
   * @param signAfterMs the least age of the last checkpoint, in milliseconds
   * @returns `more` when more work is ready, `busy` when another process runs a pass
   * @throws Error when the log does not contain what was signed before
   */
  async pass(signAfterMs = this.config.AUDIT_CHECKPOINT_SECONDS * 1_000): Promise<PassEnd> {
    await this.log.key(); // the first call creates the log, outside the transaction
    const { end, found, signed } = await this.db.transaction((tx) => this.passIn(tx, signAfterMs));
    if (found) this.signer.committed(found, signed);
    return end;
  }

  private async passIn(tx: EntityManager, signAfterMs: number): Promise<Pass> {
    if (!(await tryLock(tx, ADVISORY_LOCK.auditSequencer))) return { end: 'busy', found: null, signed: null };
    const state = await stateOf(tx, this.clock);
    const found = await this.signer.find(tx, state);
    const isFull = state.watermark === null;
    // No timeout: while a transaction holds the horizon back, placed rows accumulate above the watermark. A pass that
    // timed out there would never move the watermark.
    await tx.query(isFull ? NO_TIMEOUT : `${NO_TIMEOUT}; ${BY_INDEX}`);
    const limit = isFull ? ROWS_PER_FULL_PASS : ROWS_PER_PASS;
    const due = await dueRows(tx, isFull ? null : state, limit);
    if (due.length > 0) await this.append(tx, state.size, due);
    const isMore = due.length === limit;
    await this.moveWatermark(tx, state, due, isMore);
    // A backlog is signed only at its end: its rows are older than a signature now, and would look inserted later.
    if (isMore) return { end: 'more', found, signed: null };
    return { end: 'done', found, signed: await this.signer.sign(tx, found, state.size + due.length, signAfterMs) };
  }

  private async append(tx: EntityManager, size: number, due: readonly DueRow[]): Promise<void> {
    const { sealKey } = await this.log.key();
    const store = new MerkleStore(tx);
    for (let from = 0; from < due.length; from += LEAVES_AT_ONCE) {
      const first = size + from;
      const leaves = due
        .slice(from, from + LEAVES_AT_ONCE)
        .map(({ kind, rowId, hash }, index): Leaf => ({ sequence: first + index, kind, rowId, hash }));
      await insertLeaves(tx, leaves, sealKey);
      await store.complete(first, first + leaves.length);
    }
    await this.notifications.notify(tx, LOG_TOPIC, null);
  }

  /** @param isMore whether more rows may follow the last one */
  private async moveWatermark(
    tx: EntityManager,
    state: StateRow,
    due: readonly DueRow[],
    isMore: boolean,
  ): Promise<void> {
    const { watermark, horizon, ceiling } = state;
    const last = due.at(-1)?.writtenIn ?? null;
    const isOurs = last !== null && BigInt(last) < BigInt(ceiling);
    if (isOurs && BigInt(last) > this.lastTaken) this.lastTaken = BigInt(last);
    // Rows whose number means nothing here come first. While there are some, each pass reads all rows.
    if (isMore && !isOurs) return setWatermark(tx, state, null);
    const next = isMore && isOurs && BigInt(last) < BigInt(horizon) ? last : horizon;
    // An idle log gets no update: one each half second would only make dead rows. The log is idle when the watermark
    // has passed all placed rows, which an older transaction can delay.
    if (due.length === 0 && watermark !== null) {
      const isBehind = BigInt(watermark) <= this.lastTaken && BigInt(next) > BigInt(watermark);
      if (!isBehind && BigInt(next) - BigInt(watermark) < IDLE_TRANSACTIONS) return;
    }
    await setWatermark(tx, state, next);
  }
}

/** Read before the rows: a transaction that begins and ends in between is above the horizon and is read again. */
async function stateOf(tx: EntityManager, clock: Clock): Promise<StateRow> {
  const [row] = await tx.query<(Omit<StateRow, 'size'> & { size: string; markedBy: string | null })[]>(
    `select watermark::text, server_id as "markedBy", (select system_identifier::text from pg_control_system()) as server,
            pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
            pg_snapshot_xmax(pg_current_snapshot())::text as ceiling,
            coalesce((select max(sequence) from audit_leaf), (select max(last) from audit_segment), -1) + 1 as size,
            (select note from audit_checkpoint order by size desc limit 1) as note,
            (extract(epoch from ${nearDatabase('$2::timestamptz', 1)}) * 1000)::float8 as "nowMs"
       from audit_log`,
    [clock.fromDatabaseMs, clock.now()],
  );
  const { markedBy, ...state } = row!;
  const isOurs = markedBy === state.server && BigInt(state.watermark ?? 0) <= BigInt(state.ceiling);
  return { ...state, watermark: isOurs ? state.watermark : null, size: Number(state.size) };
}

async function insertLeaves(tx: EntityManager, leaves: readonly Leaf[], sealKey: Buffer): Promise<void> {
  await tx.query(
    `insert into audit_leaf (sequence, kind, row_id, hash, seal)
     select * from unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::bytea[], $5::bytea[])`,
    [...columnsOf(leaves, 'sequence', 'kind', 'rowId', 'hash'), leaves.map((leaf) => sealOf(leaf, sealKey))],
  );
}

/** @param watermark a transaction of this server below which all its rows have their place; null: none */
async function setWatermark(tx: EntityManager, { server }: StateRow, watermark: string | null): Promise<void> {
  await tx.query('update audit_log set watermark = $1::xid8, server_id = $2', [watermark, server]);
}

/**
 * Rows without a place, in the order in which they get theirs.
 * @param state reads from its watermark to its ceiling. Null reads all rows. First come rows without a number, by their
 *   time, and rows with a number that this server has not assigned yet.
 */
function dueRows(tx: EntityManager, state: StateRow | null, limit: number): Promise<DueRow[]> {
  const where = state ? 'written_in >= $2::xid8 and written_in < $3::xid8' : 'true';
  const order = state
    ? 'written_in'
    : 'coalesce(written_in < pg_snapshot_xmax(pg_current_snapshot()), false), written_in nulls first, at';
  const rows = (table: string, id: string, kind: number, at: string) => `
    (select ${kind} as kind, ${id} as row_id, written_in, ${at} as at from ${table} source
      where ${where}
        and not exists (select from audit_leaf placed where placed.row_id = source.${id} and placed.kind = ${kind})
      order by ${order} limit $1)`;
  return tx.query<DueRow[]>(
    `with unplaced as (${rows('audit_entry', 'id', 0, 'opened_at')} union all ${rows('audit_outcome', 'entry_id', 1, 'closed_at')}),
       leaf as materialized (
         select *, row_number() over (order by ${order}, kind, row_id) as place from unplaced order by place limit $1)
     select leaf.kind, leaf.row_id as "rowId", leaf.written_in::text as "writtenIn",
            sha256('\\x00'::bytea || convert_to(${LINE}, 'UTF8')) as hash
       from leaf ${JOIN_ROWS} order by leaf.place`,
    state ? [limit, state.watermark, state.ceiling] : [limit],
  );
}
