import { type ReactNode } from 'react';
import styles from './chips.module.css';

interface ChipProps {
  isOn: boolean;
  title?: string;
  /** A dialog that begins with it has its focus there. */
  isFirst?: boolean;
  onClick: () => void;
  children: ReactNode;
}

/** A choice that fills in a field. */
export function Chip({ isOn, title, isFirst = false, onClick, children }: ChipProps): ReactNode {
  return (
    <button
      type="button"
      className={styles['chip']}
      aria-pressed={isOn}
      title={title}
      data-first={isFirst || undefined}
      onClick={onClick}
    >
      <span className="foreign cut">{children}</span>
    </button>
  );
}

/** Chips beside each other, on as many lines as they need. */
export function Chips({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div className={styles['chips']} role="group" aria-label={label}>
      {children}
    </div>
  );
}
