import { type DataSource } from 'typeorm';
import { z } from 'zod';
import { type Rights, type ScopedDevice } from '../auth/rights/rights.js';
import { PATHS } from '../device-api/contract.js';
import { instant } from '../http/endpoint.js';

/*
 * The latest values of devices, as `monitoring/` stores them, for lists and the page of a device. Their readers may call the
 * device to read, and see the values of the paths that they may read there.
 */

const number = z.number().nullable();
const count = z.number().int().nullable();
const text = z.string().nullable();

export const sampleView = z
  .object({
    sampledAt: instant,
    bytes: z.number().int().describe('What it cost, without a login'),
    monthBytes: z.number().int().describe('Of all samples of the month (UTC), with their logins'),
    rssi: number,
    rsrp: number,
    rsrq: number,
    sinr: number,
    temperature: number.describe('In °C'),
    operator: text,
    connectionType: text,
    activeSim: count,
    uptimeSeconds: count,
    memoryFree: number.describe('In percent'),
    flashFree: number.describe('In percent'),
    load1: number,
    load5: number,
    latitude: number,
    longitude: number,
    dataDay: count.describe('Mobile bytes in both directions, in the day of the router'),
    dataMonth: count.describe('The same in its month'),
    modems: z.array(z.record(z.string(), z.unknown())),
    interfaces: z.array(z.record(z.string(), z.unknown())),
    extra: z.record(z.string(), z.number()).describe('Further numbers of policies, by name'),
  })
  .meta({
    id: 'DeviceSample',
    description:
      'null: the device did not say this value, or you may not read its path. Signal is of the primary modem',
  });

export const samplingView = z
  .object({
    everySeconds: z.number().int().describe('The shortest interval of its policies'),
    intervalSeconds: z.number().int().describe('Longer where the budget of the month would not last'),
    lastError: z.string().nullable().describe('Why the last sample has no values: an error code'),
  })
  .meta({ id: 'DeviceSampling' });

export interface Sampled {
  readonly sample: z.input<typeof sampleView> | null;
  /** null: no policy names it. */
  readonly sampling: z.input<typeof samplingView> | null;
  /** Since midnight (UTC). */
  readonly loginsToday: number;
}

type Sample = z.input<typeof sampleView>;

interface SampleRow extends Omit<Sample, 'sampledAt' | 'extra'> {
  readonly sampledAt: string;
  readonly extra: Readonly<Record<string, { readonly path: string; readonly value: number }>>;
}

type SampledRow = Omit<Sampled, 'sample'> & { readonly id: string; readonly sample: SampleRow | null };

/** In the place of the values of a path that the reader may not read. */
const HIDDEN: readonly (readonly [path: string, values: Partial<Sample>])[] = [
  [
    PATHS.modemsStatus,
    {
      rssi: null,
      rsrp: null,
      rsrq: null,
      sinr: null,
      temperature: null,
      operator: null,
      connectionType: null,
      activeSim: null,
      modems: [],
    },
  ],
  [PATHS.interfacesStatus, { interfaces: [] }],
  [PATHS.usageStatus, { uptimeSeconds: null, memoryFree: null, flashFree: null, load1: null, load5: null }],
  [PATHS.positionStatus, { latitude: null, longitude: null }],
  [PATHS.dataOfDay, { dataDay: null }],
  [PATHS.dataOfMonth, { dataMonth: null }],
];

/** What a reader of this value must be allowed to read on the device. */
export const pathOfValue = (name: keyof Sample): string => HIDDEN.find(([, instead]) => name in instead)![0];

/** Fields of a device that `sampledOf` reads. */
export const SAMPLED_FIELDS = ['sample', 'sampling', 'loginsToday'] as const;

const SAMPLE = `
  json_build_object(
    'sampledAt', sample.sampled_at, 'bytes', sample.bytes, 'monthBytes', sample.month_bytes, 'rssi', sample.rssi,
    'rsrp', sample.rsrp, 'rsrq', sample.rsrq, 'sinr', sample.sinr, 'temperature', sample.temperature,
    'operator', sample.operator, 'connectionType', sample.connection_type, 'activeSim', sample.active_sim,
    'uptimeSeconds', sample.uptime_seconds, 'memoryFree', sample.memory_free, 'flashFree', sample.flash_free,
    'load1', sample.load1, 'load5', sample.load5, 'latitude', sample.latitude, 'longitude', sample.longitude,
    'dataDay', sample.data_day, 'dataMonth', sample.data_month, 'modems', sample.rest -> 'modems',
    'interfaces', sample.rest -> 'interfaces', 'extra', sample.rest -> 'extra')`;

const SAMPLED = `
  select asked.id, case when sample.device_id is not null then ${SAMPLE} end as sample,
         case when plan.device_id is not null
              then json_build_object('everySeconds', plan.every_seconds, 'intervalSeconds', plan.interval_seconds,
                                     'lastError', plan.last_error) end as sampling,
         coalesce(login.logins, 0) as "loginsToday"
    from unnest($1::uuid[]) as asked (id)
    left join device_sample sample on sample.device_id = asked.id
    left join monitored_device plan on plan.device_id = asked.id
    left join device_login login on login.device_id = asked.id and login.day = ($2::timestamptz at time zone 'UTC')::date`;

/** By the id of the device, as far as these rights may read it. @param devices complete rows */
export async function sampledOf(
  db: Pick<DataSource, 'query'>,
  devices: readonly ScopedDevice[],
  rights: Rights,
  now: Date,
): Promise<ReadonlyMap<string, Sampled>> {
  const rows = await db.query<SampledRow[]>(SAMPLED, [devices.map(({ id }) => id), now]);
  const byId = new Map(devices.map((device) => [device.id, device]));
  return new Map(
    rows.map(({ id, sample, ...rest }) => {
      const shown = sample && shownSample(sample, (path) => mayRead(rights, byId.get(id)!, path));
      return [id, { ...rest, sample: shown }];
    }),
  );
}

const mayRead = (rights: Rights, device: ScopedDevice, path?: string): boolean =>
  rights.allows({ action: 'device.call_read', device, path });

function shownSample({ sampledAt, extra, ...values }: SampleRow, isShown: (path?: string) => boolean): Sample | null {
  if (!isShown()) return null;
  const hidden = HIDDEN.filter(([path]) => !isShown(path)).map(([, instead]) => instead);
  const shown = Object.entries(extra).filter(([, { path }]) => isShown(path));
  return {
    ...values,
    ...Object.assign({}, ...hidden),
    sampledAt: new Date(sampledAt),
    extra: Object.fromEntries(shown.map(([name, { value }]) => [name, value])),
  };
}
