import { type ReactNode } from 'react';
import styles from './certificates.module.css';

interface PinDifferenceProps {
  known: string | null;
  offered: string | null;
}

/** Two fingerprints below each other, with the place marked from which on they differ. */
export function PinDifference({ known, offered }: PinDifferenceProps): ReactNode {
  const at = firstDifference(known ?? '', offered ?? '');
  return (
    <dl className={styles['pins']}>
      <dt>Known</dt>
      <dd>
        <Pin of={known} at={at} />
      </dd>
      <dt>Offered</dt>
      <dd>
        <Pin of={offered} at={at} />
      </dd>
    </dl>
  );
}

function Pin({ of, at }: { of: string | null; at: number }): ReactNode {
  if (!of) return <span className="quiet">none</span>;
  return (
    <code className="foreign" title={of}>
      {of.slice(0, at)}
      <mark>{of.slice(at, at + 1)}</mark>
      {of.slice(at + 1)}
    </code>
  );
}

function firstDifference(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return length;
}
