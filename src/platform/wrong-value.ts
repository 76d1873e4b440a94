import { QueryFailedError } from 'typeorm';

/** PostgreSQL, Appendix A: classes of errors for a wrong value: data exceptions, broken constraints, limits. */
const WRONG_VALUE = /^(2[23]|54)/;

/** JSON that is too deep to be written, or cannot be. */
const NOT_WRITABLE = new Set(['RangeError', 'TypeError']);

/** Whether a statement failed because of a value in it, so that it may succeed without that value. */
export function isWrongValue(error: unknown): boolean {
  const { code, name } = (
    error instanceof QueryFailedError ? error.driverError : error
  ) as Partial<NodeJS.ErrnoException>;
  return WRONG_VALUE.test(code ?? '') || NOT_WRITABLE.has(name ?? '');
}
