import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../../api/client.js';
import { useDeviceName } from '../../../api/names/device-names.js';
import { Dialog, FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { exactText } from '../../../ui/time.js';
import { artifactQuery } from '../../artifacts/artifact-query.js';
import { ActEffect } from '../../jobs/acting/act-effect.js';
import { useStartJob } from '../../jobs/use-start-job.js';
import { RestoreDifference } from './restore-difference.js';

/** Restores the backup that an address names. */
export function RestoreBackup({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const { data, error, refetch } = useQuery(artifactQuery(id));
  if (data?.deviceId) return <Restore backup={data} deviceId={data.deviceId} onClose={onClose} />;
  if (!error) return null;
  return (
    <Dialog title="Restore a backup" onClose={onClose}>
      <div className="dialog-body">
        <Failure error={error} onRetry={() => void refetch()} />
      </div>
    </Dialog>
  );
}

/** Writes a backup to its device. First it shows what would change. */
export function Restore({
  backup,
  deviceId,
  onClose,
}: {
  backup: Schema<'Artifact'>;
  deviceId: string;
  onClose: () => void;
}): ReactNode {
  const name = useDeviceName(deviceId);
  const [text, setText] = useState('');
  const body = { kind: 'restore' as const, spec: { artifactId: backup.id, sha256: backup.sha256 } };
  const start = useStartJob({
    device: deviceId,
    body,
    done: 'Restore started',
    refreshes: ['device', 'backups'],
    onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={`Restore ${name ?? 'the device'}`}
      size="wide"
      send="Restore"
      danger
      busy={start.isPending}
      disabled={!name || text !== name}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      <ActEffect
        kind="restore"
        does={`The device takes the settings of ${exactText(backup.createdAt)}, with its passwords and certificates, and restarts`}
        names={[name]}
        deviceId={deviceId}
      />
      <RestoreDifference deviceId={deviceId} backupId={backup.id} />
      {name && (
        <TextField
          label={`Type ${name} to confirm`}
          value={text}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {start.error ? <Failure error={start.error} /> : null}
      <EquivalentLines
        command={`job start id:${deviceId} restore --set artifactId=${backup.id} --watch`}
        method="POST"
        path={`/v1/devices/${deviceId}/jobs`}
        body={body}
      />
    </FormDialog>
  );
}
