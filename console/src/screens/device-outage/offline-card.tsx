import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Card } from '../../ui/page.js';
import { exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { CheckNow, reachQuery, useCheck } from './check.js';

interface OfflineCardProps {
  device: Schema<'Device'>;
  /** What the screen shows in the place of the device's answer, or when it will. */
  children?: ReactNode;
}

/** In the place of what only a device that answers can show: since when it does not, why, and a check. */
export function OfflineCard({ device, children }: OfflineCardProps): ReactNode {
  const check = useCheck(device);
  const since = useQuery(reachQuery(device.id)).data?.since ?? device.seenAt;
  return (
    <Card>
      <div className="stack">
        <p>
          <strong className="foreign">{device.name}</strong>{' '}
          {since === null ? 'is offline and has never answered.' : `has been offline since ${exactText(since)}.`}
        </p>
        {children && <p className="quiet">{children}</p>}
        <div className="row">
          <CheckNow check={check} kind="plain" />
          <To to="." search={{ tab: undefined }}>
            See why
          </To>
        </div>
      </div>
    </Card>
  );
}
