import { type EntityManager } from 'typeorm';
import { NO_PREDECESSOR, numberOf, openCheckpoint, type Checkpoint } from '../../merkle-log/checkpoint.js';
import { systemActor } from '../../platform/actor.js';
import { type AuditLog } from './audit-log.js';
import { type Audit } from '../entries/audit.js';
import { MerkleStore } from './merkle-store.js';

/*
 * Signs the log at one size, only if it contains everything signed before. On a log that was cut or altered it stops
 * with an error.
 *
 * A clock can be set back. A checkpoint contains the clock's time, also when it is earlier than that of the one before,
 * and then also the time from which it was set back. Verification accepts earlier times from there on. A set-back is
 * also an audit entry when this process notices it, or when the clock at the start is behind the log's last signature.
 */

/** Clocks of replicas differ by less, and a row may be out of time by twice as much. */
const SET_BACK_MS = 5 * 60_000;

const STEP_ACTION = 'audit.clock_set_back';

export interface LogState {
  /** Null: there is none, or it is of another server. */
  readonly watermark: string | null;
  /** The last checkpoint. */
  readonly note: string | null;
  /** This process's time, limited to near the database's. */
  readonly nowMs: number;
}

/** What `find` learned about the log and the clock. */
export interface PassStart {
  readonly last: Checkpoint | null;
  readonly nowMs: number;
  /** The latest time that the clock showed before. */
  readonly latestMs: number;
  /** The time that the clock was set back from, when this pass notices it. */
  readonly setBackFromMs: number | null;
}

export class CheckpointSigner {
  /** What this process signed last. A database that was rolled back under it does not contain it. */
  private signed: Checkpoint | null = null;
  /** The last checkpoint that this process saw, and since when by its own clock: clocks of replicas differ. */
  private lastSeen = { size: -1, atMs: 0 };
  /** The latest time of this process's clock since its last set-back; null before the first pass. */
  private latestMs: number | null = null;
  /** The size of the last checkpoint seen. Other processes may have recorded a set-back since then. */
  private seenSize = 0;
  /** The time that it was set back from since the last checkpoint seen; 0 when it was not. */
  private setBackFromMs = 0;

  constructor(
    private readonly log: AuditLog,
    private readonly audit: Pick<Audit, 'record'>,
  ) {}

  /**
   * Reads the clock and the last checkpoint. One replica records a set-back of the clock as an entry.
   * @throws Error when the last checkpoint is not signed by the key of the log
   */
  async find(tx: EntityManager, { note, nowMs, watermark }: LogState): Promise<PassStart> {
    const { verifier } = await this.log.key();
    const last = note === null ? null : openCheckpoint(note, verifier);
    if (note !== null && !last) throw new Error('The last checkpoint of the audit log is not signed by its key');
    const isSetBack = (fromMs: number) => fromMs - nowMs > SET_BACK_MS;
    const signedMs = last?.signedAt.getTime() ?? 0;
    let latestMs = this.latestMs ?? signedMs;
    const recordedMs = isSetBack(latestMs) ? await this.recordedByOthers(tx) : null;
    if (recordedMs !== null) latestMs = Math.max(recordedMs, signedMs);
    if (!isSetBack(latestMs)) return { last, nowMs, latestMs, setBackFromMs: null };
    if (!(await hasEntryOfStep(tx, watermark))) await this.record(tx, latestMs, nowMs);
    return { last, nowMs, latestMs, setBackFromMs: latestMs };
  }

