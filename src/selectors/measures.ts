import { PATHS } from '../device-api/contract.js';
import { type DeviceScope } from '../platform/actor.js';

/*
 * Terms about measured values: `rsrp<-110`, `uptime<1h`, `data.month>500MB`, `sample>30m`, `backup>26h`, `certificate<30d`,
 * `observed.changed<1d`. They exist as SQL only: a device in memory has no sample, so where a selector is judged there they are refused with their
 * position. A term matches only devices on which the reader may read the value. Pure.
 */

/** How a value is written: a number, a time such as 30m, or bytes such as 500MB. */
type Unit = 'number' | 'time' | 'bytes';

interface Measure {
  readonly unit: Unit;
  /** A column of `device_sample`; null: it has a condition of its own. */
  readonly column: string | null;
  /** Where a device says it; undefined: the gateway measured it. */
  readonly path?: string | undefined;
}

/** @param compared compares with the value of the term @returns a condition on table `device` */
type OwnSql = (compared: (value: string) => string, now: () => string) => string;

const measure = (unit: Unit, column: string | null, path?: string): Measure => ({ unit, column, path });

const { modemsStatus, usageStatus, dataOfDay, dataOfMonth } = PATHS;

const MEASURES = {
  rssi: measure('number', 'rssi', modemsStatus),
  rsrp: measure('number', 'rsrp', modemsStatus),
  rsrq: measure('number', 'rsrq', modemsStatus),
  sinr: measure('number', 'sinr', modemsStatus),
  temperature: measure('number', 'temperature', modemsStatus),
  load: measure('number', 'load1', usageStatus),
  uptime: measure('time', 'uptime_seconds', usageStatus),
  'memory.free': measure('number', 'memory_free', usageStatus),
  'flash.free': measure('number', 'flash_free', usageStatus),
  'data.day': measure('bytes', 'data_day', dataOfDay),
  'data.month': measure('bytes', 'data_month', dataOfMonth),
  'data.plan': measure('number', 'data_month', dataOfMonth),
  sample: measure('time', null),
  logins: measure('number', null),
  backup: measure('time', null),
  certificate: measure('time', null),
  'observed.changed': measure('time', null),
} as const satisfies Record<string, Measure>;
export type MeasureName = keyof typeof MEASURES;

export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

export const isMeasure = (name: string): name is MeasureName => Object.hasOwn(MEASURES, name);

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
const BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

const FORMS: Readonly<Record<Unit, { readonly pattern: RegExp; readonly such: string }>> = {
  number: { pattern: /^(-?\d{1,6}(?:\.\d{1,3})?)()$/, such: 'a number such as 20 or -110' },
  time: { pattern: /^(\d{1,6})([smhdw])$/i, such: 'a time such as 30m, 2h or 7d' },
  bytes: { pattern: /^(\d{1,6}(?:\.\d{1,3})?)([kmgt]?b)$/i, such: 'bytes such as 500MB or 1.5GB' },
};

/** @returns the number of a value, in seconds, bytes or as it is; or the form that it must have */
export function readMeasure(name: MeasureName, text: string): number | string {
  const { unit } = MEASURES[name];
  const [, digits, suffix] = FORMS[unit].pattern.exec(text) ?? [];
  if (digits === undefined) return FORMS[unit].such;
  const factor = { number: () => 1, time: (of: string) => SECONDS[of]!, bytes: (of: string) => BYTES[of]! }[unit];
  return Number(digits) * factor(suffix!.toLowerCase());
}

/** The column of `device_sample` that has the value; null: the gateway knows it without a fresh sample. */
export const columnOfMeasure = (name: MeasureName): string | null => MEASURES[name].column;

/** The rights of who names devices. */
export interface SelectorReader {
  /**
   * The devices that the reader may call at a path, or at any, whose jobs they may read, or of which they may see what watches
   * read and what templates say; null: all.
   */
  scope(
    permission: 'device.call_read' | 'job.read' | 'observed.read' | 'template.read',
    path?: string,
  ): DeviceScope | null;
}

/** The devices of which the reader may see what watches read, at a path or at any; null: all. */
export function scopeOfObserved(reader: SelectorReader, path?: string): DeviceScope | null {
  const scopes = [reader.scope('observed.read', path), reader.scope('device.call_read', path)].filter(
    (scope) => scope !== null,
  );
  return scopes.length === 0 ? null : (values, now) => scopes.map((scope) => scope(values, now)).join(' and ');
}

