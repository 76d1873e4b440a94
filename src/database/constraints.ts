import { QueryFailedError } from 'typeorm';
import { AppError, type ErrorCode, type Facts } from '../platform/errors.js';

/** What each constraint means to a caller when it is violated. */
export type Meanings = Readonly<Record<string, readonly [code: ErrorCode, facts?: Facts]>>;

/** Runs a change; a constraint that it violates becomes the error that it means. */
export async function mapConstraintErrors<Result>(meanings: Meanings, change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (cause) {
    const [code, facts] = meanings[violatedConstraint(cause) ?? ''] ?? [];
    throw code ? new AppError(code, facts, { cause }) : cause;
  }
}

/** The constraint that a statement violated, by its name. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof QueryFailedError ? (error.driverError as { constraint?: string }).constraint : undefined;
}