  /**
   * Signs the log at a size.
   * @param afterMs the least age of the last checkpoint, in milliseconds
   * @returns the new checkpoint; null when there is nothing new to sign, or it is too early
   * @throws Error when the log does not contain what was signed before
   */
  async sign(tx: EntityManager, found: PassStart, size: number, afterMs: number): Promise<Checkpoint | null> {
    const { last, nowMs } = found;
    if (size === (last?.size ?? 0) && size >= (this.signed?.size ?? 0)) return null;
    if (!this.isDue(found, afterMs)) return null;
    const store = new MerkleStore(tx);
    for (const before of [last, this.signed]) {
      if (!before || before.size === 0) continue;
      if (before.size > size || !(await store.root(before.size)).equals(before.root)) {
        throw new Error(
          `The audit log no longer contains what was signed at ${before.size} leaves; run an audit verify`,
        );
      }
    }
    // Names a checkpoint that this process signed and that was deleted since: verification then reports it as missing.
    const before = this.signed && this.signed.size > (last?.size ?? 0) ? this.signed : last;
    const fromMs = Math.max(before ? +before.signedAt : 0, this.setBackFromMs, found.setBackFromMs ?? 0);
    const setBackFrom = fromMs - nowMs > SET_BACK_MS ? new Date(fromMs) : null;
    const checkpoint = {
      origin: (await this.log.key()).verifier.name,
      size,
      root: await store.root(size),
      signedAt: new Date(nowMs),
      after: before ? { number: numberOf(before), size: before.size, signedAt: before.signedAt } : NO_PREDECESSOR,
      ...(setBackFrom && { setBackFrom }),
    };
    await tx.query(
      'insert into audit_checkpoint (size, root, signed_at, note, set_back_from) values ($1, $2, $3, $4, $5)',
      [size, checkpoint.root, checkpoint.signedAt, await this.log.sign(checkpoint), setBackFrom],
    );
    return checkpoint;
  }

  /** @returns the time at which another process recorded a set-back since the last pass; null when none did */
  private async recordedByOthers(tx: EntityManager): Promise<number | null> {
    const [row] = await tx.query<{ note: string }[]>(
      'select note from audit_checkpoint where set_back_from is not null and size > $1 order by size desc limit 1',
      [this.seenSize],
    );
    const signed = row && openCheckpoint(row.note, (await this.log.key()).verifier);
    return signed?.setBackFrom ? +signed.signedAt : null;
  }

  private record(tx: EntityManager, fromMs: number, toMs: number): Promise<void> {
    return this.audit.record(tx, {
      actor: systemActor('audit'),
      action: STEP_ACTION,
      subject: 'audit',
      facts: { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() },
    });
  }

  /** Stores the result of a committed pass: the log does not contain a rolled-back one. */
  committed({ last, nowMs, latestMs, setBackFromMs }: PassStart, signed: Checkpoint | null): void {
    this.seenSize = (signed ?? last)?.size ?? 0;
    this.latestMs = setBackFromMs === null ? Math.max(latestMs, nowMs) : nowMs;
    if (setBackFromMs !== null) this.setBackFromMs = setBackFromMs;
    if (!signed) return;
    this.signed = signed;
    this.setBackFromMs = 0;
  }

  private isDue({ last, nowMs, setBackFromMs }: PassStart, afterMs: number): boolean {
    if (!last) return true;
    if (this.lastSeen.size !== last.size) {
      this.lastSeen = { size: last.size, atMs: +last.signedAt };
      if (last.setBackFrom) this.setBackFromMs = 0; // another process recorded it
    }
    this.lastSeen.atMs = Math.min(this.lastSeen.atMs, nowMs);
    return setBackFromMs !== null || this.setBackFromMs > 0 || nowMs - this.lastSeen.atMs >= afterMs;
  }
}

/** Whether another process has just written the entry of a set-back, which has no place in the log yet. */
async function hasEntryOfStep(tx: EntityManager, watermark: string | null): Promise<boolean> {
  const [row] = await tx.query<unknown[]>(
    `select from audit_entry
      where action = $1 and ($2::xid8 is null or written_in >= $2::xid8)
        and not exists (select from audit_leaf where row_id = id and kind = 0) limit 1`,
    [STEP_ACTION, watermark],
  );
  return row !== undefined;
}
