import { type EntityManager } from 'typeorm';
import { JOIN_ROWS, LINE, WRITTEN_MS } from '../entries/canonical.js';
import { type Leaf } from './audit-log.js';

/* Reads the rows for a verification, in the snapshot of its transaction. */

export interface LeafRow extends Leaf {
  readonly seal: Buffer;
  /** The canonical line of the row; null when it is not there. */
  readonly line: string | null;
  readonly writtenMs: number | null;
}

export interface CheckpointRow {
  readonly size: number;
  readonly root: Buffer;
  readonly signedAt: Date;
  readonly setBackFrom: Date | null;
  readonly note: string;
}

export interface SegmentRow {
  readonly number: string;
  readonly root: Buffer;
  readonly fileName: string;
  readonly fileSha256: Buffer;
}

export interface ArchiveEntry {
  readonly subject: string;
  readonly facts: { readonly root?: unknown; readonly file?: unknown; readonly sha256?: unknown };
}

export const ARCHIVE_ACTION = 'audit.archive';

export interface UnplacedRow {
  readonly kind: number;
  readonly rowId: string;
  /** Whether the sequencer must have seen it. */
  readonly wasPassed: boolean;
  /** Whether its time is before the given time. */
  readonly isOld: boolean;
  /** The total number of rows that are neither. */
  readonly pending: number;
}

/** No transaction of this server wrote the row: the sequencer places it before there is a watermark. */
const NOT_GIVEN = '(written_in is null or written_in >= pg_snapshot_xmax(pg_current_snapshot()))';

export class LogRows {
  constructor(private readonly db: EntityManager) {}

  /** The number of leaves, archived ones included. */
  async size(): Promise<number> {
    const [row] = await this.db.query<{ size: string }[]>(
      'select coalesce((select max(sequence) from audit_leaf), (select max(last) from audit_segment), -1) + 1 as size',
    );
    return Number(row!.size);
  }

  segments(): Promise<SegmentRow[]> {
    return this.db.query(
      'select number, root, file_name as "fileName", file_sha256 as "fileSha256" from audit_segment order by number',
    );
  }

  async segment(number: number): Promise<SegmentRow | undefined> {
    const [row] = await this.db.query<SegmentRow[]>(
      'select number, root, file_name as "fileName", file_sha256 as "fileSha256" from audit_segment where number = $1',
      [number],
    );
    return row;
  }

  archiveEntries(): Promise<ArchiveEntry[]> {
    return this.db.query('select subject, facts from audit_entry where action = $1', [ARCHIVE_ACTION]);
  }

  /** Checkpoints after a size, up to the first one at or after another. */
  checkpoints(after: number, through: number): Promise<CheckpointRow[]> {
    return this.db.query(
      `select size::float8 as size, root, signed_at as "signedAt", set_back_from as "setBackFrom", note from audit_checkpoint
        where size > $1 and size <= coalesce((select min(size) from audit_checkpoint where size >= $2), $2) order by size`,
      [after, through],
    );
  }

  /** The last checkpoint, or the one at a size. */
  async checkpoint(size: number | null = null): Promise<Pick<CheckpointRow, 'size' | 'note'> | undefined> {
    const [row] = await this.db.query<CheckpointRow[]>(
      'select size::float8 as size, note from audit_checkpoint where $1::bigint is null or size = $1 order by size desc limit 1',
      [size],
    );
    return row;
  }

  /** Leaves from `from` to before `to`, in order; a leaf with a duplicate row comes twice. */
  leaves(from: number, to: number): Promise<LeafRow[]> {
    return this.db.query(
      `select leaf.sequence::float8 as sequence, leaf.kind, leaf.row_id as "rowId", leaf.hash, leaf.seal, ${LINE} as line,
              ${WRITTEN_MS} as "writtenMs"
         from audit_leaf leaf ${JOIN_ROWS} where leaf.sequence >= $1 and leaf.sequence < $2 order by leaf.sequence`,
      [from, to],
    );
  }

  /** Stored hashes of a height, in order; undefined where one is missing. */
  async storedHashes(height: number, position: number, count: number): Promise<(Buffer | undefined)[]> {
    const rows = await this.db.query<{ position: string; hash: Buffer }[]>(
      'select position, hash from audit_node where height = $1 and position >= $2 and position < $3',
      [height, position, position + count],
    );
    const hashes = new Map(rows.map((row) => [Number(row.position), row.hash]));
    return Array.from({ length: count }, (_, index) => hashes.get(position + index));
  }

  /** The largest signed size beyond this one, or null. */
  async signedBeyond(size: number): Promise<number | null> {
    const [signed] = await this.db.query<{ size: number | null }[]>(
      'select max(size)::float8 as size from audit_checkpoint where size > $1',
      [size],
    );
    return signed?.size ?? null;
  }

  /** Stored hashes above leaves beyond this size, a hundred at most. */
  hashesBeyond(size: number): Promise<{ height: number; position: string }[]> {
    return this.db.query(
      `select height, position from audit_node where (position + 1) * (2::numeric ^ height) > $1
        order by height, position limit 100`,
      [size],
    );
  }

  /** Rows without a leaf; those that should have one come first. */
  unplaced(oldBefore: Date, limit: number): Promise<UnplacedRow[]> {
    return this.db.query(
      `with unplaced as (
         select 0 as kind, id as row_id, opened_at as at, written_in from audit_entry source
          where not exists (select from audit_leaf where row_id = source.id and kind = 0)
         union all
         select 1, entry_id, closed_at, written_in from audit_outcome source
          where not exists (select from audit_leaf where row_id = source.entry_id and kind = 1)),
       judged as (
         select kind, row_id as "rowId", at < $1 as "isOld",
                coalesce((written_in < watermark or ${NOT_GIVEN}) and watermark <= pg_snapshot_xmax(pg_current_snapshot())
                         and server_id = system_identifier::text, false) as "wasPassed"
           from unplaced cross join audit_log cross join pg_control_system())
       select *, count(*) filter (where not ("isOld" or "wasPassed")) over ()::int as pending
         from judged order by "isOld" or "wasPassed" desc limit $2`,
      [oldBefore, limit],
    );
  }
}
