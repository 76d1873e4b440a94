import { type ReactNode } from 'react';
import { type Bands } from './bands.js';
import styles from './status.module.css';

/** Where a value stands between bad and good. The words beside it say the same. */
export function Scale({ of: { from, to, bands }, value }: { of: Bands; value: number }): ReactNode {
  const part = (Math.min(to, Math.max(from, value)) - from) / (to - from);
  return (
    <div className={styles['scale']} aria-hidden="true">
      {bands.map(([end, tone], at) => (
        <i key={end} data-tone={tone} style={{ flexGrow: end - (bands[at - 1]?.[0] ?? from) }} />
      ))}
      <b style={{ left: `${100 * part}%` }} />
    </div>
  );
}
