import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { Button } from '../../../ui/button.js';
import { Notice } from '../../../ui/messages.js';
import { To } from '../../../ui/to.js';

/** The gateway holds an answer for so long; a backup takes a few seconds. */
const WAIT_SECONDS = 50;

/** Makes a backup of the device as it is now, so that another one can be compared with it. */
export function LiveBackup({
  deviceId,
  label,
  onMade,
}: {
  deviceId: string;
  label: string;
  onMade: (artifactId: string) => void;
}): ReactNode {
  const [other, setOther] = useState<Schema<'Job'> | null>(null);
  const make = useAction({
    run: () =>
      api.post('/v1/devices/{ref}/jobs', {
        params: { path: { ref: deviceId }, header: { Prefer: `wait=${WAIT_SECONDS}` } },
        body: { kind: 'backup', spec: {} },
      }),
    done: ({ outcome }) => (outcome === 'succeeded' ? 'The device was read' : 'The backup has not succeeded yet'),
    refreshes: ['artifacts', 'backups', 'jobs'],
    after: (job) => {
      const made = job.result?.['artifactId'];
      if (typeof made === 'string') onMade(made);
      else setOther(job);
    },
  });
  return (
    <div className="stack">
      <div className="row">
        <Button icon="refresh" busy={make.isPending} onClick={() => make.mutate()}>
          {label}
        </Button>
        <span className="small quiet">
          {make.isPending ? 'The device makes a backup …' : 'Makes a backup of the device first; it changes nothing.'}
        </span>
      </div>
      {other && (
        <Notice tone="warn">
          <span>
            The device could not be read: {other.failure?.message ?? 'the backup still runs'}.{' '}
            <To to={`/jobs/${other.id}`}>Open the job</To>
          </span>
        </Notice>
      )}
    </div>
  );
}
