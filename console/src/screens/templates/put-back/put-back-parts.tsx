import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { Ago } from '../../../ui/time.js';
import { CheckField } from '../../../ui/field.js';
import { type Difference, differenceWords, isOpenDifference } from '../item-words.js';
import changes from '../../../ui/rows/changes.module.css';

/* What the dialogs that put devices back have in common. */

const SHOWN = 8;

/** What a device has, and what it gets. @param more how many are not among them */
export function DifferenceLines({ of, more = 0 }: { of: readonly Difference[]; more?: number }): ReactNode {
  const open = of.filter(isOpenDifference);
  const left = Math.max(0, open.length - SHOWN) + more;
  return (
    <ul className={changes['changes']}>
      {open.slice(0, SHOWN).map((difference, at) => {
        const { what, seen, wanted } = differenceWords(difference);
        return (
          <li key={at}>
            <span className="quiet foreign">{what}</span> <del className="foreign">{seen}</del>{' '}
            <span aria-hidden="true">→</span> <ins className="foreign">{wanted}</ins>
          </li>
        );
      })}
      {of.map(
        (difference, at) =>
          difference.ignored && (
            <li key={`ignored ${at}`} className="quiet">
              <span className="foreign">{differenceWords(difference).what}</span> stays{' '}
              <span className="foreign">{differenceWords(difference).seen}</span>: ignored by{' '}
              <span className="foreign">
                {difference.ignored.by} ({difference.ignored.reason})
              </span>
              , ends <Ago at={difference.ignored.until} />
            </li>
          ),
      )}
      {left > 0 && <li className="quiet">and {countText(left, 'further difference')}</li>}
    </ul>
  );
}

interface AcceptRiskProps {
  readonly isAccepted: boolean;
  readonly onChange: (isAccepted: boolean) => void;
}

/** Without it, a change that can cut the connection is refused, and named. */
export const AcceptRisk = ({ isAccepted, onChange }: AcceptRiskProps): ReactNode => (
  <CheckField
    label="Also make changes that can cut the connection to a device"
    checked={isAccepted}
    onChange={(event) => onChange(event.target.checked)}
  />
);
