import { type EntityManager } from 'typeorm';
import { NO_PREDECESSOR, numberOf, openCheckpoint, type Checkpoint } from '../../merkle-log/checkpoint.js';
import { systemActor } from '../../platform/actor.js';
import { type AuditLog } from './audit-log.js';
import { type Audit } from '../entries/audit.js';
import { MerkleStore } from './merkle-store.js';

/*
 * Signs what the log is at one size, and nothing that does not contain what was signed before: on a log that was cut or
 * altered it stops, and says so.
 *
 * A clock can be set back. A checkpoint says the time that the clock shows, also when it is earlier than that of the one
 * before, and says then from which time it was set back: verification takes earlier times from there on. It is an entry of the
 * audit, too, when the clock of this process was set back, or shows an earlier time at the start than the log was signed at.
 */

/**
 * A checkpoint says of the clock that it was set back by more than this. Clocks of replicas differ by less, and a row may
 * be out of time by twice as much.
 */
const SET_BACK_MS = 5 * 60_000;

const STEP_ACTION = 'audit.clock_set_back';

/** What a pass reads of the log. */
export interface LogState {
  /** Null: there is none, or it says nothing on this server. */
  readonly watermark: string | null;
  /** The last checkpoint. */
  readonly note: string | null;
  /** By the clock of this process, and near that of the database. */
  readonly nowMs: number;
}

/** Where a pass finds the log. */
export interface Found {
  /** The last checkpoint; null: there is none. */
  readonly last: Checkpoint | null;
  readonly nowMs: number;
  /** The latest time that the clock has shown before. */
  readonly latestMs: number;
  /** What the clock was set back from, when that is noticed now. */
  readonly setBackFromMs: number | null;
}

export class CheckpointSigner {
  /** What this process has signed last: a database that was rolled back under it does not contain it. */
  private signed: Checkpoint | null = null;
  /** The checkpoint that this process met last, and since when by its own clock: clocks of replicas differ. */
  private met = { size: -1, atMs: 0 };
  /** The latest time that the clock of this process has shown since it was set back last; null: it has not looked yet. */
  private latestMs: number | null = null;
  /** The checkpoint at which it has looked last: others may have said since then that the clock was set back. */
  private seenSize = 0;
  /** What it was set back from since the last checkpoint that it met. */
  private setBackFromMs = 0;

  constructor(
    private readonly log: AuditLog,
    private readonly audit: Pick<Audit, 'record'>,
  ) {}

  /**
   * Looks at the clock and at the last checkpoint. A clock that was set back becomes an entry, of one replica.
   * @throws Error when the last checkpoint is not signed by the key of the log
   */
  async find(tx: EntityManager, { note, nowMs, watermark }: LogState): Promise<Found> {
    const { verifier } = await this.log.key();
    const last = note === null ? null : openCheckpoint(note, verifier);
    if (note !== null && !last) throw new Error('The last checkpoint of the audit log is not signed by its key');
    const isSetBack = (fromMs: number) => fromMs - nowMs > SET_BACK_MS;
    const signedMs = last?.signedAt.getTime() ?? 0;
    let latestMs = this.latestMs ?? signedMs;
    const saidMs = isSetBack(latestMs) ? await this.saidByOthers(tx) : null;
    if (saidMs !== null) latestMs = Math.max(saidMs, signedMs);
    if (!isSetBack(latestMs)) return { last, nowMs, latestMs, setBackFromMs: null };
    if (!(await hasEntryOfStep(tx, watermark))) await this.record(tx, latestMs, nowMs);
    return { last, nowMs, latestMs, setBackFromMs: latestMs };
  }

  /**
   * Signs the log at a size.
   * @param afterMs how old the last checkpoint is before another one is signed
   * @returns what was signed; null when there is nothing new to sign, or it is not time yet
   * @throws Error when the log does not contain what was signed before
   */
  async sign(tx: EntityManager, found: Found, size: number, afterMs: number): Promise<Checkpoint | null> {
    const { last, nowMs } = found;
    if (size === (last?.size ?? 0) && size >= (this.signed?.size ?? 0)) return null;
    if (!this.isDue(found, afterMs)) return null;
    const store = new MerkleStore(tx);
    for (const before of [last, this.signed]) {
      if (!before || before.size === 0) continue;
      if (before.size > size || !(await store.root(before.size)).equals(before.root)) {
        throw new Error(`The audit log does not contain what was signed at ${before.size} leaves; run an audit verify`);
      }
    }
    // One that this process has signed and that is not there any more is missed by the verification.
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

  /** @returns the signed time at which another process said, since the last pass, that the clock was set back; null: none did */
  private async saidByOthers(tx: EntityManager): Promise<number | null> {
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

  /** Remembers a pass that was committed: what was rolled back is not in the log. */
  committed({ last, nowMs, latestMs, setBackFromMs }: Found, signed: Checkpoint | null): void {
    this.seenSize = (signed ?? last)?.size ?? 0;
    this.latestMs = setBackFromMs === null ? Math.max(latestMs, nowMs) : nowMs;
    if (setBackFromMs !== null) this.setBackFromMs = setBackFromMs;
    if (!signed) return;
    this.signed = signed;
    this.setBackFromMs = 0;
  }

  private isDue({ last, nowMs, setBackFromMs }: Found, afterMs: number): boolean {
    if (!last) return true;
    if (this.met.size !== last.size) {
      this.met = { size: last.size, atMs: +last.signedAt };
      if (last.setBackFrom) this.setBackFromMs = 0; // another process has said it
    }
    this.met.atMs = Math.min(this.met.atMs, nowMs);
    return setBackFromMs !== null || this.setBackFromMs > 0 || nowMs - this.met.atMs >= afterMs;
  }
}

/** Whether another process has written the entry of a step just now: it is signed for when it has its place. */
async function hasEntryOfStep(tx: EntityManager, watermark: string | null): Promise<boolean> {
  const [row] = await tx.query<unknown[]>(
    `select from audit_entry
      where action = $1 and ($2::xid8 is null or written_in >= $2::xid8)
        and not exists (select from audit_leaf where row_id = id and kind = 0) limit 1`,
    [STEP_ACTION, watermark],
  );
  return row !== undefined;
}
