import { type Facts } from '../../platform/errors.js';
import { type StepOutcome } from '../rows/job-state.js';
import { type EffectVerdict, type Evidence } from './kind.js';

/*
 * What became of a write that a look can judge:
 *
 *   the device has it        executed, with or without an answer
 *   answered, not there      it did not hold
 *   no answer, not there     looked at again for a while; then sent again, as long as the device is as it was before;
 *                            then the answer is lost
 *
 * "Sent again" is another intent, with a look of its own before it. Pure.
 */

/** A write may restart a service before it answers. What has not happened by then will not happen any more. */
export const SETTLED_MS = 60_000;

/** Between two looks at a device that may be at work. */
export const LOOK_AGAIN_MS = 5_000;

/** Times that one write is sent, when it is certain that it was not carried out before. */
export const MAX_SENDS = 3;

interface SentWrite<Cursor> {
  /** What the look said. */
  readonly after: Facts;
  /** What comes next when the device has what was asked for; null: it does not have it. */
  readonly held: StepOutcome<Cursor> | null;
  /** What comes next when it was accepted and is not there. Absent: it is sent again. */
  readonly didNotHold?: StepOutcome<Cursor>;
  /** Whether the device is as it was before: only then it is sent again. */
  readonly asBefore?: boolean;
  /** Times that it was sent before this one. */
  readonly sends: number;
  readonly settledMs?: number;
  readonly resend: (sends: number) => StepOutcome<Cursor>;
  readonly lost: (sends: number) => { readonly is: 'not_executed' | 'unknown'; readonly outcome: StepOutcome<Cursor> };
}

/** @param evidence of an effect that the device did not refuse */
export function concludeWrite<Cursor>(
  { answer, sentForMs }: Pick<Evidence, 'answer' | 'sentForMs'>,
  write: SentWrite<Cursor>,
): EffectVerdict<Cursor> {
  const { after, held, didNotHold, asBefore = true, settledMs = SETTLED_MS } = write;
  const isAnswered = answer !== undefined;
  if (held) return { is: 'executed', after, outcome: held };
  if (isAnswered && didNotHold) return { is: 'executed', after, outcome: didNotHold };
  if (!isAnswered && sentForMs < settledMs) return { is: 'undecided', afterMs: LOOK_AGAIN_MS };
  const sends = write.sends + 1;
  if (asBefore && sends < MAX_SENDS) return { is: 'not_executed', after, outcome: write.resend(sends) };
  return { after, ...write.lost(sends) };
}
