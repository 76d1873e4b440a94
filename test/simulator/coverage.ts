import { readFileSync } from 'node:fs';

/** The rows of the two documents that have to have a test, by table. */
export const COVERAGE = JSON.parse(readFileSync(new URL('coverage.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>;

const rows = new Set(Object.values(COVERAGE).flat());

/** The title of the test of one row; a title that is no row is a mistake, and `coverage.spec.ts` finds rows without a title. */
export function row(name: string): string {
  if (!rows.has(name)) throw new Error(`coverage.json has no row "${name}"`);
  return name;
}
