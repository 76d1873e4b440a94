import { type ReactNode } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { hasTerm, leavesOut, withoutTerm, withTerm } from '../selector-text.js';
import styles from './facets.module.css';

/** The selector that facets read and write. */
export interface Filtered {
  readonly selector: string;
  readonly onSelector: (selector: string) => void;
}

interface FacetRowProps extends Filtered {
  /** The whole value. */
  readonly value: string;
  readonly term: string;
  readonly devices: number;
  readonly children: ReactNode;
}

/** A value with its count: a click chooses it beside the others of its field, and the button beside it leaves it out. */
export function FacetRow({ value, term, devices, children, selector, onSelector }: FacetRowProps): ReactNode {
  const isOut = leavesOut(selector, term);
  return (
    <div className={styles['value']} data-out={isOut || undefined} data-none={devices === 0 || undefined}>
      <button
        type="button"
        aria-pressed={hasTerm(selector, term)}
        title={value}
        onClick={() => onSelector(withTerm(selector, term))}
      >
        <span className="cut foreign">{children}</span>
        <span>{numberText(devices)}</span>
      </button>
      <button
        type="button"
        className={styles['minus']}
        aria-pressed={isOut}
        aria-label={`Leave out ${value}`}
        title="Leave out"
        onClick={() => onSelector(withoutTerm(selector, term))}
      >
        −
      </button>
    </div>
  );
}
