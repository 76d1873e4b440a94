import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { deviceQuery } from '../../../api/queries.js';
import { Ago, exactText } from '../../../ui/time.js';
import { StateMark } from '../../../ui/mark.js';
import { To } from '../../../ui/to.js';
import { reachQuery } from '../../device-outage/check.js';

/** How the device of a job is now, and the way to why it does not answer. */
export function DeviceNow({ deviceId }: { deviceId: string }): ReactNode {
  const { data: device } = useQuery({ ...deviceQuery(deviceId), retry: false });
  if (!device) return null;
  return (
    <span className="row">
      <span>
        <span className="foreign">{device.name}</span> now:
      </span>
      <StateMark state={device.state} />
      <Since device={device} />
      {device.state !== 'online' && device.state !== 'new' && (
        <To to={`/devices/${deviceId}`} search={{ tab: device.state === 'trust_changed' ? 'trust' : undefined }}>
          See why
        </To>
      )}
    </span>
  );
}

function Since({ device: { id, state, seenAt } }: { device: Schema<'Device'> }): ReactNode {
  const reach = useQuery({ ...reachQuery(id), enabled: state === 'offline' });
  if (state !== 'offline')
    return (
      seenAt && (
        <span className="small quiet">
          last answer <Ago at={seenAt} />
        </span>
      )
    );
  const since = reach.data?.since ?? seenAt;
  return <span className="small quiet">{since === null ? 'it has never answered' : `since ${exactText(since)}`}</span>;
}
