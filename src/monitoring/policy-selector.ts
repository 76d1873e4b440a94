import { type Rights } from '../auth/rights/rights.js';
import { type SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { AppError } from '../platform/errors.js';
import { termsOf } from '../selectors/selector-expansion.js';
import { parseSelector, type Selector } from '../selectors/selector.js';

/**
 * Reads the selector of a policy. It may not use a measured value: each sample would change which devices are sampled, and
 * with them interval and budget.
 * @throws AppError `invalid_selector`
 */
export async function readPolicySelector(
  selectors: Pick<SavedSelectorsService, 'read'>,
  text: string,
  rights: Rights,
): Promise<Selector> {
  const tree = await selectors.read(text, rights);
  // The text itself first: only there is the position the one that its author sees.
  refuseMeasures(parseSelector(text), ({ at }) => at);
  refuseMeasures(tree, () => 0);
  return tree;
}

type MeasureTerm = Extract<Selector, { is: 'measure' }>;

function refuseMeasures(tree: Selector, positionOf: (term: MeasureTerm) => number): void {
  const term = termsOf(tree).find((one): one is MeasureTerm => one.is === 'measure');
  if (!term) return;
  throw new AppError('invalid_selector', {
    position: positionOf(term),
    expected: `no \`${term.name}\`: which devices are sampled cannot depend on what was measured on them`,
  });
}
