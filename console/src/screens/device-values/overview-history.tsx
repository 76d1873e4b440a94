import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { Card } from '../../ui/page.js';
import { To } from '../../ui/to.js';
import { ValueHistory } from './value-history.js';

/** The chart of a device on its first tab, or why it has none yet. */
export function OverviewHistory({ device }: { device: Schema<'Device'> }): ReactNode {
  const { data } = useQuery({
    queryKey: ['device', device.id, 'sample'],
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/sample', { params: { path: { ref: device.id } }, signal }),
    staleTime: 30_000,
  });
  if (!data) return null;
  if (data.sample)
    return <ValueHistory key={device.id} device={device} everySeconds={data.sampling?.intervalSeconds ?? 0} />;
  return (
    <Card title="Over time">
      <p className="quiet">
        {data.sampling ? (
          'The chart begins with the first sample, some seconds after a policy names the device.'
        ) : (
          <>
            No policy of{' '}
            <To to="/monitoring" search={{ tab: 'policies' }}>
              Monitoring
            </To>{' '}
            samples this device. The chart of signal, temperature and data begins when one does.
          </>
        )}
      </p>
    </Card>
  );
}
