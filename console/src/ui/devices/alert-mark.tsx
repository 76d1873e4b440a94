import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import styles from './lock-mark.module.css';

/** Beside the name of a device with an open alert: its rule is the hint. */
export function AlertMark({ of: { severity, ruleName } }: { of: Schema<'Alert'> }): ReactNode {
  const text = `Alert: ${ruleName}`;
  return (
    <span className={styles['alert']} data-severity={severity} role="img" aria-label={text} title={text}>
      {severity === 'critical' ? '✕' : '▲'}
    </span>
  );
}
