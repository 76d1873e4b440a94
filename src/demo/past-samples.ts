import { type DataSource } from 'typeorm';
import { dayOf as dayNumber, KEEP, VALUES } from '../monitoring/samples/sample-history.js';

/*
 * The step of the demo that makes up a week of samples, so that charts have a shape at once. It writes what the sampler writes,
 * with the statement of the sampler. The lines end at the latest real sample of each device, have a day and a night, and a gap
 * where the device was offline.
 */

const DAYS = 7;

/** Minutes from, to and between points. A chart of a day or of six hours joins none that are further apart: the last hours have more. */
const STEPS = [
  [DAYS * 1_440, 1_440, 20],
  [1_430, 360, 10],
  [358, 1, 2],
] as const;

const ago = (minutes: number) => `$1::timestamptz - interval '${minutes} minutes'`;

const MOMENTS = STEPS.map(
  ([from, to, step]) => `select at from generate_series(${ago(from)}, ${ago(to)}, interval '${step} minutes') as at`,
).join(' union all ');

/** From -1 in the cold of the night to 1 in the afternoon. */
const dayOf = (at: string) => `sin(2 * pi() * (extract(epoch from ${at}) / 3600 - 9) / 24)`;

/** What the weather and the cell do to the signal of a device: another curve for each, within four decibels. */
const waveOf = (at: string) => `
  ((n % 3) * sin(extract(epoch from ${at}) / 13751 + n) + sin(extract(epoch from ${at}) / (4000 + 700 * (n % 5)) + 2 * n))`;

/** What one day has more or less data than another. */
const useOf = (at: string) => `(1 + 0.4 * sin(2.1 * floor(extract(epoch from ${at}) / 86400) + n))`;

/** Routers begin to count their data at the begin of a month and of a day. */
const since = (unit: 'month' | 'day') => `extract(epoch from at - date_trunc('${unit}', at, 'UTC'))`;

const WEEK = `
  with device_now as materialized (
    select device.id, device.state, row_number() over (order by device.name) as n, device.created_at, coalesce(sample.rssi, -58) as rssi,
           coalesce(sample.rsrp, -88) as rsrp, coalesce(sample.rsrq, -10) as rsrq, coalesce(sample.sinr, 13) as sinr,
           coalesce(sample.temperature, 38) as temperature, coalesce(sample.uptime_seconds, 900000) as uptime_seconds,
           coalesce(sample.memory_free, 52) as memory_free, coalesce(sample.flash_free, 90) as flash_free,
           coalesce(sample.data_month, avg(sample.data_month) over (), 2.5e9)
             / extract(epoch from $1::timestamptz - date_trunc('month', $1::timestamptz, 'UTC')) as bytes_per_second
      from device left join device_sample sample on sample.device_id = device.id
     where 'demo' = any (device.tags)
  ), moment as materialized (
    select at, ${dayOf('at')} as day, ${dayOf('at')} - ${dayOf('$1::timestamptz')} as warmer from (${MOMENTS}) as step
  ), taken as (
    select id as device_id, at as sampled_at, rssi + signal as rssi, rsrp + signal as rsrp,
           rsrq + signal / 4 + random() - 0.5 as rsrq, sinr + signal / 2 + 2 * random() - 1 as sinr,
           temperature + (1.5 + n % 5) * warmer + random() - 0.5 as temperature,
           case when uptime_seconds > age then uptime_seconds - age else $2::int * 86400 + uptime_seconds - age end as uptime_seconds,
           least(95, greatest(5, memory_free - 6 * warmer + 3 * random())) as memory_free, flash_free,
           0.25 + 0.2 * (1 + day) + 0.4 * random() as load1, 0.3 + 0.2 * (1 + day) + 0.1 * random() as load5,
           bytes_per_second * ${since('day')} * ${useOf('at')} / ${useOf('$1::timestamptz')} as data_day,
           bytes_per_second * ${since('month')} as data_month
      from device_now cross join moment
           cross join lateral (
             select extract(epoch from $1::timestamptz - at) as age,
                    -- One device in six had a bad antenna for a day and a half.
                    ${waveOf('at')} - ${waveOf('$1::timestamptz')} + 2 * random() - 1
                      - case when n % 6 = 1 and at between $1::timestamptz - interval '80 hours' and $1::timestamptz - interval '44 hours'
                             then 17 else 0 end as signal) as made
     where at > created_at
       -- As the strip of states reads the changes: what a change names as before was so since the one before it.
       and coalesce((select before from device_change change
                      where change.device_id = device_now.id and change.field = 'state' and change.at > moment.at
                      order by change.at limit 1), device_now.state) <> 'offline'
  ) ${KEEP}`;

/** A device that was never asked, such as one that is offline by now, has the last of its line as its latest sample. */
const LATEST = `
  insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, operator, rest, ${VALUES})
  select device.id, last.at, '{}', 4000, date_trunc('month', last.at at time zone 'UTC')::date, 0, device.network_operator,
         '{"modems": [], "interfaces": [], "extra": {}}', ${VALUES}
    from device cross join lateral (
           select * from device_sample_history where device_id = device.id order by at desc limit 1) as last
   where 'demo' = any (device.tags)
  on conflict do nothing`;

/** Writes the samples of the past week of all devices with the tag `demo`, which have just been registered. */
export async function writePastSamples(db: DataSource): Promise<void> {
  const now = new Date();
  const days = Array.from({ length: DAYS + 1 }, (_, ago) => dayNumber(now) - ago);
  await db.query(WEEK, [now, DAYS, days]);
  await db.query(LATEST);
}
