import { type ReactNode } from 'react';
import { useDeviceName, useRemovedName } from '../../api/names/device-names.js';
import { To } from '../to.js';

/** A link to a device by its id, with its name. */
export function DeviceLink({ id }: { id: string }): ReactNode {
  const name = useDeviceName(id);
  if (name === undefined) return <span className="awaited" role="img" aria-label="Its name is read" />;
  if (name === null) return <RemovedDevice id={id} />;
  return (
    <To to={`/devices/${id}`} className="foreign cut" title={name}>
      {name}
    </To>
  );
}

/** What it was called, and the way to what was done on it. */
function RemovedDevice({ id }: { id: string }): ReactNode {
  const name = useRemovedName(id);
  if (name === null)
    return (
      <span className="quiet" title={id}>
        removed device
      </span>
    );
  return (
    <To
      to="/audit"
      search={{ device: id }}
      className="foreign cut"
      title={`${name}, removed: its entries in the audit`}
    >
      {name} <span className="quiet">removed</span>
    </To>
  );
}
