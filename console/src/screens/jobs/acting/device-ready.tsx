import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { isRefused } from '../../../api/problems.js';
import { deviceQuery } from '../../../api/queries.js';
import { exclusionText, usePreview } from '../../../ui/devices/selection-preview.js';
import { Notice } from '../../../ui/messages.js';
import { LockReasons } from '../../../ui/devices/lock-reasons.js';
import { DeviceNow } from '../standing/device-now.js';

/** The chosen device, and what keeps a job from it now; undefined: nothing, or it is not known. @param ref as the API takes it */
export function useDeviceReady(ref: string | null) {
  const { data: device, error } = useQuery({ ...deviceQuery(ref ?? ''), enabled: ref !== null, retry: false });
  const preview = usePreview(device ? `id=${device.id}` : null, 'job.start');
  return { device: ref === null ? undefined : device, error, kept: preview.data?.excluded[0] };
}

/** Whether a job can start on the chosen device now: its state, its lock, another certificate. */
export function DeviceReady({ of: { device, error, kept } }: { of: ReturnType<typeof useDeviceReady> }): ReactNode {
  if (error)
    return isRefused(error, 'device_not_found') ? <p className="small quiet">No device has this name.</p> : null;
  if (!device) return null;
  return (
    <>
      {device.state !== 'online' && <DeviceNow deviceId={device.id} />}
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
