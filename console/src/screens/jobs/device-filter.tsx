import { type ReactNode, useState } from 'react';
import { TextField } from '../../ui/field.js';
import { useSearchText } from '../../ui/to.js';
import { refOf } from '../../ui/device-ref.js';

/** Takes a name, or `serial:…`, `mac:…`, an id; applied with Enter or when it is left. */
export function DeviceFilter(): ReactNode {
  const [{ device }, change] = useSearchText();
  return <DeviceField key={device} device={device} apply={(ref) => change({ device: ref })} />;
}

function DeviceField({ device, apply }: { device: string | undefined; apply: (ref?: string) => void }): ReactNode {
  const [text, setText] = useState(shown(device));
  const take = () => apply(refOf(text.trim()));
  return (
    <TextField
      label="Device"
      placeholder="Name, then Enter"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => shown(device) !== text && take()}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}

const shown = (ref: string | undefined): string => (ref?.startsWith('name:') ? ref.slice(5) : (ref ?? ''));
