import { type ReactNode } from 'react';
import { amountText, bytesText } from '../../api/amount-text.js';
import { PLAN_FIELD, planText, planUse } from '../../api/limits/data-plan.js';
import { CertificateEnd } from '../../ui/devices/certificate-end.js';
import { Ago } from '../../ui/time.js';
import { type DeviceColumn, type DeviceRow } from './device-rows.js';
import { Sparkline } from './sparklines/sparkline.js';
import { type SparkMetric } from './sparklines/sparkline-request.js';

/* Columns of the latest values. They are read only where they are shown: each row is longer by a kilobyte. */

/** Red above the plan of the device, and amber near it. */
function MonthData({ bytes, planMb }: { bytes: number | null; planMb: unknown }): ReactNode {
  const plan = bytes === null ? null : planUse(bytes, planMb);
  return (
    <span className="cut amount" data-tone={plan?.tone} title={plan ? planText(plan) : undefined}>
      {bytes === null ? '–' : bytesText(bytes)}
    </span>
  );
}

type Sample = NonNullable<DeviceRow['sample']>;

const agoOrNone = (at: string | undefined) => (at === undefined ? '–' : <Ago at={at} />);

const sampled = (
  name: string,
  title: string,
  width: number,
  about: string,
  textOf: (sample: Sample) => string | null,
): DeviceColumn => ({
  name,
  title,
  about,
  width,
  field: 'sample',
  cell: ({ sample }) => <span className="cut">{(sample && textOf(sample)) ?? '–'}</span>,
});

const STRONGER = 'The nearer to 0, the stronger is the mobile network';

/** A value over the last 24 hours. The rows on the screen are read together. */
const overTime = (metric: SparkMetric, name: string, title: string, what: string, unit: string): DeviceColumn => ({
  name,
  title,
  about: `The line is the last 24 hours, the number the last value in ${unit}${metric === 'rsrp' ? `. ${STRONGER}` : ''}`,
  width: 104,
  cell: ({ id }) => <Sparkline deviceId={id} metric={metric} title={what} unit={unit} />,
});

export const SAMPLE_COLUMNS: readonly DeviceColumn[] = [
  sampled('rsrp', 'Signal (RSRP)', 100, `In dBm. ${STRONGER}`, ({ rsrp }) => amountText(rsrp, 'dBm')),
  overTime('rsrp', 'rsrp-24h', 'Signal, 24 h', 'Signal', 'dBm'),
  overTime('temperature', 'temperature-24h', 'Temperature, 24 h', 'Temperature', '°C'),
  sampled('sinr', 'SINR', 70, 'Signal to noise of the mobile network in dB: the higher, the better', ({ sinr }) =>
    amountText(sinr, 'dB'),
  ),
  sampled('temperature', 'Temperature', 100, 'Of the modem, in °C', ({ temperature }) => amountText(temperature, '°C')),
  {
    name: 'data',
    title: 'Data, month',
    about: 'Mobile data of this month. Amber: 80 % of the data plan of the device; red: above it',
    width: 76,
    field: 'sample',
    cell: ({ sample, fields }) => <MonthData bytes={sample?.dataMonth ?? null} planMb={fields[PLAN_FIELD]} />,
  },
  sampled('memory', 'Free memory', 100, 'In percent of all memory', ({ memoryFree }) => amountText(memoryFree, '%')),
  sampled(
    'load',
    'Load',
    60,
    'Processes that run or wait, as an average of one minute',
    ({ load1 }) => load1?.toFixed(2) ?? null,
  ),
  {
    name: 'sampled',
    title: 'Values read',
    width: 96,
    field: 'sample',
    cell: ({ sample }) => agoOrNone(sample?.sampledAt),
  },
  {
    name: 'certificate',
    title: 'Certificate ends',
    width: 120,
    field: 'certificate',
    cell: ({ certificate }) => (certificate ? <CertificateEnd at={certificate.notAfter} /> : '–'),
  },
];
