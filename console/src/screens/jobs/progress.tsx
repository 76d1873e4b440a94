import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Notice } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { DeviceNow } from './standing/device-now.js';
import { waitText } from './standing/waits.js';
import { stepTitle } from './timeline/step-spans.js';

/** How far an open job is, and what it waits for. */
export function Progress({ job }: { job: Schema<'JobWithLog'> }): ReactNode {
  const percent = job.progress?.percent;
  return (
    <div className="stack" role="status">
      <div className="row spread">
        <span>{job.progress?.text ?? stepTitle(job.step)}</span>
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
      <Waiting job={job} />
    </div>
  );
}

/** What it waits for, why it has to, and how its device is now. */
function Waiting({ job }: { job: Schema<'JobWithLog'> }): ReactNode {
  const wait = waitText(job);
  const { failure, waitReason, wakeAt, deviceId } = job;
  if (wait === null && !failure) return null;
  return (
    <Notice tone={waitReason === null || waitReason === 'device_works' ? 'plain' : 'warn'}>
      {wait !== null && (
        <strong>
          Waits for: {wait}
          {waitReason !== null && (
            <>
              {' '}
              <span className="quiet">
                · next step <Ago at={wakeAt} />
              </span>
            </>
          )}
        </strong>
      )}
      {failure && <span className="foreign">The last try: {failure.message}. It tries again by itself.</span>}
      <DeviceNow deviceId={deviceId} />
    </Notice>
  );
}
