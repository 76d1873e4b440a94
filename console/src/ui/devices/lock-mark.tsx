import { type ReactNode } from 'react';
import { Icon } from '../icons.js';
import styles from './lock-mark.module.css';

/** Beside the name of a device that a lock names. @param reason of the lock, where it is known */
export function LockMark({ reason }: { reason?: string | undefined }): ReactNode {
  const text = reason ? `Locked: ${reason}` : 'Locked: the gateway sends it no calls';
  return (
    <span className={styles['lock']} role="img" aria-label={text} title={text}>
      <Icon name="lock" />
    </span>
  );
}
