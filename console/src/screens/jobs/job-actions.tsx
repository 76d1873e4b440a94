import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { exactText } from '../../ui/time.js';
import { sameAgainText } from './kinds.js';
import { StartAgain } from './start-again.js';
import { noReturnAt } from './timeline/step-spans.js';

type Job = Schema<'JobWithLog'>;

/** What can be done with a job: cancel it while it is open, start it again after its end. */
export function JobActions({ job }: { job: Job }): ReactNode {
  const [open, setOpen] = useState<'cancel' | 'again' | null>(null);
  const mayCancel = useMay('job.cancel');
  const mayStart = useMay('job.start');
  const close = () => setOpen(null);
  const noReturn = noReturnAt(job);
  return (
    <>
      {job.phase !== 'ended' && mayCancel && noReturn !== null && (
        <span className="quiet" title={`Since ${exactText(noReturn)} it continues to a verified end`}>
          Can no longer be cancelled
        </span>
      )}
      {job.phase !== 'ended' && mayCancel && noReturn === null && (
        <Button kind="danger" disabled={job.cancelAskedAt !== null} onClick={() => setOpen('cancel')}>
          Cancel job
        </Button>
      )}
      {job.phase === 'ended' && mayStart && (
        <Button kind={isWanted(job) ? 'primary' : 'plain'} icon="refresh" onClick={() => setOpen('again')}>
          Start again
        </Button>
      )}
      {open === 'cancel' && <CancelDialog job={job} onClose={close} />}
      {open === 'again' && <StartAgain job={job} onClose={close} />}
    </>
  );
}

/** It failed, and another try may not. */
const isWanted = ({ failure }: Job): boolean => failure !== null && sameAgainText(failure) === null;

function CancelDialog({ job, onClose }: { job: Job; onClose: () => void }): ReactNode {
  const cancel = useAction({
    run: () => api.post('/v1/jobs/{jobId}/cancel', { params: { path: { jobId: job.id } } }),
    done: (result) => (result.phase === 'ended' ? 'Job cancelled' : 'The job ends after its step'),
    refreshes: ['jobs', 'job'],
    after: onClose,
  });
  return (
    <Confirm
      title="Cancel this job"
      send="Cancel job"
      busy={cancel.isPending}
      equivalent={{ command: `job cancel ${job.id}`, method: 'POST', path: `/v1/jobs/${job.id}/cancel` }}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      A waiting job ends at once, a running one after its step. After its point of no return it continues to a verified
      end, and the gateway refuses this.
    </Confirm>
  );
}
