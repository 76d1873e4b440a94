import { type ReactNode, useState } from 'react';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useList } from '../../../api/lists.js';
import styles from '../backups.module.css';
import { Difference } from '../difference.js';
import { LiveBackup } from './live-backup.js';

/** What the backup with this id changes on a device: first since its newest backup; after a look at the device, as it is now. */
export function RestoreDifference({ deviceId, backupId }: { deviceId: string; backupId: string }): ReactNode {
  const backups = useList('/v1/artifacts', {
    key: KEYS.artifacts.of(deviceId),
    query: { kind: 'backup', device: deviceId },
  });
  const isNewest = backups.rows[0]?.id === backupId;
  const [now, setNow] = useState<string | null>(null);
  return (
    <>
      <section className={`stack ${styles['restoreDifference']}`} aria-label="What changes on the device">
        <h3>{now ? 'What changes on the device as it is now' : 'What changes since its newest backup'}</h3>
        {isNewest && !now ? (
          <p>This is its newest backup: whether the device has changed since is not known.</p>
        ) : (
          <Difference a={now ?? deviceId} b={backupId} />
        )}
      </section>
      {!now && <LiveBackup deviceId={deviceId} label="Compare with the device now" onMade={setNow} />}
    </>
  );
}
