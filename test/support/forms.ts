import { it } from 'vitest';

/*
 * Tests have two forms. `npm test` runs the short one, for people. `TEST_FORM=long npm test` runs the long one, for CI.
 * The short form has each rule once; the long form repeats it for every case, every point of a crash and large fleets.
 */

/** Whether this is a run of the long form. */
export const isLongForm = process.env['TEST_FORM'] === 'long';

/**
 * @param cases all cases of a rule
 * @param few how many of them the short form takes, at least one
 * @returns all of them in the long form; in the short form `few`, evenly spread, with the first and (from two on) the last
 */
export function casesOf<Case>(cases: readonly Case[], few: number): readonly Case[] {
  if (isLongForm || few >= cases.length) return cases;
  const step = few > 1 ? (cases.length - 1) / (few - 1) : 0;
  return Array.from({ length: few }, (_, index) => cases[Math.round(index * step)]!);
}

/** A test of the long form alone: it repeats, in another way, a rule that a test beside it has. */
export const itInFull = isLongForm ? it : it.skip;

/** How many devices, rows or rounds a test has. */
export function sizeOf({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLongForm ? long : short;
}
