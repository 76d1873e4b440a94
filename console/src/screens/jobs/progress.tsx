import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Notice } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';

/** How far an open job is, and what it waits for. */
export function Progress({ job }: { job: Schema<'JobWithLog'> }): ReactNode {
  const percent = job.progress?.percent;
  return (
    <div className="stack" role="status">
      <div className="row spread">
        <span>{job.progress?.text ?? `Step ${job.step}`}</span>
        {percent !== undefined && <span className="quiet">{percent} %</span>}
      </div>
      {percent !== undefined && (
        <div
          className="bar"
          role="progressbar"
          aria-label="Progress"
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i style={{ width: `${percent}%` }} />
        </div>
      )}
      {job.cancelAskedAt && <Notice tone="warn">Cancelling was asked; the job ends after its step.</Notice>}
      {job.waitReason && (
        <p className="quiet">
          It waits: {job.waitReason.replaceAll('_', ' ')}. Its next step is due <Ago at={job.wakeAt} />.
        </p>
      )}
    </div>
  );
}
