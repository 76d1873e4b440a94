import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useDeviceName } from '../../api/names/device-names.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Notice } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { SpecFacts } from '../job-forms/shown/spec-facts.js';
import { ActEffect } from './acting/act-effect.js';
import { kindTitle, SAME_AGAIN, sameAgainText } from './kinds.js';
import { resultText } from './result-text.js';
import { useStartJob } from './use-start-job.js';

/** Starts a job with the parameters of one that has ended. What that one failed of is said before. */
export function StartAgain({ job, onClose }: { job: Schema<'Job'>; onClose: () => void }): ReactNode {
  const name = useDeviceName(job.deviceId);
  const body = { kind: job.kind, spec: job.spec } as Schema<'StartJob'>;
  const start = useStartJob({ device: job.deviceId, body, refreshes: ['job'], onClose });
  return (
    <FormDialog
      title={`Start again: ${kindTitle(job.kind)} on ${name ?? 'the device'}`}
      send="Start again"
      busy={start.isPending}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      {job.failure && (
        <Notice tone="warn">
          <span className="foreign">
            It failed <Ago at={job.endedAt} />: {resultText(job)}. {sameAgainText(job.failure) && SAME_AGAIN}
          </span>
        </Notice>
      )}
      <ActEffect kind={job.kind} names={[name]} deviceId={job.deviceId} />
      <SpecFacts kind={job.kind} spec={job.spec} label="Parameters of the job" />
      <EquivalentLines
        command={`job retry ${job.id}`}
        method="POST"
        path={`/v1/devices/${job.deviceId}/jobs`}
        body={body}
      />
    </FormDialog>
  );
}
