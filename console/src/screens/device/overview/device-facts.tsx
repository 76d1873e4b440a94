import { type ReactNode } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { fieldText } from '../../../api/device-texts.js';
import { failureText } from '../../../ui/words/failure-text.js';
import { CopyButton } from '../../../ui/copy.js';
import { StateMark } from '../../../ui/mark.js';
import { Facts } from '../../../ui/page.js';
import { Ago, Since } from '../../../ui/time.js';
import { useDeviceLocks } from '../../../ui/devices/device-locks.js';
import { LockFacts } from '../device-locks.js';
import { SessionText, TrustText } from '../standing.js';
import styles from './overview.module.css';

type Device = Schema<'Device'>;

/** How a device stands, how it is reached, and what it is. @param since when it came into its state */
export function DeviceFacts({ device, since }: { device: Device; since: string | undefined }): ReactNode {
  const locks = useDeviceLocks(device.id);
  // The cards of an outage and of another certificate have the reason in words.
  const reason = device.state === 'offline' || device.state === 'trust_changed' ? null : device.stateReason;
  return (
    <Facts
      of={[
        [
          'State',
          <span key="state" className="row">
            <StateMark state={device.state} />
            {since && (
              <span className="quiet">
                <Since at={since} />
              </span>
            )}
          </span>,
        ],
        ...(reason ? [['Reason', failureText(reason)] as const] : []),
        ...(locks.length === 0 ? [] : [['Lock', <LockFacts key="lock" id={device.id} locks={locks} />] as const]),
        ['Last answer', <LastAnswer key="seen" device={device} />],
        ['Address', <Address key="address" url={device.baseUrl} about={device.bySpare ? 'no answer' : ''} />],
        ...(device.spareUrl
          ? [
              [
                'Spare address',
                <Address key="spare" url={device.spareUrl} about={device.bySpare ? 'in use' : ''} />,
              ] as const,
            ]
          : []),
        ['Login', device.credentials?.username ?? 'none is set'],
        ['Session', <SessionText key="session" device={device} />],
        ['Certificate', <TrustText key="trust" trust={device.trust} />],
        ...identityOf(device),
      ]}
    />
  );
}

/** An address, with a button that copies it. */
const Address = ({ url, about }: { url: string; about: string }): ReactNode => (
  <span className={styles['address']}>
    <span>
      {url}
      {about && <span className="quiet"> ({about})</span>}
    </span>
    <CopyButton text={url} label="Copy the address" />
  </span>
);

/** A lock stops calls. Whether the device answers is looked at without a call. */
function LastAnswer({ device: { id, seenAt } }: { device: Device }): ReactNode {
  const isLocked = useDeviceLocks(id).some(({ kind }) => kind !== 'writes');
  return (
    <span>
      <Ago at={seenAt} />
      {isLocked && <span className="quiet"> · a check without login; no calls while locked</span>}
    </span>
  );
}

/** What it is. What is not known of it is left out. */
function identityOf(device: Device): readonly (readonly [string, ReactNode])[] {
  const known: readonly (readonly [string, ReactNode])[] = [
    ['Model', device.model],
    ['Firmware', device.firmware],
    ['Mobile network', device.networkOperator],
    ['Serial', device.serial],
    ['Earlier serials', device.formerSerials.join(', ')],
    ['MAC', device.mac],
    ['Site', device.site],
    ['Tags', device.tags.join(', ')],
    ...Object.entries(device.fields).map(
      ([key, value]) => [fieldText(key), typeof value === 'number' ? numberText(value) : String(value)] as const,
    ),
    ['Note', device.note],
    ['Time zone', device.timeZone],
    ['Registered', <Ago key="created" at={device.createdAt} />],
  ];
  return known.filter(([, value]) => value !== null && value !== '');
}
