import { AppError } from '../platform/errors.js';
import { columnOfMeasure } from './measures.js';
import { replaceTerms, type Selector, type Term } from './selector.js';

/*
 * Expands saved selectors. Terms are counted before anything is built: three saved selectors that name each other a
 * thousand times each would be 10^9 terms. Pure.
 */

/**
 * The most terms of a selector, including its saved selectors. The longest text without saved selectors has about as
 * many. One Postgres statement takes 65,535 parameters, and a request can use a selector three times.
 */
export const TERMS_MAX = 4_000;

/** The deepest nesting of saved selectors. */
export const DEPTH_MAX = 10;

type SavedTerm = Extract<Selector, { is: 'saved' }>;

interface ExpandedSelector {
  readonly tree: Selector;
  readonly terms: number;
  /** The nesting of saved selectors, itself included. */
  readonly depth: number;
}

/**
 * @param saved all saved selectors that the tree uses
 * @param under the name under which the tree will be saved, or null
 * @throws AppError `invalid_selector` for an unknown name, a circle, too many terms and too deep nesting
 */
export function expandSelector(tree: Selector, saved: ReadonlyMap<string, Selector>, under: string | null): Selector {
  const done = new Map<string, ExpandedSelector>();
  const open = new Set<string>(under === null ? [] : [under]);

  const named = (one: SavedTerm): ExpandedSelector => {
    if (open.has(one.name)) throw wrongSaved(one, `a selector that does not lead back to @${one.name}`);
    const known = done.get(one.name);
    if (open.size + (known?.depth ?? 1) > DEPTH_MAX) throw tooDeep();
    if (known) return known;
    const found = saved.get(one.name);
    if (!found) throw wrongSaved(one, 'the name of an existing saved selector');
    open.add(one.name);
    const inner = expand(found);
    open.delete(one.name);
    const expanded = { ...inner, depth: inner.depth + 1 };
    done.set(one.name, expanded);
    return expanded;
  };

  const expand = (part: Selector): ExpandedSelector => {
    let terms = 0;
    let depth = 0;
    for (const term of termsOf(part)) {
      const inner = term.is === 'saved' ? named(term) : null;
      terms += inner?.terms ?? 1;
      depth = Math.max(depth, inner?.depth ?? 0);
      if (terms > TERMS_MAX) throw tooManyTerms();
    }
    const expanded = replaceTerms(part, (term) => (term.is === 'saved' ? done.get(term.name)!.tree : term));
    return { tree: expanded, terms, depth };
  };

  return expand(tree).tree;
}

const isLock = (term: Term): boolean => term.is === 'record' && term.name === 'lock';

export const namesLocks = (tree: Selector): boolean => termsOf(tree).some(isLock);

/**
 * Puts what locks name in the place of `lock:any`.
 * @param locks the selectors of all locks in force
 * @throws AppError `invalid_selector` for too many terms
 */
export function expandLocks(tree: Selector, locks: readonly Selector[]): Selector {
  const terms = termsOf(tree);
  const ofLocks = locks.flatMap(termsOf).length;
  if (terms.length + terms.filter(isLock).length * ofLocks > TERMS_MAX) throw tooManyTerms();
  const locked: Selector = locks.length === 0 ? { is: 'not', of: { is: 'all' } } : { is: 'or', of: locks };
  return replaceTerms(tree, (term) => (isLock(term) ? locked : term));
}

/** The terms of a selector, without expanding saved ones. */
export function termsOf(tree: Selector): Term[] {
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

/** Columns of `device_sample` whose values a selector names, each once. */
export function sampleColumnsOf(...trees: readonly Selector[]): string[] {
  const columns = trees.flatMap(termsOf).map((term) => (term.is === 'measure' ? columnOfMeasure(term.name) : null));
  return [...new Set(columns.filter((column) => column !== null))];
}

/** Whether each device that it matches is offline. */
export function isOfOffline(tree: Selector): boolean {
  if (tree.is === 'and') return tree.of.some(isOfOffline);
  if (tree.is === 'or') return tree.of.every(isOfOffline);
  return tree.is === 'text' && tree.field === 'state' && tree.pattern === 'offline';
}

/** Fields that identify one device. */
const NAMING: readonly string[] = ['id', 'name', 'serial', 'mac'];

/** Whether the text of a selector can reveal single devices. */
export function namesDevices(tree: Selector): boolean {
  return termsOf(tree).some(
    (term) =>
      term.is === 'saved' ||
      term.is === 'field' || // its values may be as good as a name
      (term.is === 'text' && NAMING.includes(term.field)),
  );
}

/** The saved selectors that a selector names directly, each once. */
export function savedIn(tree: Selector): SavedTerm[] {
  const named = new Map<string, SavedTerm>();
  for (const term of termsOf(tree)) if (term.is === 'saved' && !named.has(term.name)) named.set(term.name, term);
  return [...named.values()];
}

export function wrongSaved({ name, at }: SavedTerm, expected: string): AppError {
  return new AppError('invalid_selector', { position: at, expected, near: `@${name}` });
}

export function tooManyTerms(): AppError {
  return new AppError('invalid_selector', {
    position: 0,
    expected: `at most ${TERMS_MAX} terms, with those of the saved selectors and locks that it names`,
  });
}

function tooDeep(): AppError {
  return new AppError('invalid_selector', {
    position: 0,
    expected: `at most ${DEPTH_MAX} saved selectors inside each other`,
  });
}
