import { type ReactNode } from 'react';
import { exclusionText, usePreview } from '../../ui/devices/selection-preview.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Notice } from '../../ui/messages.js';
import { useStartJob } from '../jobs/use-start-job.js';

/** Starts a backup of one device. What would keep it from that is said before. */
export function BackUpNow({
  deviceId,
  name,
  onClose,
}: {
  deviceId: string;
  name: string;
  onClose: () => void;
}): ReactNode {
  const body = { kind: 'backup' as const, spec: {} };
  const [kept] = usePreview(`id=${deviceId}`, 'job.start').data?.excluded ?? [];
  const start = useStartJob({ device: deviceId, body, done: 'Backup started', refreshes: ['backups'], onClose });
  return (
    <FormDialog
      title={`Back up ${name}`}
      send="Start backup"
      busy={start.isPending}
      disabled={kept !== undefined}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      {kept && (
        <Notice tone="warn">
          <span>It cannot be backed up now: {exclusionText(kept.reason, 1)}.</span>
        </Notice>
      )}
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
