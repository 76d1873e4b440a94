import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { useGo } from '../../ui/to.js';

/** Starts a backup of one device. */
export function BackUpNow({
  deviceId,
  name,
  onClose,
}: {
  deviceId: string;
  name: string;
  onClose: () => void;
}): ReactNode {
  const go = useGo();
  const body = { kind: 'backup' as const, spec: {} };
  const start = useAction({
    run: () => api.post('/v1/devices/{ref}/jobs', { params: { path: { ref: deviceId } }, body }),
    done: 'Backup started',
    refreshes: ['jobs', 'backups'],
    after: ({ id }) => {
      onClose();
      go(`/jobs/${id}`);
    },
  });
  return (
    <FormDialog
      title={`Back up ${name}`}
      send="Start backup"
      busy={start.isPending}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        The device makes a backup of its configuration. The gateway stores it and opens it once to see that it can be
        read. The device works as before.
      </p>
      <EquivalentLines
        command={`job start id:${deviceId} backup --watch`}
        method="POST"
        path={`/v1/devices/${deviceId}/jobs`}
        body={body}
      />
    </FormDialog>
  );
}
