import { type Sampled } from '../devices/device-samples.js';

/*
 * Devices in the text format of OpenMetrics. Its samples stand family by family, so all devices of a scrape are read before the
 * first byte. Times of samples are values, not timestamps: with those Prometheus would not see that a device is gone. Pure.
 */

/** What a scrape knows of one device. */
export interface MeasuredDevice {
  readonly id: string;
  readonly name: string;
  readonly site: string;
  readonly state: string;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly operator: string | null;
  readonly seenAt: Date | null;
  readonly backupAt: Date | null;
  readonly certificateEndsAt: Date | null;
  readonly sampled: Sampled;
}

/** Open alerts of the devices of a scrape. */
export interface AlertCount {
  readonly rule: string;
  readonly severity: string;
  readonly open: number;
}

/** Labels besides those of the device, and the value; null: the device did not say it. */
type Value = readonly [labels: Readonly<Record<string, string>>, value: number | null];

interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'info';
  readonly help: string;
  readonly values: (device: MeasuredDevice, now: Date) => Iterable<Value>;
}

/** A sample is current for so many intervals of its device. */
const FRESH_INTERVALS = 3;

/** The sample of a device, unless it is too old to be true. */
function currentSample({ sampled: { sample, sampling } }: MeasuredDevice, now: Date): Sampled['sample'] {
  if (!sample || !sampling) return null;
  const ageMs = now.getTime() - new Date(sample.sampledAt).getTime();
  return ageMs < FRESH_INTERVALS * sampling.intervalSeconds * 1_000 ? sample : null;
}

type Sample = NonNullable<Sampled['sample']>;

const seconds = (at: Date | null | undefined): number | null => (at ? new Date(at).getTime() / 1_000 : null);

const family = (
  type: Family['type'],
  name: string,
  help: string,
  valueOf: (device: MeasuredDevice) => number | null,
): Family => ({ type, name: `fleetgate_device_${name}`, help, values: (device) => [[{}, valueOf(device)]] });

const sampledGauge = (name: string, help: string, valueOf: (sample: Sample) => number | null): Family => ({
  type: 'gauge',
  name: `fleetgate_device_${name}`,
  help,
  values: (device, now) => {
    const sample = currentSample(device, now);
    return sample ? [[{}, valueOf(sample)]] : [];
  },
});

type Part = Readonly<Record<string, unknown>>;

