import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type SideLine } from './side-line.js';
import styles from './side-by-side.module.css';

/* What differs, in two columns that have one order on all screens: first what it is measured by. */

type Heads = readonly [one: string, other: string];

/** Where a template judges. */
export const JUDGED: Heads = ['Should be', 'Is'];

/** Where time passes. */
export const CHANGED: Heads = ['Before', 'After'];

/** Where a router stands beside most of the others. */
export const COMPARED: Heads = ['Baseline', 'Here'];

interface SideBySideProps {
  readonly heads: Heads;
  readonly lines: readonly SideLine[];
  /** How many are not among the lines. */
  readonly more?: number;
  /** Others are only counted. */
  readonly shown?: number;
  /** In a table of such rows, the heads of the first one are enough. */
  readonly isHeaded?: boolean;
}

const SHOWN = 8;

/** Settings with two values each; on narrow screens a value has its head before it. */
export function SideBySide({ heads, lines, more = 0, shown = SHOWN, isHeaded = true }: SideBySideProps): ReactNode {
  const left = Math.max(0, lines.length - shown) + more;
  return (
    <ul className={styles['sides']}>
      {isHeaded && (
        <li className={styles['heads']} aria-hidden="true">
          {['Setting', ...heads].map((head) => (
            <span key={head}>{head}</span>
          ))}
        </li>
      )}
      {lines.slice(0, shown).map(({ what, hint, one, other }, at) => (
        <li key={at}>
          <span className={`foreign ${styles['what']}`} title={hint}>
            {what}
          </span>
          <Value head={heads[0]} side="one" text={one} />
          <Value head={heads[1]} side="other" text={other} />
        </li>
      ))}
      {left > 0 && <li className="quiet">and {countText(left, 'further difference')}</li>}
    </ul>
  );
}

const Value = ({ head, side, text }: { head: string; side: 'one' | 'other'; text: string }): ReactNode => (
  <span>
    <span className={styles['head']}>{head}: </span>
    <span className="foreign" data-side={side}>
      {text}
    </span>
  </span>
);
