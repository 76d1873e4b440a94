import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Card } from '../../ui/page.js';
import { isAsked, sampleQuery } from '../device/device-queries.js';
import styles from './chart.module.css';
import { DataOfDays } from './day-bars.js';
import { SignalHistory } from './value-history.js';
import { Vitals } from './vitals.js';
import { WhyNoSample } from './why-no-sample.js';

/** The latest values of a device on its first tab; nothing where it has none. */
export function OverviewVitals({ device }: { device: Schema<'Device'> }): ReactNode {
  const { data } = useQuery(sampleQuery(device.id));
  return data?.sample ? (
    <Vitals sample={data.sample} planMb={device.fields['plan_mb']} isAway={!isAsked(device)} />
  ) : null;
}

/** The charts of a device on its first tab, or why it has none yet. */
export function OverviewHistory({ device }: { device: Schema<'Device'> }): ReactNode {
  const { data } = useQuery(sampleQuery(device.id));
  if (!data) return null;
  if (data.sample)
    return (
      <div className={styles['pair']}>
        <SignalHistory key={device.id} device={device} everySeconds={data.sampling?.intervalSeconds ?? 0} />
        <DataOfDays device={device} />
      </div>
    );
  if (device.state === 'trust_changed') return null; // its card says why there is nothing
  return (
    <Card title="Signal and data">
      <p className="quiet">
        <WhyNoSample device={device} sampling={data.sampling} />
      </p>
    </Card>
  );
}
