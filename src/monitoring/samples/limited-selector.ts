import { type Rights } from '../../auth/rights/rights.js';
import { type SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { AppError } from '../../platform/errors.js';
import { termsOf } from '../../selectors/selector-expansion.js';
import { parseSelector, type Selector, type Term } from '../../selectors/selector.js';

/** What is expected in the place of a term; null: it is allowed. */
type WhyNot = (term: Term) => string | null;

/**
 * Reads a selector that may not have each term.
 * @throws AppError `invalid_selector`
 */
export async function readLimitedSelector(
  selectors: Pick<SavedSelectorsService, 'read'>,
  text: string,
  rights: Rights,
  whyNot: WhyNot,
): Promise<Selector> {
  const tree = await selectors.read(text, rights);
  // The text itself first: only there is the position the one that its author sees.
  refuse(parseSelector(text), whyNot, (term) => ('at' in term ? term.at : 0));
  refuse(tree, whyNot, () => 0);
  return tree;
}

function refuse(tree: Selector, whyNot: WhyNot, positionOf: (term: Term) => number): void {
  for (const term of termsOf(tree)) {
    const expected = whyNot(term);
    if (expected !== null) throw new AppError('invalid_selector', { position: positionOf(term), expected });
  }
}

/** What follows from reads of devices: their states for templates, too. */
const READ_RECORDS: readonly string[] = ['observed', 'template', 'sync'];

/**
 * For the selector of a policy, a watch or a template: each read would change which devices are read, and with them interval and
 * budget, or which are set.
 */
export const noMeasure: WhyNot = (term) =>
  term.is === 'measure' || (term.is === 'record' && READ_RECORDS.includes(term.name))
    ? `no \`${term.name}\`: which devices are read cannot depend on what was read on them`
    : null;
