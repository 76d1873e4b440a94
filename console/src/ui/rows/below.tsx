import { type ReactNode } from 'react';
import styles from './below.module.css';

interface BelowProps {
  isKnown: boolean;
  /** The distance of its parts is that of a page, or of a column. */
  isColumn?: boolean;
  children: ReactNode;
}

/** Reads at once, and is shown when the length of what is above it is known: then nothing pushes it down. */
export function Below({ isKnown, isColumn = false, children }: BelowProps): ReactNode {
  return (
    <div className={`stack ${styles['below']}`} data-known={isKnown} data-column={isColumn}>
      {children}
    </div>
  );
}
