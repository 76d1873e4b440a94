import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { Facts } from '../../../ui/page.js';
import { effectOf, type Kind } from './effects.js';
import { useLastAway } from './last-away.js';

/** First names that are said. */
const NAMED = 5;

interface ActEffectProps {
  kind: Kind;
  /** What happens, where it can be said more exactly than of the kind. */
  does?: string;
  /** How many devices; absent: as many as have names, and none where no device is chosen. */
  count?: number;
  /** Their names, or the first of them; absent: what is beside it says which devices. */
  names?: readonly (string | null | undefined)[];
  /** The one device; absent: several, or none is chosen. */
  deviceId?: string | undefined;
}

/** What stands in each question before an act on routers: what happens, on how many, what it interrupts, and how long it did so last. */
export function ActEffect({ kind, does, count, names, deviceId }: ActEffectProps): ReactNode {
  const away = useLastAway(deviceId, kind);
  const effect = effectOf(kind);
  return (
    <Facts
      of={[
        ['What happens', does ?? effect.does],
        ...(names === undefined
          ? []
          : ([
              [
                'On',
                onText(
                  names.filter((name) => !!name),
                  count,
                ),
              ],
            ] as const)),
        ['Interrupts', effect.interrupts],
        ...(away === null ? [] : ([['Last time', away]] as const)),
      ]}
    />
  );
}

function onText(names: readonly (string | null | undefined)[], count = names.length): string {
  if (count === 0) return '–';
  const known = names.slice(0, NAMED);
  if (known.length === 0) return countText(count, 'device');
  return `${countText(count, 'device')}: ${known.join(', ')}${count > known.length ? ' …' : ''}`;
}
