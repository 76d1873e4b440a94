import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Confirm } from '../../ui/confirm.js';
import { PinDifference } from './pin-difference.js';
import { useShownBy } from './shown-certificate.js';

type Device = Pick<Schema<'Device'>, 'id' | 'name' | 'trust'>;

/** Accepts exactly the key that the screen has shown: another one that came since then is refused again. */
export function AcceptPin({
  device: { id, name, trust },
  onClose,
}: {
  device: Device;
  onClose: () => void;
}): ReactNode {
  const shown = useShownBy(id);
  const body = { mode: 'pin' as const, pin: trust.offeredPin ?? '' };
  const accept = useAction({
    run: () => api.put('/v1/devices/{ref}/trust', { params: { path: { ref: id } }, body }),
    done: 'The certificate is accepted',
    refreshes: ['devices', 'device'],
    after: onClose,
  });
  return (
    <Confirm
      title={`Accept the certificate of ${name}`}
      send="Accept"
      typed={name}
      busy={accept.isPending}
      equivalent={{
        command: `device trust id:${id} --mode pin --pin ${body.pin}`,
        method: 'PUT',
        path: `/v1/devices/${id}/trust`,
        body,
      }}
      onConfirm={() => accept.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          Compare the offered fingerprint with the one on the device itself. The gateway logs in there with the stored
          password afterwards: if this is another machine, it gets the password.
        </p>
        <PinDifference trust={trust} known={shown} />
      </div>
    </Confirm>
  );
}
