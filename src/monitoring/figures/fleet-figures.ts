/*
 * Figures of a fleet from the latest samples, for the overview: how good its signal is, and who uses the data of the month.
 * Samples that are older than two days say nothing about now.
 */

/** How old a sample may be. */
const FIGURES_WITHIN_HOURS = 48;

/** The least RSRP of each class, in dBm; below the last one it is weak. */
const SIGNAL_CLASSES = { excellent: -80, good: -90, fair: -100 } as const;

const TOP = 10;

/** Of the month that the router counts; a sample of the month before would be added to this one. */
const THIS_MONTH = `sample.month = date_trunc('month', $1::timestamptz at time zone 'UTC')::date`;

const FRESH = `
  from device_sample sample join device on device.id = sample.device_id
 where sample.sampled_at > $1::timestamptz - ${FIGURES_WITHIN_HOURS} * interval '1 hour'`;

const signalClass = (): string => {
  const cases = Object.entries(SIGNAL_CLASSES).map(([name, least]) => `when rsrp >= ${least} then '${name}'`);
  return `case when rsrp is null then 'unknown' ${cases.join(' ')} else 'weak' end`;
};

/** @param condition on `device`; `$1` is the time now */
export const signalSql = (condition: string): string =>
  `select ${signalClass()} as signal, count(*)::int as devices ${FRESH} and ${condition} group by 1`;

export const operatorsSql = (condition: string): string =>
  `select sample.operator, count(*)::int as devices, sum(data_month)::float8 as bytes
   ${FRESH} and ${THIS_MONTH} and data_month is not null and ${condition} group by 1 order by 3 desc limit ${TOP}`;

export const topSql = (condition: string): string =>
  `select device.id, device.name, data_month::float8 as bytes,
          case when jsonb_typeof(device.fields -> 'plan_mb') = 'number' then (device.fields ->> 'plan_mb')::float8 end as "planMb"
   ${FRESH} and ${THIS_MONTH} and data_month > 0 and ${condition} order by data_month desc, device.name limit ${TOP}`;
