import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { exactText, useNow } from '../../../ui/time.js';
import styles from './timeline.module.css';
import { lengthOf, noReturnAt, type StepSpan, stepSpans } from './step-spans.js';

type Job = Schema<'JobWithLog'>;

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  failed: 'bad',
  unknown: 'strange',
  not_executed: 'warn',
};

/** The steps of a job as bars with their seconds, and the point after which it cannot be cancelled as a line. */
export function JobTimeline({ job }: { job: Job }): ReactNode {
  const now = useNow();
  const spans = stepSpans(job, now);
  const from = spans[0]?.from ?? 0;
  const whole = { from, to: spans.at(-1)?.to ?? from };
  const length = Math.max(1, whole.to - from);
  const noReturn = noReturnAt(job);
  const place = (at: number) => `${(100 * (at - from)) / length}%`;
  const isWaiting = job.waitReason !== null && job.waitReason !== 'device_works';
  const lastTone = job.phase === 'ended' ? TONES[job.outcome ?? ''] : isWaiting ? 'wait' : 'busy';
  return (
    <figure className={styles['timeline']}>
      <ol aria-label="Steps over time">
        {spans.map((span, at) => (
          <li key={at}>
            <span className="foreign">{span.title}</span>
            <span className={styles['lane']} aria-hidden="true" title={titleOf(span)}>
              <i
                data-tone={span.step === 'wait_first' ? 'wait' : at === spans.length - 1 ? lastTone : undefined}
                style={{ left: place(span.from), width: `${(100 * (span.to - span.from)) / length}%` }}
              />
              {noReturn !== null && <b style={{ left: place(noReturn) }} />}
            </span>
            <span className={styles['seconds']}>{lengthOf(span, whole)}</span>
          </li>
        ))}
      </ol>
      {spans.length > 1 && (
        <div className={styles['sum']}>
          <span>Together</span>
          <span className="small quiet">from the order {job.phase === 'ended' ? 'to the end' : 'until now'}</span>
          <span className={styles['seconds']}>{lengthOf(whole, whole)}</span>
        </div>
      )}
      {noReturn !== null && (
        <figcaption className="small quiet">
          The line is the point of no return, {exactText(noReturn)}: what was sent then cannot be cancelled.
        </figcaption>
      )}
    </figure>
  );
}

const titleOf = ({ from, to }: StepSpan): string => `${exactText(from)} – ${exactText(to)}`;
