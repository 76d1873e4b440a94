import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { FIRST_CHART, type Metric, sampleHistoryQuery } from '../device/device-queries.js';
import { BandKey } from './band-key.js';
import { Chart } from './chart.js';
import styles from './chart.module.css';
import { EventList } from './event-list.js';
import { Readout } from './readout.js';
import { METRICS } from './shown-metrics.js';
import { ValueChoice } from './value-choice.js';
import { useHappened } from './happened.js';
import { SelectField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { AwaitedChart } from '../../ui/rows/awaited.js';

type Device = Schema<'Device'>;
type History = Schema<'DeviceSampleHistory'>;

const RANGES = [
  ['6', '6 hours'],
  ['24', 'a day'],
  ['168', 'a week'],
] as const;

/** Points that are not joined are further apart than this many of their steps and of the device's intervals. */
const GAP = 3;

/** One value of a device over the last days, with what happened in the same time. */
export function ValueHistory({ device, everySeconds }: { device: Device; everySeconds: number }): ReactNode {
  const [metric, setMetric] = useState<Metric>(FIRST_CHART.metric);
  const [hours, setHours] = useState<string>(FIRST_CHART.hours);
  const { data, error, refetch } = useQuery({
    ...sampleHistoryQuery(device.id, metric, hours),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000, // no event tells of a sample
  });
  return (
    <Card
      title="Over time"
      beside={
        <ValueChoice metric={metric} onMetric={setMetric}>
          <SelectField label="Time" value={hours} options={RANGES} onChange={({ target }) => setHours(target.value)} />
        </ValueChoice>
      }
    >
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <div className={styles['waiting']}>
          <AwaitedChart />
        </div>
      ) : data.points.length === 0 ? (
        <p className="quiet">
          {data.keptDays === 0
            ? 'This gateway keeps no history of values (MONITORING_KEEP_DAYS is 0).'
            : 'No sample of this time has the value. The line begins with the first one.'}
        </p>
      ) : (
        <HistoryChart device={device} history={data} everySeconds={everySeconds} />
      )}
    </Card>
  );
}

function HistoryChart({
  device,
  history,
  everySeconds,
}: {
  device: Device;
  history: History;
  everySeconds: number;
}): ReactNode {
  const { metric, points, stepSeconds } = history;
  const { name, textOf, range, limits } = METRICS.find((one) => one.metric === metric)!;
  const [from, to] = [Date.parse(history.from), Date.parse(history.to)];
  const { marks, spans, events, mayReadJobs, error } = useHappened(device, from, to);
  const label = useMemo(() => labelOf(name, history, textOf), [name, history, textOf]);
  return (
    <div className="stack">
      <Readout points={points} textOf={textOf} limits={limits} />
      <Chart
        label={label}
        points={points}
        gapSeconds={GAP * Math.max(stepSeconds, everySeconds)}
        from={from}
        to={to}
        marks={marks}
        spans={spans}
        textOf={textOf}
        range={range}
        limits={limits}
      />
      <p className={`row small quiet ${styles['key']}`}>
        {limits && <BandKey limits={limits} />}
        <span data-key="offline">
          <i />
          not online
        </span>
        {mayReadJobs && (
          <span data-key="job">
            <i />
            job started
          </span>
        )}
        <span data-key="change">
          <i />
          firmware, model or identity changed
        </span>
      </p>
      {error ? <Failure error={error} /> : null}
      <EventList events={events} />
    </div>
  );
}

function labelOf(name: string, { points }: History, textOf: (value: number) => string): string {
  const lowest = Math.min(...points.map(({ min }) => min));
  const highest = Math.max(...points.map(({ max }) => max));
  return `${name}: lowest ${textOf(lowest)}, highest ${textOf(highest)}, last ${textOf(points.at(-1)!.mean)}`;
}
