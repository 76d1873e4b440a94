import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { useGo } from '../../ui/to.js';
import { createRollout } from '../rollouts/plan/create-rollout.js';

const MISSING = 'backup:none';

/** Backs up all devices that have no backup, in one wave. It asks nothing: a backup changes nothing on a device. */
export function BackUpMissing({ devices, within }: { devices: number; within: string | undefined }): ReactNode {
  const may = useMay('rollout.manage');
  const go = useGo();
  const body: Schema<'CreateRollout'> = {
    name: 'Backup of devices without one',
    kind: 'backup',
    spec: {},
    selector: within ? `(${within}) & ${MISSING}` : MISSING,
    policy: { waves: [{ name: 'all', take: 'rest' }] },
  };
  const start = useAction({
    run: () => createRollout(body, () => true),
    done: 'The backups are started',
    refreshes: ['rollouts', 'backups'],
    after: ({ id }) => go(`/rollouts/${id}`),
  });
  if (!may || devices === 0) return null;
  return (
    <div>
      <Button
        kind="primary"
        icon="archive"
        busy={start.isPending}
        title="A rollout of one wave; it can be paused and aborted"
        onClick={() => start.mutate()}
      >
        Back up {countText(devices, 'device')} without a backup
      </Button>
    </div>
  );
}
