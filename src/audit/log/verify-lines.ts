import { type z } from 'zod';
import { type verifyLine } from '../entries/audit.contract.js';

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

type Line<Type extends string> = Extract<z.output<typeof verifyLine>, { type: Type }>;

export type Finding = Line<'finding'> & { readonly kind: FindingKind };
export type Summary = Line<'summary'>;
export type VerifyLine = Finding | Line<'progress'> | Summary;
