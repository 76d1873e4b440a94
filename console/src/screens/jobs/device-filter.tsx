import { type ReactNode, useState } from 'react';
import { TextField } from '../../ui/field.js';
import { useSearchText } from '../../ui/to.js';
import { isId, refOf } from '../../ui/devices/device-ref.js';
import { useDeviceName, useRemovedName } from '../../api/names/device-names.js';

/** Takes a name, or `serial:…`, `mac:…`, an id; applied with Enter or when it is left. */
export function DeviceFilter(): ReactNode {
  const [{ device }, change] = useSearchText();
  const apply = (ref?: string) => change({ device: ref, pages: undefined });
  if (device !== undefined && isId(device)) return <NamedDevice key={device} id={device} apply={apply} />;
  return <DeviceField key={device} said={shown(device)} apply={apply} />;
}

type Apply = (ref?: string) => void;

/** A link to this screen can have an id; a person reads the name. */
function NamedDevice({ id, apply }: { id: string; apply: Apply }): ReactNode {
  const name = useDeviceName(id);
  const removed = useRemovedName(id);
  const text = name ?? (removed === null ? id : `${removed} (removed)`);
  return <DeviceField key={text} said={text} apply={apply} />;
}

function DeviceField({ said, apply }: { said: string; apply: Apply }): ReactNode {
  const [text, setText] = useState(said);
  const take = () => text !== said && apply(refOf(text.trim()));
  return (
    <TextField
      label="Device"
      placeholder="Name, then Enter"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}

const shown = (ref: string | undefined): string => (ref?.startsWith('name:') ? ref.slice(5) : (ref ?? ''));
