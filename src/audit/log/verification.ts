import { numberOf, openCheckpoint, parseCheckpoint, type Checkpoint } from '../../merkle-log/checkpoint.js';
import { fold, Frontier, leafHash } from '../../merkle-log/merkle.js';
import { formatVerifierKey } from '../../merkle-log/signed-note.js';
import { type VerifyInput } from '../entries/audit.contract.js';
import { type ArchivedSegments } from './archived-segments.js';
import { kindName, sealOf, type LogKey } from './audit-log.js';
import { type CheckpointRow, type LeafRow, type LogRows } from './log-rows.js';
import { NODE_STEP, SEGMENT_LEAVES } from './merkle-store.js';
import { SignedTimes } from './signed-times.js';
import { type Finding, type FindingKind, type Summary, type VerifyLine } from './verify-lines.js';

/*
 * Verifies the complete audit and reports what does not match. It computes everything again from the rows: each row's
 * line against its leaf, each leaf's MAC against its place, the stored hashes above the leaves, and the root at each
 * checkpoint against the signature. Each checkpoint names the one before it, so a deleted one is noticed. The log
 * itself cannot show a roll-back of the complete database; the checkpoints of a witness show it.
 *
 * One snapshot of the database, read in pieces: the log may grow during the run.
 */

/** Leaves of one piece: about 10 milliseconds of hashing before other work runs. */
const LEAVES_AT_ONCE = 4_096;

/** The most findings that are reported; the summary contains their number. */
const FINDINGS_MAX = 1_000;

/** Leaves under one stored hash. */
const BLOCK = 2 ** NODE_STEP;

export type VerifyOptions = Partial<VerifyInput>;

/** A checkpoint of the log; `signed` is null when it is not what the gateway signed at this size. */
interface OwnCheckpoint {
  readonly size: number;
  readonly signed: Checkpoint | null;
}

export class Verification {
  private readonly startedAt = performance.now();
  private frontier = new Frontier();
  private readonly found: Finding[] = [];
  private readonly counts = {
    findings: 0,
    entries: 0,
    outcomes: 0,
    archived: 0,
    pending: 0,
    checkpoints: 0,
    clockSetBack: 0,
    witnessed: 0,
  };
  private size = 0;
  /** Leaves are lost: rows can still be checked one by one, but no root can be computed. */
  private hasLostLeaves = false;
  private hasForked = false;
  /** The row after the last matching checkpoint: in a replaced history, the first row that may differ. */
  private suspect: Pick<LeafRow, 'kind' | 'rowId' | 'sequence'> | null = null;
  private own: OwnCheckpoint[] = [];
  private lastOwn: OwnCheckpoint | null = null;
  /** The stored hashes above the blocks of the current piece. */
  private nodes: readonly (Buffer | undefined)[] = [];
  private witnessed: Checkpoint[] = [];
  private readonly times: SignedTimes;
  /** Hashes of heights 8, 16, ... that wait to be 256. */
  private readonly levels: Buffer[][] = [];

  constructor(
    private readonly rows: LogRows,
    private readonly archive: Pick<ArchivedSegments, 'check'>,
    private readonly key: LogKey,
    private readonly options: VerifyOptions,
    nowMs: number,
  ) {
    this.times = new SignedTimes(nowMs);
  }

  async *run(): AsyncGenerator<VerifyLine> {
    this.checkKey();
    this.readWitnessed();
    this.size = await this.rows.size();
    await this.takeSegments();
    let next = this.readLeaves(this.counts.archived);
    for (let from = this.counts.archived; from < this.size; from += LEAVES_AT_ONCE) {
      const to = Math.min(from + LEAVES_AT_ONCE, this.size);
      const rows = await next;
      this.own = await this.readCheckpoints(from, to);
      this.nodes = await this.rows.storedHashes(NODE_STEP, from / BLOCK, LEAVES_AT_ONCE / BLOCK);
      next = this.readLeaves(to); // the database reads on while this process hashes
      await this.takeLeaves(from, to, rows);
      yield* this.found.splice(0);
      yield { type: 'progress', leaves: to, of: this.size };
    }
    await this.checkBeyondEnd();
    await this.findRowsWithoutPlace();
    yield* this.found.splice(0);
    yield this.summary();
  }

  private summary(): Summary {
    return {
      type: 'summary',
      holds: this.counts.findings === 0,
      ...this.counts,
      leaves: this.size,
      root: this.hasLostLeaves ? '' : this.frontier.root().toString('base64'),
      key: formatVerifierKey(this.key.verifier),
      ms: Math.round(performance.now() - this.startedAt),
    };
  }

