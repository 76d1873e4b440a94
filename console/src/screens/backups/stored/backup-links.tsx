import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useList } from '../../../api/lists.js';
import { useMay } from '../../../api/may.js';
import { useDeviceName } from '../../../api/names/device-names.js';
import { To } from '../../../ui/to.js';
import { compareSearch } from '../backup-runs.js';

interface BackupLinksProps {
  of: Pick<Schema<'Artifact'>, 'id' | 'deviceId'>;
  /** Its contents are before the person already. */
  isOpen?: boolean;
}

/** The ways on from one backup: what is in it, what it changed, and back onto its device. A removed device takes none any more. */
export function BackupLinks({ of, isOpen = false }: BackupLinksProps): ReactNode {
  const { id, deviceId } = of;
  const mayRestore = useMay('job.start_sensitive');
  const isOfDevice = typeof useDeviceName(deviceId ?? undefined) === 'string';
  const { rows } = useList('/v1/artifacts', {
    key: KEYS.artifacts.of(deviceId ?? ''),
    query: { kind: 'backup', device: deviceId },
    enabled: deviceId !== null,
  });
  return (
    <>
      {!isOpen && (
        <To to="/backups" search={{ tab: 'files', contents: id }} className="button">
          Contents
        </To>
      )}
      {rows.length > 0 && (
        <To to="/backups" search={compareSearch(of, rows)} className="button">
          Compare
        </To>
      )}
      {mayRestore && isOfDevice && (
        <To to="/backups" search={{ tab: 'files', restore: id }} className="button">
          Restore
        </To>
      )}
    </>
  );
}
