import { z } from 'zod';
import { isSame } from '../../kind-api/intended-items.js';

/* The expected answer of a durable call. Pure. */

export const expectation = z
  .strictObject({
    status: z.number().int().min(200).max(599).optional().describe('HTTP status of the answer'),
    body: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('A part of the answer: its fields must be there and equal; lists item by item'),
  })
  .meta({ id: 'CallExpectation' });
export type Expectation = z.infer<typeof expectation>;

const MAX_MISSED = 20;

/** JSON pointers to the mismatches of an answer. @param status undefined: unknown, and not compared */
export function missedBy(
  expected: Expectation | undefined,
  { status, body }: { readonly status: number | undefined; readonly body: unknown },
): string[] {
  if (!expected) return [];
  const missed = expected.status === undefined || status === undefined || status === expected.status ? [] : ['/status'];
  if (expected.body) compare(expected.body, body, '/body', missed);
  return missed.slice(0, MAX_MISSED);
}

function compare(expected: unknown, found: unknown, at: string, missed: string[]): void {
  if (expected === null || typeof expected !== 'object') {
    if (!isSame(expected, found)) missed.push(at);
    return;
  }
  if (found === null || typeof found !== 'object' || Array.isArray(expected) !== Array.isArray(found)) {
    missed.push(at);
    return;
  }
  for (const [name, value] of Object.entries(expected)) {
    compare(value, (found as Record<string, unknown>)[name], `${at}/${name}`, missed);
  }
}
