import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import styles from './chart.module.css';

interface ReadoutProps {
  readonly points: Schema<'DeviceSampleHistory'>['points'];
  readonly textOf: (value: number) => string;
  readonly limits?: readonly [warn: number, bad: number] | undefined;
  /** Of many devices those that have the lowest and the highest value. */
  readonly ends?: readonly [lowest: string | undefined, highest: string | undefined];
}

/** The least, the mean and the greatest of the time of a chart. How it is now is said where the latest values are. */
export function Readout({ points, textOf, limits, ends = [undefined, undefined] }: ReadoutProps): ReactNode {
  if (points.length === 0) return null;
  const values = [
    ['Lowest', Math.min(...points.map(({ min }) => min)), ends[0]],
    ['Mean', points.reduce((sum, { mean }) => sum + mean, 0) / points.length, undefined],
    ['Highest', Math.max(...points.map(({ max }) => max)), ends[1]],
  ] as const;
  return (
    <dl className={styles['readout']} aria-label="Of this time">
      {values.map(([name, value, deviceId]) => (
        <div key={name}>
          <dt className="small quiet">{name}</dt>
          <dd data-tone={limits && toneOf(value, limits)}>{textOf(value)}</dd>
          {deviceId && (
            <dd className="small">
              <DeviceLink id={deviceId} />
            </dd>
          )}
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
