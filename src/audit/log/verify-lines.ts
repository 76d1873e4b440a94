import { type LeafKind } from '../entries/canonical.js';

/* The lines of a verification: findings and progress as they come, a summary last. */

export type FindingKind =
  | 'row_altered'
  | 'row_missing'
  | 'row_duplicated'
  | 'row_without_place'
  | 'row_out_of_time'
  | 'leaf_altered'
  | 'leaf_missing'
  | 'node_altered'
  | 'checkpoint_altered'
  | 'checkpoint_missing'
  | 'history_altered'
  | 'tail_cut'
  | 'segment_altered'
  | 'wrong_key'
  | 'rolled_back'
  | 'forked'
  | 'witness_unreadable';

export interface Finding {
  readonly type: 'finding';
  readonly kind: FindingKind;
  /** A sentence for a person. */
  readonly what: string;
  /** The place in the log; with `through`, the first place of a range that contains the row. */
  readonly sequence: number | null;
  readonly through: number | null;
  readonly row: { readonly kind: LeafKind; readonly id: string } | null;
}

interface VerificationProgress {
  readonly type: 'progress';
  readonly leaves: number;
  readonly of: number;
}

export interface Summary {
  readonly type: 'summary';
  readonly holds: boolean;
  readonly findings: number;
  readonly leaves: number;
  readonly entries: number;
  readonly outcomes: number;
  /** Leaves in archived segments, of which only the segments' roots are known. */
  readonly archived: number;
  /** Committed and not placed yet, which is normal. */
  readonly pending: number;
  readonly checkpoints: number;
  /** Checkpoints at which the clock showed an earlier time than before. */
  readonly clockSetBack: number;
  readonly witnessed: number;
  readonly root: string;
  readonly key: string;
  readonly ms: number;
}

export type VerifyLine = Finding | VerificationProgress | Summary;