/** The devices on which the reader may read a value itself; null: all that they see. */
export function scopeOfMeasure(name: MeasureName, reader: SelectorReader): DeviceScope | null {
  if (name === 'logins' || name === 'certificate') return null;
  if (name === 'backup') return reader.scope('job.read');
  if (name === 'observed.changed') return scopeOfObserved(reader);
  return reader.scope('device.call_read', MEASURES[name].path);
}

const seconds = (interval: string) => `extract(epoch from ${interval})`;

/** How old the latest backup is, as the coverage of backups has it. */
const backupAge = (now: string) => `(
    select ${seconds(`${now} - coalesce(confirmed_at, created_at)`)} from artifact
     where artifact.device_id = device.id and artifact.kind = 'backup' order by artifact.created_at desc limit 1)`;

/** Those in the list of certificates: the one that a handshake saw, and those that jobs saw. */
const CERTIFICATES = `(select device_id, not_after from device_shown_certificate
                            union all select device_id, not_after from device_certificate) certificate`;

/** In how long the first certificate ends; negative: it has ended. */
const certificateRest = (now: string) => `(
    select ${seconds(`min(not_after) - ${now}`)} from ${CERTIFICATES} where certificate.device_id = device.id)`;

/** The value of a measure as SQL beside tables `device` and `sample`; null: a list does not tell it. */
export function valueOfMeasure(name: MeasureName, now: () => string): string | null {
  if (name === 'backup') return backupAge(now());
  if (name === 'certificate') return certificateRest(now());
  const { column } = MEASURES[name];
  return column === null ? null : `sample.${column}`;
}

/** What is no column of a sample. */
const OWN: Readonly<Partial<Record<MeasureName, OwnSql>>> = {
  // A device without a row had no login, which is a value.
  logins: (compared, now) =>
    compared(`coalesce((select logins from device_login
                         where device_id = device.id and day = (${now()} at time zone 'UTC')::date), 0)`),
  backup: (compared, now) => `coalesce(${compared(backupAge(now()))}, false)`,
  certificate: (compared, now) =>
    `device.id in (
    select device_id from ${CERTIFICATES}
     group by device_id having ${compared(seconds(`min(not_after) - ${now()}`))})`,
  'observed.changed': (compared, now) =>
    `device.id in (select device_id from observed where ${compared(seconds(`${now()} - changed_at`))})`,
  sample: (compared, now) => sampleSql(compared(seconds(`${now()} - sample.sampled_at`))),
  // Devices that are read beside their samples: as `device` their fields would make the subquery one for each device.
  'data.plan': (compared) =>
    sampleSql(compared(shareOfPlan('planned')), 'join device planned on planned.id = sample.device_id'),
};

/** Where a statement has the values: in the latest sample of table `device`, or in a row `sample` that it has joined. */
export type SampleRow = 'latest' | 'joined';

/** A subquery, whose rows Postgres hashes once. It has no row where the value is null. */
const sampleSql = (condition: string, join = '') =>
  `device.id in (select sample.device_id from device_sample sample ${join} where ${condition})`;

/** The custom field with the megabytes that a device may send and receive in a month. */
const PLAN_FIELD = 'plan_mb';

/** Percent of the plan that the month has used; null without a plan of at least a megabyte. */
const shareOfPlan = (device: string) => {
  const plan = `(${device}.fields ->> '${PLAN_FIELD}')::float8`;
  const isPlan = `jsonb_typeof(${device}.fields -> '${PLAN_FIELD}') = 'number'`;
  return `case when ${isPlan} then case when ${plan} >= 1 then sample.data_month / ${plan} / 1e4 end end`;
};

/**
 * A condition on table `device`, true or false for every row; `scopeOfMeasure` narrows it.
 * @param order of the value, `<` or another
 * @param param adds a value to the statement
 * @param row `joined` is for values of samples alone
 */
export function measureSql(
  { name, order, value }: { readonly name: MeasureName; readonly order: string; readonly value: number },
  param: (value: unknown) => string,
  now: Date,
  row: SampleRow,
): string {
  const than = param(value);
  const compared = (what: string) => `${what} ${order} ${than}::float8`;
  if (row === 'joined') return `coalesce(${compared(joinedValue(name))}, false)`;
  const own = OWN[name];
  return own
    ? own(compared, () => `${param(now)}::timestamptz`)
    : sampleSql(compared(`sample.${MEASURES[name].column!}`));
}

/** @throws Error for a value that no sample has */
function joinedValue(name: MeasureName): string {
  const { column } = MEASURES[name];
  if (column === null) throw new Error(`No sample has ${name}`);
  return name === 'data.plan' ? shareOfPlan('device') : `sample.${column}`;
}
