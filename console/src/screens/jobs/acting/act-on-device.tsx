import { type ReactNode } from 'react';
import { LockReasons } from '../../../ui/devices/lock-reasons.js';
import { exclusionText, usePreview } from '../../../ui/devices/selection-preview.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Notice } from '../../../ui/messages.js';
import { useStartJob } from '../use-start-job.js';
import { ActEffect } from './act-effect.js';

/** Acts that need no parameters. */
const ACTS = {
  backup: { verb: 'Back up', done: 'Backup started' },
  reboot: { verb: 'Restart', done: 'Restart started' },
} as const;

interface ActOnDeviceProps {
  kind: keyof typeof ACTS;
  deviceId: string;
  name: string;
  onClose: () => void;
}

/** Starts a job without parameters on one device. What would keep it from that is said before. */
export function ActOnDevice({ kind, deviceId, name, onClose }: ActOnDeviceProps): ReactNode {
  const { verb, done } = ACTS[kind];
  const body = { kind, spec: {} };
  const [kept] = usePreview(`id=${deviceId}`, 'job.start').data?.excluded ?? [];
  const start = useStartJob({ device: deviceId, body, done, refreshes: ['backups'], onClose });
  return (
    <FormDialog
      title={`${verb} ${name}`}
      send={verb}
      busy={start.isPending}
      disabled={kept !== undefined}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      {kept && (
        <Notice tone="warn">
          <span>
            This cannot start now: {exclusionText(kept.reason, 1)}.
            {kept.reason === 'locked' && <LockReasons devices={[deviceId]} />}
          </span>
        </Notice>
      )}
      <ActEffect kind={kind} names={[name]} deviceId={deviceId} />
      <EquivalentLines
        command={`job start id:${deviceId} ${kind} --watch`}
        method="POST"
        path={`/v1/devices/${deviceId}/jobs`}
        body={body}
      />
    </FormDialog>
  );
}
