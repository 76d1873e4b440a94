import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { endedOf, failedOf, takingPart } from '../forecast.js';
import styles from './pictures.module.css';

/** How far a rollout is, as one number that can be read from afar. */
export function Headline({ rollout: { counts, startedAt } }: { rollout: Schema<'RolloutWithWaves'> }): ReactNode {
  const ended = endedOf(counts);
  const hasBegun = startedAt !== null || ended > 0;
  const total = takingPart(counts).toLocaleString('en');
  const failed = failedOf(counts);
  const parts = [
    [counts.succeeded, 'succeeded'],
    [failed, 'failed'],
    [counts.running + counts.queued, 'run now'],
    [counts.waiting, 'wait'],
    [counts.offline, 'are waited for, because they are offline'],
    [counts.skipped + counts.cancelled, 'left out'],
  ] as const;
  const text = parts.filter(([count]) => count > 0).map(([count, what]) => `${count.toLocaleString('en')} ${what}`);
  return (
    <p className={styles['headline']}>
      <strong>
        {hasBegun && ended.toLocaleString('en')} <span>{hasBegun ? `/ ${total}` : total}</span>
      </strong>
      <span>
        {hasBegun ? 'devices have ended' : 'devices in the plan'} <span className="quiet">· {text.join(' · ')}</span>
      </span>
    </p>
  );
}
