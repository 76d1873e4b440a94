import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { type Schema } from '../../api/client.js';
import { numberText } from '../../api/amount-text.js';
import { fieldText } from '../../api/device-texts.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Table } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Empty, Failure, Notice } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Below } from '../../ui/rows/below.js';
import { Ago, exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { OutageCard } from '../device-outage/outage-card.js';
import { TrustCard } from '../device-outage/trust-card.js';
import {
  FIRST_CHART,
  jobMarksQuery,
  observedQuery,
  sampleHistoryQuery,
  sampleQuery,
  weekQuery,
} from './device-queries.js';
import { LockFacts, useDeviceLocks } from './device-locks.js';
import { observedText, observedValue } from './observed-text.js';
import { SessionText, TrustText } from './standing.js';
import { StateStrip } from './state-strip.js';
import { JobTable } from '../jobs/job-table.js';
import { AwaitedChart } from '../../ui/rows/awaited.js';

/** The chart is a library of its own. */
const chart = import('../device-values/overview-history.js'); // it begins with this script, not with the device

const OverviewHistory = lazy(async () => ({ default: (await chart).OverviewHistory }));

const OverviewVitals = lazy(async () => ({ default: (await chart).OverviewVitals }));

type Device = Schema<'Device'>;
type Observation = Schema<'DeviceHistory'>['items'][number];

/** What the gateway knows about a device. */
export function DeviceOverview({ device }: { device: Device }): ReactNode {
  const history = useQuery(observedQuery(device.id));
  const locks = useDeviceLocks(device.id);
  const jobs = useList('/v1/jobs', { key: KEYS.jobs.of(device.id), query: { device: device.id, limit: 5 } });
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
        <StateStrip deviceId={device.id} state={device.state} createdAt={device.createdAt} />
        {mayRead && (
          <Suspense fallback={<AwaitedChart />}>
            <OverviewHistory device={device} />
          </Suspense>
        )}
      </Below>
      <Below isKnown={isSampleKnown && isChartKnown}>
        <div className="columns">
          <Card title="State">
            <Facts
              of={[
                ['State', <StateMark key="state" state={device.state} />],
                ['Since', since && <Ago key="since" at={since} />],
                // The cards of an outage and of another certificate have the reason in words.
                ...(device.state === 'offline' || device.state === 'trust_changed' || !device.stateReason
                  ? []
                  : [['Reason', device.stateReason.replaceAll('_', ' ')] as const]),
                ...(locks.length === 0
                  ? []
                  : [['Lock', <LockFacts key="lock" id={device.id} locks={locks} />] as const]),
                ['Last answer', <LastAnswer key="seen" device={device} />],
                ['Address', device.bySpare ? `${device.baseUrl} (no answer)` : device.baseUrl],
                ...(device.spareUrl ? [['Spare address', spareText(device)] as const] : []),
                ['Login', device.credentials?.username ?? 'none is set'],
                ['Session', <SessionText key="session" device={device} />],
                ['Certificate', <TrustText key="trust" trust={device.trust} />],
              ]}
            />
          </Card>
          <Card title="Device">
            <Facts of={identityOf(device)} />
          </Card>
        </div>
        <Card title="Last jobs" flush>
          <JobTable
            ofDevice
            list={{ ...jobs, hasMore: false }}
            empty={
              <Empty title="No jobs yet" command={`fleetgate job start id:${device.id} backup --watch`}>
                A job is one long operation on this device.
              </Empty>
            }
          />
        </Card>
        <Card title="What was observed" flush>
          {history.error ? <Failure error={history.error} onRetry={() => void history.refetch()} /> : null}
          {history.data && <Observations of={history.data.items} />}
        </Card>
      </Below>
    </>
  );
}

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

/** The spare address, and whether calls go there. */
const spareText = ({ spareUrl, bySpare }: Schema<'Device'>) => (bySpare ? `${spareUrl} (in use)` : spareUrl);

/** Whether it is known how much room the values and the chart take. */
function useKnownLengths(id: string, mayRead: boolean) {
  const sample = useQuery({ ...sampleQuery(id), enabled: mayRead });
  const hasChart = Boolean(sample.data?.sample);
  const chart = useQuery({ ...sampleHistoryQuery(id, FIRST_CHART.metric, FIRST_CHART.hours), enabled: hasChart });
  const week = useQuery({ ...weekQuery(id), enabled: hasChart });
  const mayReadJobs = useMay('job.read');
  const jobs = useQuery({ ...jobMarksQuery(id), enabled: hasChart && mayReadJobs });
  return {
    isSampleKnown: !mayRead || !sample.isPending,
    isChartKnown: !hasChart || (!chart.isPending && !week.isPending && !(mayReadJobs && jobs.isPending)),
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

const identityOf = (device: Device): readonly (readonly [string, ReactNode])[] => [
  ['Model', device.model],
  ['Firmware', device.firmware],
  ['Mobile network', device.networkOperator],
  ['Serial', device.serial],
  ['MAC', device.mac],
  ...(device.formerSerials.length > 0 ? [['Earlier serials', device.formerSerials.join(', ')] as const] : []),
  ['Site', device.site || null],
  ['Tags', device.tags.join(', ') || null],
  ...Object.entries(device.fields).map(
    ([key, value]) => [fieldText(key), typeof value === 'number' ? numberText(value) : String(value)] as const,
  ),
  ['Note', device.note || null],
  ['Time zone', device.timeZone],
  ['Registered', <Ago key="created" at={device.createdAt} />],
];

function Observations({ of }: { of: readonly Observation[] }): ReactNode {
  if (of.length === 0) return <p className="quiet">Nothing has changed since the device was registered.</p>;
  const text = (field: string, value: string | null) => (
    <span className="foreign cut">{value === null ? '–' : observedValue(field, value)}</span>
  );
  return (
    <Table
      label="What was observed"
      rows={of}
      rowKey={({ at, field }) => `${at} ${field}`}
      columns={[
        { title: 'When', cell: ({ at }) => <Ago at={at} /> },
        { title: 'What', cell: ({ field }) => observedText(field) },
        { title: 'Before', cell: ({ field, before }) => text(field, before) },
        { title: 'After', cell: ({ field, after }) => text(field, after) },
      ]}
    />
  );
}
