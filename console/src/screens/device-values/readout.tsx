import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import styles from './chart.module.css';

interface ReadoutProps {
  readonly points: Schema<'DeviceSampleHistory'>['points'];
  readonly textOf: (value: number) => string;
  readonly limits?: readonly [warn: number, bad: number] | undefined;
}

/** The least, the mean and the greatest of the time of a chart. How it is now is said where the latest values are. */
export function Readout({ points, textOf, limits }: ReadoutProps): ReactNode {
  if (points.length === 0) return null;
  const values = [
    ['Lowest', Math.min(...points.map(({ min }) => min))],
    ['Mean', points.reduce((sum, { mean }) => sum + mean, 0) / points.length],
    ['Highest', Math.max(...points.map(({ max }) => max))],
  ] as const;
  return (
    <dl className={styles['readout']} aria-label="Of this time">
      {values.map(([name, value]) => (
        <div key={name}>
          <dt className="small quiet">{name}</dt>
          <dd data-tone={limits && toneOf(value, limits)}>{textOf(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function toneOf(value: number, [warn, bad]: readonly [number, number]): 'plain' | 'warn' | 'bad' {
  const isLow = bad < warn;
  if (isLow ? value < bad : value > bad) return 'bad';
  return (isLow ? value < warn : value > warn) ? 'warn' : 'plain';
}
