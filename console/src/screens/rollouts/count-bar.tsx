import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { countText } from '../../api/amount-text.js';
import { endedOf, failedOf, takingPart } from './forecast.js';
import styles from './rollouts.module.css';

/** How far it is, as shares of the devices that take part. */
export function CountBar({ counts }: { counts: Schema<'TargetCounts'> }): ReactNode {
  const total = takingPart(counts);
  const share = (part: number) => ({ width: `${(100 * part) / Math.max(1, total)}%` });
  const failed = failedOf(counts);
  const text = countsText(counts);
  return (
    <div className={styles['countBar']}>
      <div className="bar" role="img" aria-label={text}>
        <i data-tone="good" style={share(counts.succeeded)} />
        <i data-tone="bad" style={share(failed)} />
        <i style={share(counts.running + counts.queued)} />
      </div>
      <span className="small quiet">{text}</span>
    </div>
  );
}

/** `3 of 8 succeeded, 1 failed`; before any has begun how many they are. */
export function countsText(counts: Schema<'TargetCounts'>): string {
  const total = takingPart(counts);
  const failed = failedOf(counts);
  const hasBegun = endedOf(counts) + counts.running + counts.queued > 0;
  return [
    hasBegun
      ? `${counts.succeeded.toLocaleString('en')} of ${total.toLocaleString('en')} succeeded`
      : countText(total, 'device'),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(counts.cancelled > 0 ? [`${counts.cancelled.toLocaleString('en')} cancelled`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped.toLocaleString('en')} left out`] : []),
  ].join(', ');
}
