import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { planText, planUse } from '../../api/limits/data-plan.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { CutText } from '../../ui/rows/cut-text.js';
import { To } from '../../ui/to.js';
import styles from './figures.module.css';
import { figuresQuery } from './overview-queries.js';

type Figures = Schema<'FleetFigures'>;

/** Of RSRP in dBm, as selectors name them. */
const CLASSES = [
  ['excellent', 'Excellent', 'rsrp>=-80'],
  ['good', 'Good', 'rsrp>=-90 & rsrp<-80'],
  ['fair', 'Fair', 'rsrp>=-100 & rsrp<-90'],
  ['weak', 'Weak', 'rsrp<-100'],
] as const;

/** Signal and data of the fleet, from the latest samples. */
export function FleetFigures(): ReactNode {
  const { data, error, refetch } = useQuery(figuresQuery);
  if (error)
    return (
      <Card title="Signal and data">
        <Failure error={error} onRetry={() => void refetch()} />
      </Card>
    );
  if (!data)
    return (
      <Card title="Signal and data">
        <Loading />
      </Card>
    );
  if (data.devices === 0)
    return (
      <Card title="Signal and data">
        <p className="quiet">
          No device has a sample of the last two days. Values begin some seconds after a collection of{' '}
          <To to="/monitoring" search={{ tab: 'policies' }}>
            Monitoring
          </To>{' '}
          names devices.
        </p>
      </Card>
    );
  return (
    <div className={styles['figures']}>
      <Signal figures={data} />
      <Bars
        title="Data this month by operator"
        rows={data.operators.map(({ operator, devices, bytes }) => ({
          key: operator ?? '',
          name: operator ?? 'Not known',
          value: bytes,
          text: bytesText(bytes),
          more: countText(devices, 'device'),
        }))}
      />
      <Bars
        title="Most data this month"
        rows={data.top.map(({ id, name, bytes, planMb }) => ({
          key: id,
          name: (
            <To to={`/devices/${id}`}>
              <CutText text={name} />
            </To>
          ),
          value: bytes,
          text: bytesText(bytes),
          ...planOf(bytes, planMb),
        }))}
        below={planLegend(data.top)}
      />
    </div>
  );
}

function planOf(bytes: number, planMb: number | null): Pick<BarRow, 'tone' | 'more'> {
  const plan = planUse(bytes, planMb);
  return plan ? { tone: plan.tone, more: planText(plan) } : { more: 'no data plan is set' };
}

/** What the colours of bars mean, where one has another than blue. */
function planLegend(top: Figures['top']): string | null {
  const tones = new Set(top.map(({ bytes, planMb }) => planUse(bytes, planMb)?.tone));
  const parts = [
    tones.has('bad') && 'red: above the data plan',
    tones.has('warn') && 'amber: 80 % of the data plan or more',
  ];
  const text = parts.filter(Boolean).join('; ');
  return text === '' ? null : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function Signal({ figures: { signal } }: { figures: Figures }): ReactNode {
  const countOf = (name: string) => signal.find((row) => row.signal === name)?.devices ?? 0;
  const unknown = countOf('unknown');
  return (
    <Bars
      title="Signal now"
      rows={CLASSES.map(([key, title, selector]) => ({
        key,
        name: (
          <To to="/devices" search={{ selector }}>
            {title}
          </To>
        ),
        value: countOf(key),
        text: countOf(key).toLocaleString('en'),
      }))}
      below={unknown > 0 ? `${unknown.toLocaleString('en')} more do not say their RSRP.` : null}
    />
  );
}

interface BarRow {
  readonly key: string;
  readonly name: ReactNode;
  readonly value: number;
  readonly text: string;
  readonly more?: string;
  readonly tone?: 'plain' | 'warn' | 'bad';
}

function Bars({ title, rows, below }: { title: string; rows: readonly BarRow[]; below?: string | null }): ReactNode {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <Card title={title}>
      {rows.length === 0 && <p className="quiet">No device has told its data of this month yet.</p>}
      <ul className={styles['bars']}>
        {rows.map(({ key, name, value, text, more, tone }) => (
          <li key={key} title={more}>
            <span className={`cut foreign ${styles['of']}`}>{name}</span>
            <span className={styles['track']} aria-hidden="true">
              <i data-tone={tone} style={{ width: `${(value / most) * 100}%` }} />
            </span>
            <span className={`amount ${styles['amount']}`} data-tone={tone}>
              {text}
            </span>
          </li>
        ))}
      </ul>
      {below && <p className="small quiet">{below}</p>}
    </Card>
  );
}
