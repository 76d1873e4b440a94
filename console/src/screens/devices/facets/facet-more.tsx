import { type ReactNode } from 'react';
import styles from './facets.module.css';

interface MoreProps {
  isOpen: boolean;
  /** Values that the button shows. */
  hidden: number;
  others: number;
  onOpen: (isOpen: boolean) => void;
}

/** Opens the values that are not shown, and says how many only the selector finds. */
export function More({ isOpen, hidden, others, onOpen }: MoreProps): ReactNode {
  return (
    <>
      {hidden > 0 && (
        <button type="button" className="small quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          {isOpen ? 'Fewer' : `${hidden.toLocaleString('en')} more`}
        </button>
      )}
      {others > 0 && (isOpen || hidden === 0) && (
        <p className={`small quiet ${styles['rarer']}`}>{others.toLocaleString('en')} rarer ones: use the selector</p>
      )}
    </>
  );
}
