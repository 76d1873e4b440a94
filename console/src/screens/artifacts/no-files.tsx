import { type ReactNode } from 'react';
import { Empty } from '../../ui/messages.js';

/** In the place of files of a kind that are not there: how one comes there. @param kind `any`: of all but backups */
export function NoFiles({ kind }: { kind: string }): ReactNode {
  if (kind === 'backup')
    return (
      <Empty title="No backups yet" command="fleetgate job start pump-1 backup --watch">
        Backups of devices are stored here by their jobs.
      </Empty>
    );
  if (kind === 'any')
    return (
      <Empty title="No files yet" command="fleetgate firmware upload RUTX_R_00.07.25.3.bin">
        Upload a firmware, then roll it out. Backups of devices are stored here by their jobs.
      </Empty>
    );
  if (kind !== 'firmware')
    return (
      <Empty title="No such files yet" command={`fleetgate artifact upload ca.pem --kind ${kind}`}>
        Upload one; the job “Send a file” brings it to a device.
      </Empty>
    );
  return (
    <Empty title="No firmware yet" command="fleetgate firmware upload RUTX_R_00.07.25.3.bin">
      Upload an image. Its version and models are read from it, and its digest is checked at each use.
    </Empty>
  );
}