/** A value of each modem or interface. Their names come from the device: the second part with the same name is left out. */
const partFamily = (
  label: 'modem' | 'interface',
  type: Family['type'],
  name: string,
  help: string,
  key: string,
): Family => ({
  type,
  name: `fleetgate_${label}_${name}`,
  help,
  values: (device, now) => {
    const sample = currentSample(device, now);
    const parts: readonly Part[] = (label === 'modem' ? sample?.modems : sample?.interfaces) ?? [];
    const byName = new Map<string, Part>();
    for (const [at, part] of parts.entries()) {
      const named = textOf(part[label === 'modem' ? 'id' : 'name']) ?? String(at);
      if (!byName.has(named)) byName.set(named, part);
    }
    return [...byName].map(([named, part]) => [{ [label]: named }, numberOf(part[key])] as const);
  },
});

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function numberOf(value: unknown): number | null {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const INFO: Family = {
  type: 'info',
  name: 'fleetgate_device',
  help: 'What the device is',
  values: ({ id, model, firmware, operator }) => [
    [{ id, model: model ?? '', firmware: firmware ?? '', operator: operator ?? '' }, 1],
  ],
};

/** By their names. The type of the value is the one that its policy names; a gauge is right for both. */
const EXTRA: Family = {
  type: 'gauge',
  name: 'fleetgate_device_extra',
  help: 'Further numbers of monitoring policies, by name',
  values: (device, now) =>
    Object.entries(currentSample(device, now)?.extra ?? {}).map(([name, value]) => [{ name }, value] as const),
};

const isUp = ({ state }: MeasuredDevice): number | null => (state === 'new' ? null : Number(state !== 'offline'));

const FAMILIES: readonly Family[] = [
  family('gauge', 'up', 'Whether the device answered the last check', isUp),
  family('gauge', 'seen_timestamp_seconds', 'When the device answered last', ({ seenAt }) => seconds(seenAt)),
  family('gauge', 'sample_timestamp_seconds', 'When its latest values were read', ({ sampled: { sample } }) =>
    seconds(sample?.sampledAt),
  ),
  INFO,
  family('gauge', 'backup_timestamp_seconds', 'When its latest backup was made', ({ backupAt }) => seconds(backupAt)),
  family(
    'gauge',
    'certificate_expiry_timestamp_seconds',
    'When the certificate ends that it showed last',
    ({ certificateEndsAt }) => seconds(certificateEndsAt),
  ),
  family('counter', 'logins', 'Logins of the gateway since midnight (UTC)', ({ sampled }) => sampled.loginsToday),
  family('counter', 'sample_bytes', 'Bytes of samples since the begin of the month (UTC)', ({ sampled }) =>
    sampled.sample ? sampled.sample.monthBytes : null,
  ),
  sampledGauge('uptime_seconds', 'Since its last start', ({ uptimeSeconds }) => uptimeSeconds),
  sampledGauge('memory_free_percent', 'Free memory', ({ memoryFree }) => memoryFree),
  sampledGauge('flash_free_percent', 'Free flash', ({ flashFree }) => flashFree),
  sampledGauge('load1', 'Load of one minute', ({ load1 }) => load1),
  sampledGauge('load5', 'Load of five minutes', ({ load5 }) => load5),
  sampledGauge('latitude_degrees', 'Position', ({ latitude }) => latitude),
  sampledGauge('longitude_degrees', 'Position', ({ longitude }) => longitude),
  sampledGauge('data_day_bytes', 'Mobile data of its day, as the router counts it', ({ dataDay }) => dataDay),
  sampledGauge('data_month_bytes', 'Mobile data of its month, as the router counts it', ({ dataMonth }) => dataMonth),
  EXTRA,
  partFamily('modem', 'gauge', 'rssi_dbm', 'Signal', 'rssi'),
  partFamily('modem', 'gauge', 'rsrp_dbm', 'Signal of LTE and 5G', 'rsrp'),
  partFamily('modem', 'gauge', 'rsrq_db', 'Quality of the signal', 'rsrq'),
  partFamily('modem', 'gauge', 'sinr_db', 'Signal to noise', 'sinr'),
  partFamily('modem', 'gauge', 'temperature_celsius', 'Temperature', 'temperature'),
  partFamily('modem', 'gauge', 'active_sim', 'The SIM in use', 'activeSim'),
  partFamily('modem', 'counter', 'receive_bytes', 'Received by the modem', 'rxBytes'),
  partFamily('modem', 'counter', 'transmit_bytes', 'Sent by the modem', 'txBytes'),
  partFamily('interface', 'gauge', 'up', 'Whether the interface is up', 'up'),
  partFamily('interface', 'counter', 'receive_bytes', 'Received by the interface', 'rxBytes'),
  partFamily('interface', 'counter', 'transmit_bytes', 'Sent by the interface', 'txBytes'),
];

const SUFFIX = { gauge: '', counter: '_total', info: '_info' } as const;

/** How many series the text will have, in parts: a caller may let others go first after each. */
export function* countSeries(devices: readonly MeasuredDevice[], now: Date): Generator<number> {
  for (const { values } of FAMILIES) {
    for (const device of devices) {
      let count = 0;
      for (const [, value] of values(device, now)) if (value !== null) count++;
      yield count;
    }
  }
}

/** The text in small parts. @param devices whose names are unique */
export function* metricsText(
  devices: readonly MeasuredDevice[],
  alerts: readonly AlertCount[],
  now: Date,
): Generator<string> {
  const labels = devices.map(({ name, site }) => labelsText({ device: name, site }));
  for (const { name, type, help, values } of FAMILIES) {
    yield `# TYPE ${name} ${type}\n# HELP ${name} ${help}\n`;
    for (const [at, device] of devices.entries()) {
      let lines = '';
      for (const [own, value] of values(device, now)) {
        if (value === null) continue;
        const more = labelsText(own);
        lines += `${name}${SUFFIX[type]}{${labels[at]!}${more === '' ? '' : `,${more}`}} ${value}\n`;
      }
      if (lines !== '') yield lines;
    }
  }
  yield '# TYPE fleetgate_alerts gauge\n# HELP fleetgate_alerts Open alerts of these devices\n';
  for (const { rule, severity, open } of alerts) yield `fleetgate_alerts{${labelsText({ rule, severity })}} ${open}\n`;
  yield '# EOF\n';
}

const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join();

/** As OpenMetrics 1.0 says; other control characters are no part of a name. */
const escaped = (value: string): string =>
  value
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('"', '\\"')
    .replaceAll(/\p{Cc}/gu, '');
