/*
 * Terms about measured values: `rsrp<-110`, `uptime<1h`, `data.month>500MB`, `sample>30m`. They exist as SQL only: a device in
 * memory has no sample, so where a selector is judged there they are refused with their position. Pure.
 */

/** How a value is written: a number, a time such as 30m, or bytes such as 500MB. */
type Unit = 'number' | 'time' | 'bytes';

interface Measure {
  readonly unit: Unit;
  /** A column of `device_sample`; null: it has a condition of its own. */
  readonly column: string | null;
}

const measure = (unit: Unit, column: string | null): Measure => ({ unit, column });

const MEASURES = {
  rssi: measure('number', 'rssi'),
  rsrp: measure('number', 'rsrp'),
  rsrq: measure('number', 'rsrq'),
  sinr: measure('number', 'sinr'),
  temperature: measure('number', 'temperature'),
  load: measure('number', 'load1'),
  uptime: measure('time', 'uptime_seconds'),
  'memory.free': measure('number', 'memory_free'),
  'flash.free': measure('number', 'flash_free'),
  'data.day': measure('bytes', 'data_day'),
  'data.month': measure('bytes', 'data_month'),
  sample: measure('time', null),
  logins: measure('number', null),
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

/**
 * A condition on table `device`, true or false for every row.
 * @param order of the value, `<` or another
 * @param param adds a value to the statement
 */
export function measureSql(
  { name, order, value }: { readonly name: MeasureName; readonly order: string; readonly value: number },
  param: (value: unknown) => string,
  now: Date,
): string {
  if (name === 'logins') {
    // A device without a row had no login, which is a value.
    const today = `(${param(now)}::timestamptz at time zone 'UTC')::date`;
    const logins = `select logins from device_login where device_id = device.id and day = ${today}`;
    return `coalesce((${logins}), 0) ${order} ${param(value)}::float8`;
  }
  const column = MEASURES[name].column ?? `extract(epoch from ${param(now)}::timestamptz - sampled_at)`;
  // A subquery, whose rows Postgres hashes once. It has no row where the value is null.
  return `device.id in (select device_id from device_sample where ${column} ${order} ${param(value)}::float8)`;
}
