import { z } from 'zod';
import { AppError, type Facts } from '../../platform/errors.js';
import { type End, type Failure, type Intent, type LogLine } from '../rows/job-state.js';
import { failureOf } from '../rows/step-error.js';

/* The results of a step, each in one line. Pure. */

type BadOutcome = 'failed' | 'not_executed' | 'unknown';

interface NextStep<Name, Cursor> {
  readonly next: Name;
  readonly cursor: Cursor;
  readonly logLine?: LogLine;
}

/** On to the next step. */
export function go<Cursor>(cursor: Cursor, text?: string, facts?: Facts): NextStep<'go', Cursor> {
  return { next: 'go', cursor, ...logLineOf(text, facts) };
}

/** The step requests an effect. @param before the result of the probe before */
export function effect<Cursor>(name: string, cursor: Cursor, before: Facts, text?: string, facts?: Facts) {
  return { next: 'effect', effect: name, cursor, before, ...logLineOf(text, facts) } as const;
}

/** The same step again after a pause: the device is busy. */
export function poll<Cursor>(cursor: Cursor, afterMs: number, text?: string, facts?: Facts) {
  return { next: 'wait', cursor, afterMs, reason: 'device_works', ...logLineOf(text, facts) } as const;
}

export function succeed(result: Facts, text?: string, facts?: Facts): End {
  return { next: 'end', outcome: 'succeeded', result, ...logLineOf(text, facts) };
}

/** An end without success. @param result the part that was done */
export function end(outcome: BadOutcome, failure: Failure, result?: Facts): End {
  return { next: 'end', outcome, failure, ...(result ? { result } : {}) };
}

export function endWith(outcome: BadOutcome, code: string, message: string, facts: Facts = {}): End {
  return end(outcome, { code, message, facts });
}

/** The device refused an effect, so it did nothing. */
export function refused<Result>(stepResult: Result, after: Facts = {}) {
  return { is: 'not_executed', after, stepResult } as const;
}

export const storedFailure = z.object({
  code: z.string(),
  message: z.string(),
  facts: z.record(z.string(), z.unknown()),
});

/** In the spec of kinds that use an artifact. */
export const approvedSha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .optional()
  .describe('The approved digest; another one is refused');

/** Whether a dangerous effect may be on the device: from then on a cancel comes too late. */
export function mayBeOnDevice(intent: Intent | null): boolean {
  return intent !== null && intent.state !== 'open' && intent.state !== 'not_executed';
}

/** The failure for an artifact that cannot be read, or differs from the approved one; null for other errors. */
export function storeFailure(error: unknown): Failure | null {
  return error instanceof AppError && error.code.startsWith('artifact_') ? failureOf(error) : null;
}

/** Whether the device gave this code with a refusal. */
export function hasCode({ facts }: { readonly facts: Facts }, code: number): boolean {
  const codes = facts['deviceCodes'];
  return Array.isArray(codes) && codes.includes(code);
}

function logLineOf(text: string | undefined, facts: Facts | undefined): { readonly logLine?: LogLine } {
  return text === undefined ? {} : { logLine: facts ? { text, facts } : { text } };
}
