import { it } from 'vitest';

/*
 * Tests have three forms. `npm test` runs the short one, for people. `TEST_FORM=long npm test` runs the long one, for CI, and
 * `npm run nightly` the nightly one. The short form has each rule once; the long form adds what needs real processes, whole
 * pages and more cases; the nightly form repeats each rule for every case, every point of a crash and large fleets.
 */

const form = process.env['TEST_FORM'];

/** Whether this is a run of the nightly form, which has all that the long form has. */
export const isNightlyForm = form === 'nightly';

/** Whether this is a run of the long form, or of the nightly one. */
export const isLongForm = form === 'long' || isNightlyForm;

/**
 * @param cases all cases of a rule
 * @param few how many of them the short form takes, at least one
 * @param inLong how many of them the long form takes; all without it
 * @returns all of them in the nightly form; else so many, evenly spread, with the first and (from two on) the last
 */
export function casesOf<Case>(cases: readonly Case[], few: number, inLong = cases.length): readonly Case[] {
  const count = sizeOf({ short: few, long: inLong, nightly: cases.length });
  if (count >= cases.length) return cases;
  const step = count > 1 ? (cases.length - 1) / (count - 1) : 0;
  return Array.from({ length: count }, (_, index) => cases[Math.round(index * step)]!);
}

/** A test of the long and the nightly form: it repeats, in another way, a rule that a test beside it has. */
export const itInFull = isLongForm ? it : it.skip;

/** A test of the nightly form alone: it repeats a rule that the long form has. */
export const itNightly = isNightlyForm ? it : it.skip;

/** How many devices, rows or rounds a test has; the nightly form has as many as the long one unless it says so. */
export function sizeOf({
  short,
  long,
  nightly = long,
}: {
  readonly short: number;
  readonly long: number;
  readonly nightly?: number;
}): number {
  if (isNightlyForm) return nightly;
  return isLongForm ? long : short;
}
