import { type ReactNode, useState } from 'react';
import styles from './group-button.module.css';

interface GroupButtonProps {
  isOpen: boolean;
  onToggle: () => void;
  /** What it hides, such as `its 3 entries`. */
  what: string;
  children: ReactNode;
}

/** Opens the rows that a row stands for, and closes them. */
export function GroupButton({ isOpen, onToggle, what, children }: GroupButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={`button ${styles['group']}`}
      data-kind="link"
      aria-expanded={isOpen}
      title={`${isOpen ? 'Hide' : 'Show'} ${what}`}
      onClick={onToggle}
    >
      <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
      <span>{children}</span>
    </button>
  );
}

/** A row of a group that is open. */
export const Inside = ({ children }: { children: ReactNode }): ReactNode => (
  <span className={styles['inside']}>{children}</span>
);

const turned = (open: ReadonlySet<string>, key: string): ReadonlySet<string> =>
  new Set(open.has(key) ? [...open].filter((one) => one !== key) : [...open, key]);

/**
 * Which groups are open, by their keys.
 * @param only the group that is the whole list: it is open until a person closes it
 */
export function useOpenGroups(
  only: string | null = null,
): readonly [open: ReadonlySet<string>, toggle: (key: string) => void] {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => setOpen((before) => turned(before, key));
  return [only === null ? open : turned(open, only), toggle];
}