  private report(
    kind: FindingKind,
    what: string,
    at: { sequence?: number; through?: number; row?: Pick<LeafRow, 'kind' | 'rowId'> | null } = {},
  ): void {
    if (++this.counts.findings > FINDINGS_MAX) return;
    const { sequence = null, through = null, row } = at;
    const name = row ? { kind: kindName(row.kind), id: row.rowId } : null;
    this.found.push({ type: 'finding', kind, what, sequence, through, row: name });
  }

  private checkKey(): void {
    const expected = this.options.key?.trim();
    if (expected && expected !== formatVerifierKey(this.key.verifier)) {
      this.report('wrong_key', 'The log is signed with another key than expected');
    }
  }

  private readWitnessed(): void {
    for (const note of this.options.witnessed ?? []) {
      const checkpoint = openCheckpoint(note, this.key.verifier);
      const named = parseCheckpoint(note)?.checkpoint;
      if (checkpoint) this.witnessed.push(checkpoint);
      else if (named) {
        const which = `of ${named.origin} at ${named.size} leaves`;
        this.report('wrong_key', `A checkpoint of the witness, ${which}, is not signed with the key of this log`);
      } else this.report('witness_unreadable', 'A checkpoint of the witness cannot be read');
    }
    this.witnessed.sort((one, other) => one.size - other.size);
    this.counts.witnessed = this.witnessed.length;
  }

  /** Adds archived segments to the tree with their stored hashes; later checkpoints prove these. */
  private async takeSegments(): Promise<void> {
    const segments = await this.rows.segments();
    const problems = await this.archive.check(segments);
    for (const [index, { number, root }] of segments.entries()) {
      const first = index * SEGMENT_LEAVES;
      const blocks = await this.rows.storedHashes(NODE_STEP, first / BLOCK, SEGMENT_LEAVES / BLOCK);
      if (Number(number) !== index || blocks.some((hash) => !hash) || !fold(blocks as Buffer[]).equals(root)) {
        const what = 'The record of an archived segment is missing, or does not match its leaves';
        this.report('segment_altered', what, { sequence: first, through: first + SEGMENT_LEAVES - 1 });
        this.hasLostLeaves = true;
        break;
      }
      const problem = problems.get(index);
      if (problem) this.report('segment_altered', problem, { sequence: first, through: first + SEGMENT_LEAVES - 1 });
      for (const hash of blocks) await this.pushBlock(hash!);
    }
    this.counts.archived = segments.length * SEGMENT_LEAVES;
    this.own = await this.readCheckpoints(-1, this.counts.archived);
    this.passCheckpoints(this.counts.archived);
    // The root inside archived segments cannot be computed. A later witnessed checkpoint covers it.
    this.witnessed = this.witnessed.filter(({ size }) => size >= this.counts.archived);
  }

  private readLeaves(from: number): Promise<LeafRow[]> {
    if (from >= this.size) return Promise.resolve([]);
    const rows = this.rows.leaves(from, Math.min(from + LEAVES_AT_ONCE, this.size));
    rows.catch(() => undefined); // handled where it is awaited
    return rows;
  }

  private async takeLeaves(from: number, to: number, rows: readonly LeafRow[]): Promise<void> {
    let next = 0;
    for (let start = from; start < to; start += BLOCK) {
      const block: LeafRow[] = [];
      const end = Math.min(start + BLOCK, to);
      for (let row = rows[next]; row && row.sequence < end; row = rows[++next]) {
        if (row.sequence === block.at(-1)?.sequence) {
          this.report('row_duplicated', 'A row, or its place, exists twice', { sequence: row.sequence, row });
        } else block.push(row);
      }
      await this.takeBlock(start, end, block);
    }
  }

  private async takeBlock(start: number, end: number, rows: readonly LeafRow[]): Promise<void> {
    const isComplete = rows.length === end - start;
    if (!isComplete) this.reportGaps(start, end, rows);
    const isKnown = isComplete && !this.hasLostLeaves;
    const before = this.frontier.copy();
    // Leaf by leaf where a root between them is needed, or where the block is not full.
    const needsRoots = [this.own[0], this.witnessed[0]].some((checkpoint) => checkpoint && checkpoint.size < end);
    const oneByOne = needsRoots || end - start < BLOCK;
    let isSealed = true;
    const hashes: Buffer[] = [];
    for (const row of rows) {
      const hash = this.checkLeaf(row);
      isSealed &&= hash !== null;
      hashes.push(hash ?? row.hash);
      if (isKnown && oneByOne) this.frontier.push(hash ?? row.hash);
      if (oneByOne) this.passCheckpoints(row.sequence + 1, isKnown);
    }
    if (end - start < BLOCK) {
      this.hasLostLeaves ||= !isComplete;
      return;
    }
    if (!isKnown) await this.bridge(start);
    else {
      const block = fold(hashes);
      if (!oneByOne) this.frontier.push(block, NODE_STEP);
      await this.checkBlock(start, block, isSealed, before);
    }
    this.passCheckpoints(end, !this.hasLostLeaves);
  }

