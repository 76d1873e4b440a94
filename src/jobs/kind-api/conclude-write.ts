import { type Facts } from '../../platform/errors.js';
import { type StepResult } from '../rows/job-state.js';
import { type EffectVerdict, type Evidence } from './kind.js';

/*
 * The result of a write that a read can verify:
 *
 *   the device has it        executed, with or without an answer
 *   answered, not there      the device did not keep it
 *   no answer, not there     read again for a while; then sent again, while the device is as before; then the answer
 *                            counts as lost
 *
 * "Sent again" is another intent, with its own probe before it. Pure.
 */

/** A write may restart a service before it answers. After this time it will not take effect any more. */
export const SETTLED_MS = 60_000;

/** Between two reads of a device that may be busy. */
export const PROBE_AGAIN_MS = 5_000;

/** How often one write is sent, when it certainly had no effect before. */
export const MAX_SENDS = 3;

interface SentWrite<Cursor> {
  /** The result of the read. */
  readonly after: Facts;
  /** The result when the device has the intended state; null: it does not have it. */
  readonly applied: StepResult<Cursor> | null;
  /** The result when the device accepted the write and does not have its result. Absent: it is sent again. */
  readonly notApplied?: StepResult<Cursor>;
  /** Whether the device is as it was before: only then it is sent again. */
  readonly asBefore?: boolean;
  /** How often it was sent before. */
  readonly sends: number;
  readonly settledMs?: number;
  readonly resend: (sends: number) => StepResult<Cursor>;
  readonly lost: (sends: number) => {
    readonly is: 'not_executed' | 'unknown';
    readonly stepResult: StepResult<Cursor>;
  };
}

/** @param evidence of an effect that the device did not refuse */
export function concludeWrite<Cursor>(
  { answer, settlingMs }: Pick<Evidence, 'answer' | 'settlingMs'>,
  write: SentWrite<Cursor>,
): EffectVerdict<Cursor> {
  const { after, applied, notApplied, asBefore = true, settledMs = SETTLED_MS } = write;
  const isAnswered = answer !== undefined;
  if (applied) return { is: 'executed', after, stepResult: applied };
  if (isAnswered && notApplied) return { is: 'executed', after, stepResult: notApplied };
  if (!isAnswered && settlingMs < settledMs) return { is: 'undecided', afterMs: PROBE_AGAIN_MS };
  const sends = write.sends + 1;
  if (asBefore && sends < MAX_SENDS) return { is: 'not_executed', after, stepResult: write.resend(sends) };
  return { after, ...write.lost(sends) };
}
