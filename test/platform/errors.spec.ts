import { describe, expect, it } from 'vitest';
import { AppError, ERROR_AREAS, ERRORS, isDatabaseAway } from '../../src/platform/errors.js';
import { toAppError, toProblem } from '../../src/http/problem.js';

describe('the table of errors', () => {
  it('says in each row what happened and what to do', () => {
    for (const info of Object.values(ERRORS)) {
      expect(info.title).toMatch(/^[A-Z].*[^.]$/);
      expect(info.advice).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('turns an unknown error into an internal one without its message', () => {
    const error = toAppError(new Error('password=hunter2'));
    expect(error.code).toBe('internal_error');
    expect(JSON.stringify(toProblem(error, 'r'))).not.toContain('hunter2');
  });
});

describe('a problem document', () => {
  it('carries code, status, advice, request id and facts', () => {
    expect(toProblem(new AppError('device_exists', { field: 'name' }), 'req-1')).toMatchObject({
      type: '/docs/errors#device_exists',
      status: 409,
      code: 'device_exists',
      requestId: 'req-1',
      field: 'name',
    });
  });
});

it('puts each error in one area', () => {
  expect(ERROR_AREAS.flatMap(([, errors]) => Object.keys(errors))).toEqual(Object.keys(ERRORS));
});

describe('isDatabaseAway', () => {
  it('recognises a failed connection, and not one that a client closed', () => {
    const error = (syscall: string) => Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall });
    expect(isDatabaseAway(error('connect'))).toBe(true);
    expect(isDatabaseAway(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))).toBe(false);
  });

  it.each(['57P01', '08006', '53300'])('recognises %s', (code) => {
    expect(isDatabaseAway(Object.assign(new Error('x'), { code }))).toBe(true);
  });

  it.each(['23505', '42601', '40P01'])('does not accept %s', (code) => {
    expect(isDatabaseAway(Object.assign(new Error('x'), { code }))).toBe(false);
  });

  it('looks through the wrapper of the query builder', () => {
    const driverError = Object.assign(new Error('x'), { code: '57P03' });
    expect(isDatabaseAway(Object.assign(new Error('y'), { driverError }))).toBe(true);
  });
});
