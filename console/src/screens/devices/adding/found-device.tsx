import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../../api/client.js';
import { firmwareParts, modelText } from '../../../api/device-texts.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useMay } from '../../../api/may.js';
import { deviceQuery, queries } from '../../../api/queries.js';
import { Button } from '../../../ui/button.js';
import { shownState, StateMark } from '../../../ui/mark.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import { Facts } from '../../../ui/page.js';
import { exactText } from '../../../ui/time.js';
import { useGo } from '../../../ui/to.js';
import { useShownBy } from '../../certificates/shown-certificate.js';
import { sendCall } from '../../device-api/device-call.js';

interface FoundDeviceProps {
  id: string;
  name: string;
  /** Whether a login was given: then the gateway signs in once, and learns what it is. */
  hasLogin: boolean;
  onAnother: () => void;
  onClose: () => void;
}

/** What the gateway found at the address of a device that was just registered. */
export function FoundDevice({ id, name, hasLogin, onAnother, onClose }: FoundDeviceProps): ReactNode {
  const go = useGo();
  const mayCall = useMay('device.call_read');
  const contact = useQuery({ ...contactQuery(id, hasLogin), enabled: mayCall });
  const { data: device } = useQuery({ ...deviceQuery(id), enabled: !mayCall || !contact.isPending });
  return (
    <>
      <div className="dialog-body">
        <p role="status">
          <strong className="foreign">{name} is registered.</strong>
        </p>
        {mayCall && contact.isPending && <Loading what="The gateway asks it for the first time" />}
        {contact.error ? <Failure error={contact.error} onRetry={() => void contact.refetch()} /> : null}
        {contact.data && device && (
          <Found check={contact.data} device={device} hasLogin={hasLogin} onRetry={() => void contact.refetch()} />
        )}
      </div>
      <div className="dialog-foot">
        <Button onClick={onAnother}>Add another</Button>
        <Button
          kind="primary"
          autoFocus
          onClick={() => {
            onClose();
            go(`/devices/${id}`);
          }}
        >
          Open device
        </Button>
      </div>
    </>
  );
}

/** Asks once whether it answers, and signs in where a login was given: only then it says its serial number and firmware. */
const contactQuery = (id: string, hasLogin: boolean) => ({
  queryKey: KEYS.deviceContact.one(id),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const check = await api.post('/v1/devices/{ref}/check', { params: { path: { ref: id } }, signal });
    const login = { method: 'GET', path: '/api/system/device/status' };
    if (check.answered && hasLogin) await sendCall(id, login, signal).catch(() => undefined); // its state says why
    void queries.invalidateQueries({ queryKey: deviceQuery(id).queryKey, exact: true });
    return check;
  },
  staleTime: Infinity,
  retry: false,
});

interface FoundProps {
  check: Schema<'DeviceCheck'>;
  device: Schema<'Device'>;
  hasLogin: boolean;
  onRetry: () => void;
}

function Found({ check, device, hasLogin, onRetry }: FoundProps): ReactNode {
  const shown = useShownBy(device.id);
  const failed = check.stages.find(({ outcome }) => outcome === 'failed');
  const { model, serial, firmware, state, credentials } = device;
  return (
    <>
      <Facts
        of={[
          ['State', <StateMark key="state" state={shownState(state, credentials)} />],
          ['Address', <code key="address">{device.baseUrl}</code>],
          ...(model ? [['Model', modelText(model)] as const] : []),
          ...(serial ? [['Serial number', serial] as const] : []),
          ...(firmware ? [['Firmware', firmwareParts(firmware).version ?? firmware] as const] : []),
          ...(shown
            ? [
                ['Certificate of', shown.subject] as const,
                ['Valid until', shown.notAfter && exactText(shown.notAfter)] as const,
                ['Fingerprint', <code key="fingerprint">{shown.fingerprint}</code>] as const,
              ]
            : []),
        ]}
      />
      {!check.answered ? (
        <Notice tone="warn">
          <strong>It does not answer{failed?.detail ? `: ${failed.detail}` : ''}.</strong>
          Check its address and port, and that the network lets the gateway reach it. It stays registered, and is
          checked again by itself.
          <div className="row">
            <Button icon="refresh" onClick={onRetry}>
              Check again
            </Button>
          </div>
        </Notice>
      ) : state === 'credentials_refused' ? (
        <Notice tone="warn">
          <strong>It refuses the login.</strong>
          Open the device and set another one: until then no call and no job reaches it.
        </Notice>
      ) : (
        !hasLogin && (
          <Notice>
            No login is stored, so the gateway only sees that it answers. Open the device and set its login.
          </Notice>
        )
      )}
      {check.answered && (
        <p className="quiet">
          The gateway knows the device by this certificate from now on, and warns when it shows another one. Where the
          network is not your own, compare the fingerprint with the one on the device.
        </p>
      )}
    </>
  );
}
