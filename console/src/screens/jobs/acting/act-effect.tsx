import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { Facts } from '../../../ui/page.js';
import { effectOf, type Kind } from './effects.js';

/** First names that are said. */
const NAMED = 5;

interface ActEffectProps {
  kind: Kind;
  /** What happens, where it can be said more exactly than of the kind. */
  does?: string;
  /** How many devices; absent: one. */
  count?: number;
  /** Their names, or the first of them. */
  names: readonly (string | null | undefined)[];
}

/** What stands in each question before an act on routers: what happens, on how many, and what it interrupts. */
export function ActEffect({ kind, does, count = 1, names }: ActEffectProps): ReactNode {
  const effect = effectOf(kind);
  const known = names.filter(Boolean).slice(0, NAMED);
  return (
    <Facts
      of={[
        ['What happens', does ?? effect.does],
        [
          'On',
          `${countText(count, 'device')}${known.length > 0 ? `: ${known.join(', ')}` : ''}${count > known.length && known.length > 0 ? ' …' : ''}`,
        ],
        ['Interrupts', effect.interrupts],
      ]}
    />
  );
}
