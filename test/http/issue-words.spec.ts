import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueText } from '../../src/http/issue-words.js';

/* A wrong value is told in words for people, not in those of the library. */

const said = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: issueText }).error?.issues.map(({ message }) => message);

describe('a wrong value', () => {
  it.each([
    [z.string(), undefined, 'is missing'],
    [z.enum(['a', 'b']), undefined, 'is missing'],
    [z.string(), 5, 'must be a text'],
    [z.number(), 'x', 'must be a number'],
    [z.number().int(), 1.5, 'must be a whole number'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(2), 'a', 'must have at least 2 characters'],
    [z.string().max(1_000), 'x'.repeat(1_001), 'must have at most 1,000 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
    [z.number().min(1_000), 1, 'must be at least 1,000'],
    [z.number().positive(), 0, 'must be more than 0'],
    [z.number().max(4), 5, 'must be at most 4'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.literal('a'), 'c', 'must be a'],
    [z.uuid(), 'x', 'must be an id such as 0199b1d2-7a3c-7c51-8f7e-2f1f4c9b7a10'],
    [z.iso.datetime(), 'x', 'must be a time such as 2026-01-31T12:00:00Z'],
    [z.string().regex(/^a$/), 'b', 'has a form that is not allowed'],
    [z.string().regex(/^a$/, 'the letter a'), 'b', 'the letter a'],
    [z.strictObject({}), { a: 1 }, 'must not have a'],
    [z.union([z.string(), z.number()]), true, 'has a form that is not allowed'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    [z.record(z.string().max(1), z.string()), { ab: 'x' }, 'has an entry that is not allowed'],
  ])('is told by %#', (schema, value, text) => {
    expect(said(schema, value)).toEqual([text]);
  });
});
