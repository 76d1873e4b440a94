import { AppError } from '../../platform/errors.js';
import { replaceSaved, type Selector } from './selector.js';

/*
 * Puts saved selectors in the place of their names. The terms are counted before anything is built: three saved
 * selectors that name each other a thousand times each would be 10^9 terms. Pure.
 */

/**
 * Most terms of a selector, with those of all saved selectors that it names. The longest text without saved selectors
 * has about as many. One statement of Postgres takes 65,535 parameters, and a request can use a selector three times.
 */
export const TERMS_MAX = 4_000;

/** Saved selectors inside saved selectors: deeper than people nest them. */
export const DEPTH_MAX = 10;

type Saved = Extract<Selector, { is: 'saved' }>;

interface Expanded {
  readonly tree: Selector;
  readonly terms: number;
  /** Saved selectors inside each other, itself included. */
  readonly depth: number;
}

/**
 * @param saved all saved selectors that the tree leads to
 * @param under the name that the tree is to be saved under; null: none
 * @throws AppError `invalid_selector` for a name that is not there, a circle, too many terms and too deep nesting
 */
export function expandSelector(tree: Selector, saved: ReadonlyMap<string, Selector>, under: string | null): Selector {
  const done = new Map<string, Expanded>();
  const open = new Set<string>(under === null ? [] : [under]);

  const named = (one: Saved): Expanded => {
    if (open.has(one.name)) throw wrongSaved(one, `a selector that does not lead back to @${one.name}`);
    const known = done.get(one.name);
    if (open.size + (known?.depth ?? 1) > DEPTH_MAX) throw tooDeep();
    if (known) return known;
    const found = saved.get(one.name);
    if (!found) throw wrongSaved(one, 'the name of a saved selector that is there');
    open.add(one.name);
    const inner = expand(found);
    open.delete(one.name);
    const expanded = { ...inner, depth: inner.depth + 1 };
    done.set(one.name, expanded);
    return expanded;
  };

  const expand = (part: Selector): Expanded => {
    let terms = 0;
    let depth = 0;
    for (const term of termsOf(part)) {
      const inner = term.is === 'saved' ? named(term) : null;
      terms += inner?.terms ?? 1;
      depth = Math.max(depth, inner?.depth ?? 0);
      if (terms > TERMS_MAX) throw tooManyTerms();
    }
    return { tree: replaceSaved(part, ({ name }) => done.get(name)!.tree), terms, depth };
  };

  return expand(tree).tree;
}

/** What a selector consists of, without looking into saved ones. */
export function termsOf(tree: Selector): Exclude<Selector, { is: 'and' | 'or' | 'not' }>[] {
  switch (tree.is) {
    case 'not':
      return termsOf(tree.of);
    case 'and':
    case 'or':
      return tree.of.flatMap(termsOf);
    default:
      return [tree];
  }
}

/** The saved selectors that a selector names itself, each once. */
export function savedIn(tree: Selector): Saved[] {
  const named = new Map<string, Saved>();
  for (const term of termsOf(tree)) if (term.is === 'saved' && !named.has(term.name)) named.set(term.name, term);
  return [...named.values()];
}

export function wrongSaved({ name, at }: Saved, expected: string): AppError {
  return new AppError('invalid_selector', { position: at, expected, near: `@${name}` });
}

export function tooManyTerms(): AppError {
  return new AppError('invalid_selector', {
    position: 0,
    expected: `at most ${TERMS_MAX} terms, with those of the saved selectors that it names`,
  });
}

function tooDeep(): AppError {
  return new AppError('invalid_selector', {
    position: 0,
    expected: `at most ${DEPTH_MAX} saved selectors inside each other`,
  });
}