  private reportGaps(start: number, end: number, rows: readonly LeafRow[]): void {
    let expected = start;
    for (const sequence of [...rows.map((row) => row.sequence), end]) {
      if (sequence > expected) {
        const what = 'Leaves were deleted, together with the places of their rows';
        this.report('leaf_missing', what, { sequence: expected, through: sequence - 1 });
      }
      expected = sequence + 1;
    }
  }

  /** @returns the original hash of the leaf; null when it is unknown */
  private checkLeaf(row: LeafRow): Buffer | null {
    const { sequence } = row;
    const at = { sequence, row };
    this.suspect ??= row;
    this.counts[row.kind === 0 ? 'entries' : 'outcomes']++;
    const isSealed = (hash: Buffer) => sealOf({ ...row, hash }, this.key.sealKey).equals(row.seal);
    const now = row.line === null ? null : leafHash(Buffer.from(row.line));
    this.checkTime(row);
    if (isSealed(row.hash)) {
      if (now === null) this.report('row_missing', 'The row was deleted; its leaf still exists', at);
      else if (!now.equals(row.hash)) {
        this.report('row_altered', 'The row was changed after it got its place', at);
      }
      return row.hash;
    }
    this.report('leaf_altered', 'The leaf is not the one that the gateway created for this row at this place', at);
    return now && isSealed(now) ? now : null;
  }

  private checkTime(row: LeafRow): void {
    if (row.writtenMs === null) return;
    const { sequence } = row;
    const own = this.own.find(({ size }) => size > sequence)?.signed;
    const seen = this.witnessed.find(({ size }) => size > sequence);
    const next = own && seen && seen.size < own.size ? seen : (own ?? seen);
    if (this.times.allow(sequence, row.writtenMs, next)) return;
    const what = 'The time of the row does not match the time at which it got its place';
    this.report('row_out_of_time', what, { sequence, row });
  }

  /** Compares a block with the hash stored above it, and continues with the trusted one of the two. */
  private async checkBlock(start: number, computed: Buffer, isSealed: boolean, before: Frontier): Promise<void> {
    const stored = this.nodes[(start % LEAVES_AT_ONCE) / BLOCK];
    if (stored?.equals(computed)) return this.pushLevel(0, computed);
    this.reportNode(NODE_STEP, start / BLOCK, stored);
    if (isSealed || !stored) return this.pushLevel(0, computed);
    this.frontier = before;
    await this.pushBlock(stored);
  }

  /** Leaves of this block are missing. With the hash stored above it the rest of the tree can still be computed. */
  private async bridge(start: number): Promise<void> {
    const stored = this.hasLostLeaves ? undefined : this.nodes[(start % LEAVES_AT_ONCE) / BLOCK];
    if (stored) await this.pushBlock(stored);
    else this.hasLostLeaves = true;
  }

  private async pushBlock(hash: Buffer): Promise<void> {
    this.frontier.push(hash, NODE_STEP);
    await this.pushLevel(0, hash);
  }

  /** Compares the stored hashes of heights 16, 24, ... with those computed below them. */
  private async pushLevel(level: number, hash: Buffer): Promise<void> {
    const waiting = (this.levels[level] ??= []);
    waiting.push(hash);
    if (waiting.length < BLOCK) return;
    this.levels[level] = [];
    const height = (level + 2) * NODE_STEP;
    const above = fold(waiting);
    const position = this.frontier.size / 2 ** height - 1;
    const [stored] = await this.rows.storedHashes(height, position, 1);
    if (!stored?.equals(above)) this.reportNode(height, position, stored);
    await this.pushLevel(level + 1, above);
  }

  private reportNode(height: number, position: number, stored: Buffer | undefined): void {
    const what = stored ? 'A stored hash does not match the leaves below it' : 'A stored hash is missing';
    const width = 2 ** height;
    this.report('node_altered', what, { sequence: position * width, through: (position + 1) * width - 1 });
  }

  private async readCheckpoints(after: number, through: number): Promise<OwnCheckpoint[]> {
    const rows = await this.rows.checkpoints(after, through);
    return rows.map((row) => ({ size: row.size, signed: this.openOwn(row) }));
  }

  private openOwn({ size, root, signedAt, setBackFrom, note }: CheckpointRow): Checkpoint | null {
    const signed = openCheckpoint(note, this.key.verifier);
    if (!signed || signed.size !== size || !signed.root.equals(root) || +signed.signedAt !== +signedAt) return null;
    return +(signed.setBackFrom ?? 0) === +(setBackFrom ?? 0) ? signed : null;
  }

