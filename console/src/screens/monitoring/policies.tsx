import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type Column } from '../../ui/list-table.js';
import { AuthoredRows, selectorColumn, stateColumn } from './authored-rows.js';
import { PolicyForm } from './policy-form.js';
import { RemovePolicy } from './remove-policy.js';
import { CollectionStrip, CostOf, SampledNow } from './shown/collection-strip.js';
import { Unsampled } from './shown/unsampled.js';
import { METRIC_WORDS, timeText } from './words.js';
import { AwaitedChart } from '../../ui/rows/awaited.js';

/** The chart is a library of its own. */
const WeekChart = lazy(() => import('./shown/week-chart.js'));

type Policy = Schema<'ListedMonitoringPolicy'>;

const EMPTY = {
  title: 'No device is sampled',
  command: 'fleetgate monitoring add everything -l all --every-seconds 240',
  text: 'A collection names devices and says how often their signal, temperature, data use and load are read. It says what that costs before it is saved.',
};

/** Which devices are sampled, how often, and what of them. */
export function Policies(): ReactNode {
  const mayReadDevices = useMay('device.read');
  const mayCall = useMay('device.call_read');
  const query = useQuery({
    queryKey: KEYS.monitoring.policies,
    queryFn: ({ signal }) => api.get('/v1/monitoring/policies', { signal }),
    refetchInterval: 30_000, // no event tells which devices are sampled
  });
  const selector = (query.data?.items ?? [])
    .flatMap((policy) => (policy.enabled && policy.selector !== null ? [`(${policy.selector})`] : []))
    .join(' | ');
  return (
    <div className="stack">
      <AuthoredRows
        label="Collections of metrics"
        about="A collection reads values of its devices at an interval, for charts and rules."
        add="New collection"
        head={<CollectionStrip />}
        query={query}
        empty={EMPTY}
        columns={COLUMNS}
        form={(policy, close) => <PolicyForm policy={policy} onClose={close} />}
        removal={(policy, close) => <RemovePolicy policy={policy} onClose={close} />}
      />
      {mayReadDevices && mayCall && selector !== '' && (
        <Suspense fallback={<AwaitedChart />}>
          <WeekChart selector={selector} />
        </Suspense>
      )}
      {mayReadDevices && <Unsampled policies={query.data?.items ?? []} />}
    </div>
  );
}

const COLUMNS: readonly Column<Policy>[] = [
  {
    title: 'Collection',
    cell: ({ name }) => (
      <span className="foreign cut" title={name}>
        {name}
      </span>
    ),
  },
  selectorColumn('Devices'),
  {
    title: 'Every',
    cell: ({ everySeconds }) => timeText(everySeconds),
    brief: ({ everySeconds }) => `every ${timeText(everySeconds)}`,
  },
  { title: 'Reads', cell: (policy) => readsText(policy) },
  {
    title: 'Sampled now',
    cell: (policy) => <SampledNow of={policy} />,
    brief: ({ devices }) => countText(devices, 'device'),
    isNumber: true,
  },
  { title: 'Data a month', cell: (policy) => <CostOf of={policy} /> },
  {
    title: 'Limit',
    narrow: 'none',
    cell: ({ budgetMb }) => (budgetMb === null ? 'none' : `${numberText(budgetMb)} MB a device`),
  },
  stateColumn('Names no devices now'),
];

function readsText({ metrics, extra }: Policy): string {
  const words = metrics.map((metric) => METRIC_WORDS[metric].toLowerCase());
  return [...words, ...extra.map(({ name }) => name)].join(', ');
}
