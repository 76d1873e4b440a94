import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';

type Counts = Schema<'TargetCounts'>;

export const failedOf = ({ failed, unknown }: Counts): number => failed + unknown;
export const endedOf = (counts: Counts): number =>
  counts.succeeded + failedOf(counts) + counts.skipped + counts.cancelled;

/** How far it is, as shares of all devices. */
export function CountBar({ counts, total }: { counts: Counts; total: number }): ReactNode {
  const share = (part: number) => ({ width: `${(100 * part) / Math.max(1, total)}%` });
  const failed = failedOf(counts);
  const text = [
    `${counts.succeeded.toLocaleString('en')} of ${total.toLocaleString('en')} succeeded`,
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(counts.skipped + counts.cancelled > 0
      ? [`${(counts.skipped + counts.cancelled).toLocaleString('en')} left out`]
      : []),
  ].join(', ');
  return (
    <div className="count-bar">
      <div className="bar" role="img" aria-label={text}>
        <i data-tone="good" style={share(counts.succeeded)} />
        <i data-tone="bad" style={share(failed)} />
        <i style={share(counts.running + counts.queued)} />
      </div>
      <span className="small quiet">{text}</span>
    </div>
  );
}
