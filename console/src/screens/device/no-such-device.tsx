import { type ReactNode } from 'react';
import { useRemovedName } from '../../api/names/device-names.js';
import { useMay } from '../../api/may.js';
import { idIn } from '../../ui/devices/device-ref.js';
import { Empty } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { To } from '../../ui/to.js';

/**
 * The page of an address that no device has. Rollouts, jobs and alerts outlive their devices and lead here.
 * @param address the id of a device, or its name
 */
export function NoSuchDevice({ address }: { address: string }): ReactNode {
  const removed = useRemovedName(idIn(address));
  if (removed !== null) return <RemovedDevice id={address} name={removed} />;
  return (
    <Page title="There is no such device">
      <div className="card">
        <Empty title="No device has this address" action={<To to="/devices">All devices</To>}>
          It was removed, it has another name now, or you may not see it.
        </Empty>
      </div>
    </Page>
  );
}

function RemovedDevice({ id, name }: { id: string; name: string }): ReactNode {
  const mayReadBackups = useMay('artifact.read');
  const ways = (
    <div className="row">
      <To to="/audit" search={{ device: id }}>
        What was done on it
      </To>
      {mayReadBackups && (
        <To to="/backups" search={{ tab: 'files', device: id }}>
          Its backups
        </To>
      )}
      <To to="/devices">All devices</To>
    </div>
  );
  return (
    <Page title={name}>
      <div className="card">
        <Empty title="This device was removed" action={ways}>
          Its backups and its entries in the audit are kept.
        </Empty>
      </div>
    </Page>
  );
}
