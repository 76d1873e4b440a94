import { type ReactNode } from 'react';
import styles from './status.module.css';

interface Bands {
  readonly from: number;
  readonly to: number;
  /** From the least value on: where each band ends, and how good a value in it is. */
  readonly bands: readonly (readonly [end: number, tone: 'good' | 'fair' | 'warn' | 'bad'])[];
}

export const RSRP: Bands = {
  from: -125,
  to: -65,
  bands: [
    [-110, 'bad'],
    [-100, 'warn'],
    [-90, 'fair'],
    [-65, 'good'],
  ],
};

export const RSSI: Bands = {
  from: -105,
  to: -45,
  bands: [
    [-95, 'bad'],
    [-85, 'warn'],
    [-75, 'fair'],
    [-45, 'good'],
  ],
};

export const TEMPERATURE: Bands = {
  from: 0,
  to: 100,
  bands: [
    [65, 'good'],
    [80, 'warn'],
    [100, 'bad'],
  ],
};

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
