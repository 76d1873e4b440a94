import { selectorError } from '../../api/problems.js';
import { type Schema } from '../../api/client.js';

/* The parts of a rule as text. */

type Rule = Schema<'SaveRole'>['rules'][number];
type Paths = NonNullable<Rule['devices']>;
type Access = Paths['api'][string][number];

/** A line for each path, such as `/wireless/* read write`. */
export const pathLines = (paths: Paths | null): string =>
  Object.entries(paths?.api ?? {})
    .map(([path, access]) => `${path} ${access.join(' ')}`)
    .join('\n');

/** Reads such lines; a path alone is for reads and writes. @returns null where there is no path */
export function pathsOf(text: string): Paths | null {
  const lines = text.split('\n').map((line) => line.split(' ').filter((word) => word !== ''));
  const pairs = lines.flatMap(([path, ...words]) => (path === undefined ? [] : [[path, accessOf(words)] as const]));
  return pairs.length === 0 ? null : { api: Object.fromEntries(pairs) };
}

/** The gateway refuses a word that is none of the two, and says so. */
const accessOf = (words: readonly string[]): Access[] =>
  words.length === 0 ? ['read', 'write'] : ([...new Set(words)] as Access[]);

/** The gateway names no rule: an error is at the field of the only one that is narrowed. */
export const wrongOf = (error: unknown, all: readonly { selector?: string | null }[], at: number): string | null =>
  all[at]?.selector && all.filter(({ selector }) => selector).length === 1 ? selectorError(error) : null;
