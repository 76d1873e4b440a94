import { describe, expect, it } from 'vitest';
import {
  changedFields,
  fieldProblem,
  type FieldType,
  type FieldValue,
} from '../../src/devices/registry/device-fields.js';

describe('a value of a custom field', () => {
  it.each<[FieldType, FieldValue | null, boolean]>([
    ['text', 'B7', true],
    ['text', 7, false],
    ['number', 7.25, true],
    ['number', -0.000001, true],
    ['number', 0.0000001, false],
    ['number', 1e15, false],
    ['number', Number.NaN, false],
    ['number', '7', false],
    ['boolean', true, true],
    ['boolean', 'true', false],
    ['date', '2024-02-29', true],
    ['date', '2025-02-29', false],
    ['date', '2025-2-1', false],
    ['choice', 'north', true],
    ['choice', 'North', false],
    ['choice', null, true],
  ])('%s: %j is allowed: %s', (type, value, isAllowed) => {
    expect(fieldProblem({ key: 'k', type, choices: ['north'] }, value) === null).toBe(isAllowed);
  });

  it('without a definition can only be removed', () => {
    expect(fieldProblem(undefined, 'x')).toMatch(/no such field/);
    expect(fieldProblem(undefined, null)).toBeNull();
  });

  it('changes, stays or goes by its key', () => {
    expect(changedFields({ a: 1, b: 'x', c: true }, { a: 2, c: null, d: 'new' })).toEqual({ a: 2, b: 'x', d: 'new' });
  });
});
