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

/** An alert about the value. */
interface AlertMarks {
  /** What its rule compares the value with. */
  readonly limit: number | undefined;
  /** Milliseconds; null: it is not open yet. */
  readonly openedAt: number | null;
}

interface HistoryProps {
  readonly device: Device;
  readonly alert?: AlertMarks | undefined;
  readonly everySeconds: number;
}

interface ValueHistoryProps extends HistoryProps {
  /** The value that is shown first. */
  readonly first?: Metric;
  /** A low chart; what happened stands elsewhere on the page. */
  readonly isBrief?: boolean;
}

/** One value of a device over the last days, with what happened in the same time. */
export function ValueHistory({ first = FIRST_CHART.metric, alert, ...props }: ValueHistoryProps): ReactNode {
  const [metric, setMetric] = useState<Metric>(first);
  const [hours, setHours] = useState<string>(FIRST_CHART.hours);
  const marks = alert && metric !== first ? { ...alert, limit: undefined } : alert;
  return (
    <Card
      title="Over time"
      beside={
        <ValueChoice metric={metric} onMetric={setMetric}>
          <TimeChoice hours={hours} onHours={setHours} />
        </ValueChoice>
      }
    >
      <History {...props} alert={marks} metric={metric} hours={hours} />
    </Card>
  );
}

/** Its signal alone; what happened stands elsewhere on the page. */
export function SignalHistory(props: HistoryProps): ReactNode {
  const [hours, setHours] = useState<string>(FIRST_CHART.hours);
  return (
    <Card title="Signal" beside={<TimeChoice hours={hours} onHours={setHours} />}>
      <History {...props} metric={FIRST_CHART.metric} hours={hours} isBrief />
    </Card>
  );
}

function TimeChoice({ hours, onHours }: { hours: string; onHours: (hours: string) => void }): ReactNode {
  return (
    <div className="inline-fields">
      <SelectField label="Time" value={hours} options={RANGES} onChange={({ target }) => onHours(target.value)} />
    </div>
  );
}

interface ShownProps extends HistoryProps {
  readonly metric: Metric;
  readonly hours: string;
  /** A low chart without the list of what happened. */
  readonly isBrief?: boolean;
}

function History({ metric, hours, ...shown }: ShownProps): ReactNode {
  const { data, error, refetch } = useQuery({
    ...sampleHistoryQuery(shown.device.id, metric, hours),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000, // no event tells of a sample
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div className={styles['waiting']}>
        <AwaitedChart />
      </div>
    );
  if (data.points.length > 0) return <HistoryChart {...shown} history={data} />;
  return (
    <p className="quiet">
      {data.keptDays === 0
        ? 'This gateway keeps no history of values (MONITORING_KEEP_DAYS is 0).'
        : 'No sample of this time has the value. The line begins with the first one.'}
    </p>
  );
}

interface ChartProps extends Omit<ShownProps, 'metric' | 'hours'> {
  readonly history: History;
}

function HistoryChart({ device, alert, history, everySeconds, isBrief = false }: ChartProps): ReactNode {
  const { metric, points, stepSeconds } = history;
  const { name, textOf, range, limits } = METRICS.find((one) => one.metric === metric)!;
  const [from, to] = [Date.parse(history.from), Date.parse(history.to)];
  const { marks, spans, events, mayReadJobs, error } = useHappened(device, from, to);
  const label = useMemo(() => labelOf(name, history, textOf), [name, history, textOf]);
  const openedAt = alert?.openedAt ?? null;
  const allMarks = useMemo(
    () => (openedAt === null ? marks : [...marks, { at: openedAt, tone: 'bad' as const }]),
    [marks, openedAt],
  );
  return (
    <div className={isBrief ? `stack ${styles['brief']}` : 'stack'}>
      <Readout points={points} textOf={textOf} limits={limits} />
      <Chart
        label={label}
        points={points}
        gapSeconds={GAP * Math.max(stepSeconds, everySeconds)}
        from={from}
        to={to}
        marks={allMarks}
        spans={spans}
        textOf={textOf}
        range={range}
        limits={limits}
        limit={alert?.limit}
        height={isBrief ? 'low' : 'usual'}
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
            job
          </span>
        )}
        <span data-key="change">
          <i />
          {isBrief ? 'change' : 'firmware, model or identity changed'}
        </span>
        {alert?.limit !== undefined && (
          <span data-key="limit">
            <i />
            the rule: {textOf(alert.limit)}
          </span>
        )}
        {openedAt !== null && openedAt >= from && openedAt <= to && (
          <span data-key="opened">
            <i />
            the alert opened
          </span>
        )}
      </p>
      {error ? <Failure error={error} /> : !isBrief && <EventList label="What happened in this time" events={events} />}
    </div>
  );
}

function labelOf(name: string, { points }: History, textOf: (value: number) => string): string {
  const lowest = Math.min(...points.map(({ min }) => min));
  const highest = Math.max(...points.map(({ max }) => max));
  return `${name}: lowest ${textOf(lowest)}, highest ${textOf(highest)}, last ${textOf(points.at(-1)!.mean)}`;
}
