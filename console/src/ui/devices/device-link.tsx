import { type ReactNode } from 'react';
import { useDeviceName } from '../../api/device-names.js';
import { To } from '../to.js';

/** A link to a device by its id, with its name. */
export function DeviceLink({ id }: { id: string }): ReactNode {
  const name = useDeviceName(id);
  if (name === undefined) return <span className="awaited" role="img" aria-label="Its name is read" />;
  if (name === null)
    return (
      <span className="quiet" title={id}>
        removed device
      </span>
    );
  return (
    <To to={`/devices/${id}`} className="foreign cut" title={name}>
      {name}
    </To>
  );
}