  /** Processes own and witnessed checkpoints up to a size, and compares their roots where the tree's root is known. */
  private passCheckpoints(size: number, isKnown = true): void {
    const passed = new Set(this.lastOwn ? [this.lastOwn.size] : []);
    while (this.own[0] && this.own[0].size <= size) {
      const own = this.own.shift()!;
      passed.add(own.size);
      this.passOwn(own, isKnown && own.size === size);
    }
    while (this.witnessed[0] && this.witnessed[0].size <= size) {
      const seen = this.witnessed.shift()!;
      this.times.add(seen);
      if (isKnown && seen.size === size) {
        this.compare(seen, 'forked', 'A witness has another history at this size');
      }
      if (this.hasForked || passed.has(seen.size)) continue;
      const what = `The checkpoint at ${seen.size} leaves, which a witness has, was deleted`;
      this.report('checkpoint_missing', what, { sequence: seen.size - 1 });
    }
  }

  private passOwn(own: OwnCheckpoint, isKnown: boolean): void {
    const { size, signed } = own;
    this.counts.checkpoints++;
    if (!signed) {
      const what = 'A checkpoint is not the one that the gateway signed at this size';
      this.report('checkpoint_altered', what, { sequence: size - 1, row: this.suspect });
    } else {
      this.findMissingBefore(signed);
      this.times.add(signed);
      if (signed.setBackFrom) this.counts.clockSetBack++;
      if (isKnown) this.compare(signed, 'history_altered', 'The log was signed with another history at this size');
    }
    this.lastOwn = own;
  }

  /** Each checkpoint names the one before it. Checkpoints of archived segments were removed with them. */
  private findMissingBefore({ size, after }: Checkpoint): void {
    const last = this.lastOwn;
    if (!after || after.size === (last?.size ?? 0) || (!last && after.size <= this.counts.archived)) return;
    const first = last ? last.signed && numberOf(last.signed) + 1 : this.counts.archived === 0 ? 1 : null;
    const which =
      first === null ? `All checkpoints up to number ${after.number}` : `Checkpoints ${first} to ${after.number}`;
    const what =
      after.size < (last?.size ?? 0)
        ? `A checkpoint names the one at ${after.size} leaves as the previous one, but another one is stored`
        : `${which} were deleted: the last was signed at ${after.size} leaves on ${after.signedAt.toISOString()}`;
    this.report('checkpoint_missing', what, { sequence: last?.size ?? this.counts.archived, through: size - 1 });
  }

  private compare({ size, root }: Checkpoint, kind: 'history_altered' | 'forked', what: string): void {
    if (this.frontier.root().equals(root)) {
      this.suspect = null;
      this.hasForked = false;
      return;
    }
    if (this.hasForked && kind === 'history_altered') return; // already reported
    this.hasForked = true;
    this.report(kind, what, { sequence: this.suspect?.sequence ?? 0, through: size - 1, row: this.suspect });
  }

  /** Signatures, stored hashes or witnessed checkpoints beyond the last leaf prove that there was more. */
  private async checkBeyondEnd(): Promise<void> {
    const signed = await this.rows.signedBeyond(this.size);
    if (signed !== null) {
      const what = `The log was signed at ${signed} leaves and has ${this.size}`;
      this.report('tail_cut', what, { sequence: this.size, through: signed - 1 });
    }
    const seen = this.witnessed.at(-1);
    if (seen) {
      const what = `A witness has ${seen.size} leaves, and the log has ${this.size}: it was rolled back or cut`;
      this.report('rolled_back', what, { sequence: this.size, through: seen.size - 1, row: this.suspect });
    }
    const above = await this.rows.hashesBeyond(this.size);
    for (const { height, position } of above) {
      const width = 2 ** height;
      const what = 'A stored hash is above leaves that do not exist';
      this.report('tail_cut', what, { sequence: this.size, through: (Number(position) + 1) * width - 1 });
    }
  }

  /** Rows that the sequencer has not seen yet are normal. Reports rows that it must have seen, or that are too old. */
  private async findRowsWithoutPlace(): Promise<void> {
    const oldBefore = new Date(Math.max(0, this.times.earliestMs(this.size)));
    const rows = await this.rows.unplaced(oldBefore, FINDINGS_MAX);
    this.counts.pending = rows[0]?.pending ?? 0;
    for (const { kind, rowId, wasPassed, isOld } of rows) {
      const row = { kind, rowId };
      if (wasPassed) this.report('row_without_place', 'The row lost its place in the log, or never got one', { row });
      else if (isOld) this.report('row_out_of_time', 'The time of the row is long before its insertion', { row });
    }
  }
}
