import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { amountText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { firmwareParts } from '../../../api/device-texts.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useList } from '../../../api/lists.js';
import { useMay } from '../../../api/may.js';
import { isRefused } from '../../../api/problems.js';
import { deviceQuery } from '../../../api/queries.js';
import { exclusionText, usePreview } from '../../../ui/devices/selection-preview.js';
import { Notice } from '../../../ui/messages.js';
import { LockReasons } from '../../../ui/devices/lock-reasons.js';
import { StateMark } from '../../../ui/mark.js';
import { Ago } from '../../../ui/time.js';
import { sampleQuery } from '../../device/device-queries.js';
import { DeviceNow } from '../standing/device-now.js';

/** The chosen device, and what keeps a job from it now; undefined: nothing, or it is not known. @param ref as the API takes it */
export function useDeviceReady(ref: string | null) {
  const { data: device, error } = useQuery({ ...deviceQuery(ref ?? ''), enabled: ref !== null, retry: false });
  const preview = usePreview(device ? `id=${device.id}` : null, 'job.start');
  return { device: ref === null ? undefined : device, error, kept: preview.data?.excluded[0] };
}

/** How the device is, in a line: its state, its last answer, its firmware, its signal where that is known, and its last backup. */
function DeviceLine({ device }: { device: Schema<'Device'> }): ReactNode {
  const { id, state, seenAt, firmware } = device;
  const { data } = useQuery({ ...sampleQuery(id), enabled: useMay('device.call_read') && state === 'online' });
  const backups = useList('/v1/artifacts', {
    key: KEYS.artifacts.newestOf(id),
    query: { kind: 'backup', device: id, limit: 1 },
    enabled: useMay('artifact.read'),
  });
  const signal = amountText(data?.sample?.rsrp ?? data?.sample?.rssi, 'dBm');
  const [backup] = backups.rows;
  const isOnline = state === 'online';
  const facts = [
    isOnline && seenAt && (
      <>
        answered <Ago at={seenAt} />
      </>
    ),
    firmware && (
      <span key="firmware" className="foreign">
        {firmwareParts(firmware).version}
      </span>
    ),
    signal,
    backup && (
      <>
        backup <Ago at={backup.createdAt} />
      </>
    ),
    !backup && !backups.isLoading && !backups.error && 'no backup',
  ].filter(Boolean);
  return (
    <p className="row small">
      {isOnline ? <StateMark state={state} /> : <DeviceNow deviceId={id} />}
      <span>
        {facts.map((fact, at) => (
          <Fragment key={at}>
            {at > 0 && ' · '}
            {fact}
          </Fragment>
        ))}
      </span>
    </p>
  );
}

/** Whether a job can start on the chosen device now: its state, its lock, another certificate. */
export function DeviceReady({ of: { device, error, kept } }: { of: ReturnType<typeof useDeviceReady> }): ReactNode {
  if (error)
    return isRefused(error, 'device_not_found') ? <p className="small quiet">No device has this name.</p> : null;
  if (!device) return null;
  return (
    <>
      <DeviceLine device={device} />
      {kept ? (
        <Notice tone="warn">
          <span>
            This cannot start now: {exclusionText(kept.reason, 1)}.
            {kept.reason === 'locked' && <LockReasons devices={[device.id]} />}
          </span>
        </Notice>
      ) : device.state === 'offline' ? (
        <p className="small quiet">The job waits until the device answers, or until its time ends.</p>
      ) : null}
    </>
  );
}
