import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { api } from '../../../api/client.js';
import { gatewayNow } from '../../../api/clock.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Failure } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { type Metric } from '../../device/device-queries.js';
import { BandKey } from '../../device-values/band-key.js';
import { Chart } from '../../device-values/chart.js';
import styles from '../../device-values/chart.module.css';
import { Readout } from '../../device-values/readout.js';
import { METRICS } from '../../device-values/shown-metrics.js';
import { ValueChoice } from '../../device-values/value-choice.js';
import { fleetWeek } from './fleet-week.js';
import { AwaitedChart } from '../../../ui/rows/awaited.js';

const WEEK_MS = 7 * 86_400_000;

/** A request for each device: so many are one picture, and no load for a gateway. */
const DEVICES_MAX = 24;
const AT_ONCE = 6;

/** An hour is a part. */
const POINTS = 168;

/** Points that are not joined are further apart than this many parts. */
const GAP = 3;

const NOTHING: readonly never[] = [];

/** One value of the sampled devices over the last week. The chart is a library of its own, so this is a chunk of its own. */
export default function WeekChart({ selector }: { selector: string }): ReactNode {
  const [metric, setMetric] = useState<Metric>('rsrp');
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.monitoring.week(selector, metric),
    queryFn: ({ signal }) => readWeek(selector, metric, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return (
    <Card title="The last week" beside={<ValueChoice metric={metric} onMetric={setMetric} />}>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <div className={styles['waiting']}>
          <AwaitedChart />
        </div>
      ) : data.points.length === 0 ? (
        <p className="quiet">No sample of the last week has this value.</p>
      ) : (
        <Week of={data} />
      )}
    </Card>
  );
}

type WeekData = Awaited<ReturnType<typeof readWeek>>;

function Week({ of: { metric, points, from, to, stepSeconds, ends, devices, all } }: { of: WeekData }): ReactNode {
  const { name, textOf, range, limits } = METRICS.find((one) => one.metric === metric)!;
  const label = useMemo(() => {
    const ends = [Math.min(...points.map(({ min }) => min)), Math.max(...points.map(({ max }) => max))];
    return `${name} of the last week: lowest ${textOf(ends[0]!)}, highest ${textOf(ends[1]!)}`;
  }, [name, points, textOf]);
  return (
    <>
      <Readout points={[...points]} textOf={textOf} limits={limits} ends={ends} />
      <Chart
        label={label}
        points={points}
        gapSeconds={GAP * stepSeconds}
        from={from}
        to={to}
        marks={NOTHING}
        spans={NOTHING}
        textOf={textOf}
        range={range}
        limits={limits}
      />
      {limits && (
        <p className={`row small quiet ${styles['key']}`}>
          <BandKey limits={limits} />
        </p>
      )}
      <p className="small quiet">
        The line is the mean of {all > devices && `${numberText(devices)} of `}
        {countText(Math.max(all, devices), 'device')}. The band reaches from the lowest to the highest.
      </p>
    </>
  );
}

interface Histories {
  readonly points: readonly { readonly min: number; readonly max: number }[];
}

const lowestOf = ({ points }: Histories): number => Math.min(...points.map(({ min }) => min));
const highestOf = ({ points }: Histories): number => Math.max(...points.map(({ max }) => max));

async function readWeek(selector: string, metric: Metric, signal: AbortSignal) {
  const to = gatewayNow();
  const from = to - WEEK_MS;
  const [summary, { items }] = await Promise.all([
    api.get('/v1/devices/summary', { params: { query: { selector, by: 'state' } }, signal }),
    api.get('/v1/devices', { params: { query: { selector, fields: 'id', limit: DEVICES_MAX } }, signal }),
  ]);
  const query = { metric, from: new Date(from).toISOString(), to: new Date(to).toISOString(), points: POINTS };
  const read = async ({ id = '' }: { id?: string }) => {
    const history = await api.get('/v1/devices/{ref}/sample/history', { params: { path: { ref: id }, query }, signal });
    return { ...history, id };
  };
  const found: Awaited<ReturnType<typeof read>>[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    // A device that the reader may not call is left out.
    const some = await Promise.allSettled(items.slice(at, at + AT_ONCE).map(read));
    found.push(...some.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  }
  const known = found.filter(({ points }) => points.length > 0);
  const stepSeconds = found[0]?.stepSeconds ?? 3_600;
  const points = fleetWeek(known, from, stepSeconds);
  const byLowest = known.toSorted((one, other) => lowestOf(one) - lowestOf(other));
  const byHighest = known.toSorted((one, other) => highestOf(other) - highestOf(one));
  const ends = [byLowest[0]?.id, byHighest[0]?.id] as const;
  return { metric, points, from, to, stepSeconds, ends, devices: known.length, all: summary.devices };
}
