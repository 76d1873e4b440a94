import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { signedText } from '../../../api/amount-text.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import styles from '../table/device-table.module.css';
import { sparkPath } from './spark-path.js';
import { sparklineOf, type SparkMetric } from './sparkline-request.js';

const [WIDTH, HEIGHT] = [36, 20];

interface SparklineProps {
  deviceId: string;
  metric: SparkMetric;
  /** What it shows, such as `Signal`. */
  title: string;
  unit: string;
}

/** One value of a device over the last 24 hours and its last one, in a row of a table. */
export function Sparkline({ deviceId, metric, title, unit }: SparklineProps): ReactNode {
  const { data } = useQuery({
    queryKey: KEYS.sparkline.one(metric, deviceId),
    queryFn: () => sparklineOf(metric, deviceId),
    staleTime: 300_000,
  });
  const known = (data ?? []).flatMap((point) => point ?? []);
  if (known.length === 0) return <span className="quiet">{data ? '–' : ''}</span>;
  const text = (value: number) => `${signedText(value, 0)} ${unit}`;
  const label = `${title} of 24 hours: from ${text(Math.min(...known))} to ${text(Math.max(...known))}, last ${text(known.at(-1)!)}`;
  return (
    <span className={styles['sparkline']} title={label}>
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <path d={sparkPath(data ?? [], WIDTH, HEIGHT)} fill="none" stroke="var(--accent)" strokeWidth="1.5" />
      </svg>
      {text(known.at(-1)!)}
    </span>
  );
}
