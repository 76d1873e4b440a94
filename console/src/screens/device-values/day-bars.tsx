import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { DATA_CHART, sampleHistoryQuery } from '../device/device-queries.js';
import { type DataDay, dataDays } from './data-days.js';
import styles from './day-bars.module.css';

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** What a device used of mobile data on each of the last days. */
export function DataOfDays({ device }: { device: Schema<'Device'> }): ReactNode {
  const { data, error, refetch } = useQuery(sampleHistoryQuery(device.id, DATA_CHART.metric, DATA_CHART.hours));
  const days = data ? dataDays(data.points, device.timeZone) : [];
  return (
    <Card title="Data a day" beside={<span className="small quiet">7 days</span>}>
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {data && days.length === 0 && <p className="quiet">No sample of the last 7 days says how much it used.</p>}
      {days.length > 0 && <DayBars of={days.slice(-7)} />}
    </Card>
  );
}

function DayBars({ of }: { of: readonly DataDay[] }): ReactNode {
  const most = Math.max(1, ...of.map(({ bytes }) => bytes));
  return (
    <ol className={styles['days']} aria-label="Data of each day">
      {of.map(({ date, bytes }) => (
        <li key={date}>
          <span className="small quiet">{DATE.format(new Date(date))}</span>
          <span className={styles['bar']}>
            <i style={{ width: `${(100 * bytes) / most}%` }} />
          </span>
          <span className="small">{bytesText(bytes)}</span>
        </li>
      ))}
    </ol>
  );
}
