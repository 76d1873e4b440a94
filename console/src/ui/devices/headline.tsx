import { type ReactNode } from 'react';
import { numberText } from '../../api/amount-text.js';
import styles from './headline.module.css';

interface HeadlineProps {
  value: number;
  /** Of how many; absent: the number stands alone. */
  of?: number | undefined;
  text: string;
  /** What the number is made of; those of none are left out. */
  parts: readonly (readonly [count: number, what: string])[];
}

/** How far many devices are, as one number that can be read from afar. */
export function Headline({ value, of, text, parts }: HeadlineProps): ReactNode {
  const present = parts.filter(([count]) => count > 0).map(([count, what]) => `${numberText(count)} ${what}`);
  return (
    <p className={styles['headline']}>
      <strong>
        {numberText(value)} {of !== undefined && <span>/ {numberText(of)}</span>}
      </strong>
      <span>
        {text} {present.length > 0 && <span className="quiet">· {present.join(' · ')}</span>}
      </span>
    </p>
  );
}
