import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { exactText } from '../../ui/time.js';

/** Below this share of devices online a bar is a warning, and below the next one it is bad. */
const GOOD = 0.98;
const FAIR = 0.9;

/** The share of devices that were online, over the last 24 hours. */
export function Availability(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['devices', 'availability'],
    queryFn: ({ signal }) => api.get('/v1/devices/availability', { params: { query: { hours: 24 } }, signal }),
    refetchInterval: 60_000,
  });
  const points = data?.points ?? [];
  const known = points.filter(({ devices }) => devices > 0);
  const shares = known.map(({ devices, online }) => online / devices);
  const average = shares.reduce((sum, one) => sum + one, 0) / Math.max(1, shares.length);
  const text = !data
    ? '…'
    : known.length === 0
      ? 'No device was checked in the last 24 hours'
      : `${percent(average)} online on average`;
  if (error)
    return (
      <Card title="Last 24 hours">
        <Failure error={error} />
      </Card>
    );
  return (
    <Card title="Last 24 hours">
      <div className="strip" role="img" aria-label={`Availability of the last 24 hours: ${text}`}>
        {points.map(({ at, devices, online }) => (
          <i
            key={at}
            data-tone={toneOf(devices, online)}
            title={`${exactText(at)}: ${devices === 0 ? 'no devices' : `${online} of ${devices} online`}`}
          />
        ))}
      </div>
      <div className="row spread small quiet">
        <span>24 h ago</span>
        <span>{text}</span>
        <span>now</span>
      </div>
    </Card>
  );
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

function toneOf(devices: number, online: number): string {
  if (devices === 0) return 'none';
  const share = online / devices;
  return share >= GOOD ? 'good' : share >= FAIR ? 'warn' : 'bad';
}
