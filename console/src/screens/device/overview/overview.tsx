import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { type Schema } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { Failure, Notice } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { AwaitedChart } from '../../../ui/rows/awaited.js';
import { Below } from '../../../ui/rows/below.js';
import { exactText } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { OutageCard } from '../../device-outage/outage-card.js';
import { TrustCard } from '../../device-outage/trust-card.js';
import { EventList } from '../../device-values/event-list.js';
import { useEvents } from '../../device-values/happened.js';
import { DeviceFacts } from './device-facts.js';
import {
  DATA_CHART,
  FIRST_CHART,
  jobMarksQuery,
  sampleHistoryQuery,
  sampleQuery,
  weekQuery,
} from '../device-queries.js';
import styles from './overview.module.css';
import { StateStrip } from './state-strip.js';

/** The chart is a library of its own. */
const chart = import('../../device-values/overview-history.js'); // it begins with this script, not with the device

const OverviewHistory = lazy(async () => ({ default: (await chart).OverviewHistory }));

const OverviewVitals = lazy(async () => ({ default: (await chart).OverviewVitals }));

type Device = Schema<'Device'>;

/** What the gateway knows about a device. */
export function DeviceOverview({ device }: { device: Device }): ReactNode {
  const history = useQuery(weekQuery(device.id));
  const mayRead = useMay('device.call_read');
  const { isSampleKnown, isChartKnown } = useKnownLengths(device.id, mayRead);
  const since = history.data?.items.find(({ field }) => field === 'state')?.at;
  return (
    <>
      <OutageCard key={device.id} device={device} />
      {device.state === 'trust_changed' && <TrustCard device={device} />}
      <Condition device={device} since={since} />
      {mayRead && (
        <Suspense fallback={null}>
          <OverviewVitals device={device} />
        </Suspense>
      )}
      <Below isKnown={isSampleKnown}>
        <div className={styles['parts']}>
          <div className={styles['charts']}>
            <StateStrip deviceId={device.id} state={device.state} createdAt={device.createdAt} />
            {mayRead && (
              <Suspense fallback={<AwaitedChart />}>
                <OverviewHistory device={device} />
              </Suspense>
            )}
            <Below isKnown={isSampleKnown && isChartKnown}>
              <Happened deviceId={device.id} />
            </Below>
          </div>
          <Card title="Device">
            <DeviceFacts device={device} since={since} />
          </Card>
        </div>
      </Below>
    </>
  );
}

/** Jobs, states and what was observed of it in one list. */
function Happened({ deviceId }: { deviceId: string }): ReactNode {
  const { events, error } = useEvents(deviceId);
  return (
    <Card
      title="What happened"
      flush
      actions={
        <To to="." search={{ tab: 'jobs' }} className="small">
          All jobs
        </To>
      }
    >
      {error ? <Failure error={error} /> : <EventList label="What happened" events={events} />}
    </Card>
  );
}

/** Whether it is known how much room the values and the chart take. */
function useKnownLengths(id: string, mayRead: boolean) {
  const sample = useQuery({ ...sampleQuery(id), enabled: mayRead });
  const hasChart = Boolean(sample.data?.sample);
  const chart = useQuery({ ...sampleHistoryQuery(id, FIRST_CHART.metric, FIRST_CHART.hours), enabled: hasChart });
  const data = useQuery({ ...sampleHistoryQuery(id, DATA_CHART.metric, DATA_CHART.hours), enabled: hasChart });
  const week = useQuery(weekQuery(id));
  const mayReadJobs = useMay('job.read');
  const jobs = useQuery({ ...jobMarksQuery(id), enabled: mayReadJobs });
  return {
    isSampleKnown: !mayRead || !sample.isPending,
    isChartKnown:
      !week.isPending && !(mayReadJobs && jobs.isPending) && (!hasChart || (!chart.isPending && !data.isPending)),
  };
}

function Condition({ device, since }: { device: Device; since: string | undefined }): ReactNode {
  const time = since ? ` since ${exactText(since)}` : '';
  if (device.credentials === null) {
    return (
      <Notice tone="warn">
        <span>
          <strong>No login is stored.</strong> Calls and jobs fail until you give the login of the device.{' '}
          <To to="." search={{ tab: 'sessions' }}>
            Set the login
          </To>
        </span>
      </Notice>
    );
  }
  if (device.state === 'credentials_refused') {
    return (
      <Notice tone="warn">
        <span>
          <strong>It refuses the stored password{time}</strong>
          {device.stateReason && `: ${device.stateReason}`}. The gateway tries no other login. Where it asks for a new
          password, set that on the device first.{' '}
          <To to="." search={{ tab: 'sessions' }}>
            Set another login
          </To>
        </span>
      </Notice>
    );
  }
  return null;
}
