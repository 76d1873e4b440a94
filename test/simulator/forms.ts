/* The forms of observed values, for tables of endpoints: a field is what its form says, whatever its value. */
import { expect } from 'vitest';

/** A whole number, text of any form, text of a flag, text of a whole number. */
export const WHOLE = expect.toSatisfy((value) => Number.isInteger(value), 'a whole number');
export const NUMBER = expect.any(Number);
export const BOOLEAN = expect.any(Boolean);
export const TEXT = expect.any(String);
export const FLAG = expect.stringMatching(/^[01]$/);
export const DIGITS = expect.stringMatching(/^\d+$/);
export const DECIMAL = expect.stringMatching(/^-?\d+\.\d+$/);
export const MAC = expect.stringMatching(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
export const LIST = expect.any(Array);
export const ABSENT = 'N/A';

/** A number, or the text that stands in for one. */
export const NUMBER_OR_ABSENT = expect.toSatisfy(
  (value) => typeof value === 'number' || value === ABSENT,
  'a number or N/A',
);

/** Fields of one form, by names that spaces separate. */
export const all = (form: unknown, names: string): Record<string, unknown> =>
  Object.fromEntries(names.split(' ').map((name) => [name, form]));

/** A list with at least one item, all of one form. */
export const listOf = (item: object): unknown =>
  expect.toSatisfy((value) => {
    expect(value).toEqual(expect.arrayContaining([expect.objectContaining(item)]));
    expect(value).toEqual((value as unknown[]).map(() => expect.objectContaining(item)));
    return true;
  });
