import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { amountText, bytesText } from '../../api/amount-text.js';
import { PLAN_FIELD, planText, planUse } from '../../api/limits/data-plan.js';
import { failureText } from '../../ui/words/failure-text.js';
import { Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Notice } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { interfaceText } from '../../api/device-texts.js';
import { Ago, momentText, useNow } from '../../ui/time.js';
import { isAsked, sampleQuery } from '../device/device-queries.js';
import { useNamingPolicy, WhyNoSample } from './why-no-sample.js';
import { ValueHistory } from './value-history.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type Device = Schema<'Device'>;
type Sampled = Schema<'SampledDevice'>;
type Sample = NonNullable<Sampled['sample']>;
type Reading = readonly [name: string, value: ReactNode];

interface StoredValuesProps {
  readonly device: Device;
  /** Whether the values of now stand above: then those of the last sample are not needed. */
  readonly isLive: boolean;
}

/** The values of a device over time and as its last sample has them, and how it is sampled. */
export function StoredValues({ device, isLive }: StoredValuesProps): ReactNode {
  const { data, error, refetch } = useQuery({
    ...sampleQuery(device.id),
    refetchInterval: 30_000, // no event tells of a sample
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <AwaitedCards />;
  const { sample, sampling } = data;
  // Its card says why nothing is read.
  if (!sample && device.state === 'trust_changed') return null;
  return (
    <>
      {sample && !isLive && (
        <>
          <LastNotice sample={sample} error={sampling?.lastError ?? null} isAway={!isAsked(device)} />
          <Readings sample={sample} planMb={device.fields[PLAN_FIELD]} />
        </>
      )}
      {sample ? (
        <ValueHistory key={device.id} device={device} everySeconds={sampling?.intervalSeconds ?? 0} />
      ) : (
        <NoValues device={device} sampling={sampling} />
      )}
      {sample && sample.modems.length > 1 && <Parts title="Modems" rows={sample.modems} />}
      {sample && !isLive && <Parts title="Interfaces" rows={sample.interfaces} />}
      <Card title="Sampling">
        <Facts of={samplingOf(data)} />
      </Card>
    </>
  );
}

interface LastNoticeProps {
  sample: Sample;
  /** Of the try after it. */
  error: string | null;
  /** The device gives none now. */
  isAway: boolean;
}

function LastNotice({ sample: { sampledAt }, error, isAway }: LastNoticeProps): ReactNode {
  const time = momentText(sampledAt, useNow());
  return (
    <Notice tone="warn">
      <strong>Last values, {time}</strong>
      <span>
        {isAway ? `No values since ${time}.` : 'These are the last values that the device gave.'}
        {error !== null && (
          <>
            {' '}
            The try after them failed: <span className="foreign">{failureText(error)}</span>.
          </>
        )}
      </span>
    </Notice>
  );
}

function NoValues({ device, sampling }: { device: Device; sampling: Sampled['sampling'] }): ReactNode {
  const isNamed = useNamingPolicy(device.id, sampling) !== null;
  return (
    <div className="card">
      <Empty
        title={isNamed ? 'No values yet' : 'This device is not sampled'}
        command={`fleetgate ${isNamed ? 'device sample' : 'monitoring add one -l'} id:${device.id}`}
      >
        <WhyNoSample device={device} sampling={sampling} />
      </Empty>
    </div>
  );
}

function Readings({ sample, planMb }: { sample: Sample; planMb: unknown }): ReactNode {
  return (
    <div className="columns quiet">
      <Card title="Mobile network">
        <Facts of={mobileOf(sample, planMb)} />
      </Card>
      <Card title="Device">
        <Facts of={conditionOf(sample)} />
      </Card>
    </div>
  );
}

const bytes = (value: number | null): string | null => (value === null ? null : bytesText(value));

const mobileOf = (sample: Sample, planMb: unknown): readonly Reading[] => [
  ['Operator', sample.operator],
  ['Connection', sample.connectionType],
  ['Active SIM', sample.activeSim],
  ['Signal (RSSI)', amountText(sample.rssi, 'dBm')],
  ['RSRP', amountText(sample.rsrp, 'dBm')],
  ['RSRQ', amountText(sample.rsrq, 'dB')],
  ['SINR', amountText(sample.sinr, 'dB')],
  ['Data today', bytes(sample.dataDay)],
  ['Data this month', monthOf(sample, planMb)],
];

function monthOf({ dataMonth }: Sample, planMb: unknown): ReactNode {
  if (dataMonth === null) return null;
  const plan = planUse(dataMonth, planMb);
  return (
    <span key="month" className="amount" data-tone={plan?.tone}>
      {bytesText(dataMonth)}
      {plan && `, ${planText(plan)}`}
    </span>
  );
}

const conditionOf = (sample: Sample): readonly Reading[] => [
  ['Read', <Ago key="at" at={sample.sampledAt} />],
  ['Temperature', amountText(sample.temperature, '°C')],
  ['Runs since', sample.uptimeSeconds === null ? null : <Ago key="up" at={startOf(sample)} />],
  ['Free memory', amountText(sample.memoryFree, '%')],
  ['Free flash', amountText(sample.flashFree, '%')],
  ['Load of 1 and 5 minutes', loadOf(sample)],
  ['Position', sample.latitude === null || sample.longitude === null ? null : positionOf(sample)],
  ...Object.entries(sample.extra).map(([name, value]) => [name, value.toLocaleString('en')] as const),
];

const startOf = ({ sampledAt, uptimeSeconds }: Sample): string =>
  new Date(Date.parse(sampledAt) - (uptimeSeconds ?? 0) * 1_000).toISOString();

const loadOf = ({ load1, load5 }: Sample): string | null =>
  load1 === null && load5 === null ? null : `${load1?.toFixed(2) ?? '–'} and ${load5?.toFixed(2) ?? '–'}`;

const positionOf = ({ latitude, longitude }: Sample): string => `${latitude!.toFixed(5)}, ${longitude!.toFixed(5)}`;

function samplingOf({ sample, sampling, loginsToday }: Sampled): readonly Reading[] {
  const { everySeconds, intervalSeconds } = sampling ?? {};
  const slowed = everySeconds === intervalSeconds ? '' : `, for its budget; its collection says ${everySeconds} s`;
  return [
    ['Interval', sampling ? `${intervalSeconds} s${slowed}` : 'no collection names it'],
    ['Last sample', <Ago key="at" at={sample?.sampledAt} />],
    ['Size of a sample', bytes(sample?.bytes ?? null)],
    ['All samples this month', bytes(sample?.monthBytes ?? null)],
    ['Logins today', loginsToday],
  ];
}

/** Modems or interfaces: a column for each value that any of them has. */
function Parts({ title, rows }: { title: string; rows: readonly Readonly<Record<string, unknown>>[] }): ReactNode {
  if (rows.length === 0) return null;
  const names = Object.keys(PART_WORDS).filter((name) => rows.some((row) => row[name] != null));
  return (
    <Card title={title} flush>
      <Table
        label={title}
        rows={rows.map((row, at) => ({ ...row, at }))}
        rowKey={({ at }) => String(at)}
        columns={names.map((name) => ({
          title: PART_WORDS[name]!,
          cell: (row: Readonly<Record<string, unknown>>) =>
            typeof row[name] === 'boolean' ? (
              <Mark tone={row[name] ? 'good' : 'plain'}>{row[name] ? 'Up' : 'Down'}</Mark>
            ) : (
              <span className="foreign cut">{partText(name, row[name])}</span>
            ),
        }))}
      />
    </Card>
  );
}

/** The values of a modem or an interface, in the order of their columns. */
const PART_WORDS: Readonly<Record<string, string>> = {
  id: 'Modem',
  name: 'Interface',
  up: 'State',
  operator: 'Operator',
  connectionType: 'Connection',
  activeSim: 'Active SIM',
  rssi: 'RSSI, dBm',
  rsrp: 'RSRP, dBm',
  rsrq: 'RSRQ, dB',
  sinr: 'SINR, dB',
  temperature: 'Temperature, °C',
  rxBytes: 'Received',
  txBytes: 'Sent',
};

function partText(name: string, value: unknown): string {
  if (typeof value === 'string') return name === 'name' ? interfaceText(value) : value;
  if (typeof value !== 'number') return '–';
  return name.endsWith('Bytes') ? bytesText(value) : value.toLocaleString('en');
}
