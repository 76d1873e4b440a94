import { type Client } from 'pg';

/* Values of devices that are never called, put into the database as samples have them. */

/** Interfaces of a sample; with one modem and what is of the device they make 40 series. */
const INTERFACES = 5;

/** The latest values of each device, now: a tenth of them weak, one in fifty hot. */
export async function addLatestSamples(db: Client): Promise<void> {
  await db.query(
    `insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, rssi, rsrp, rsrq, sinr, temperature,
                                operator, connection_type, active_sim, uptime_seconds, memory_free, flash_free, load1, load5,
                                latitude, longitude, data_day, data_month, rest)
     select id, now(), array['/api/modems/status', '/api/interfaces/status', '/api/system/device/usage/status',
                             '/api/gps/position/status', '/api/data_usage/day/status'],
            7000, date_trunc('month', now()), 7000000, -65, -60 - random() * 55, -10, 12, 30 + random() * 41, 'Example Mobile',
            '5G', 1, 86400, 40, 60, 0.4, 0.3, 54.68, 25.27, random() * 1e9, random() * 6e9,
            jsonb_build_object('modems', modems, 'interfaces', interfaces, 'extra', '{}'::jsonb)
       from device cross join (
         select jsonb_agg(jsonb_build_object('id', '3-1', 'rssi', -65, 'rsrp', -95, 'rsrq', -10, 'sinr', 12, 'temperature', 41,
                          'operator', 'Example Mobile', 'connectionType', '5G', 'activeSim', 1, 'rxBytes', 918273645, 'txBytes', 192837465))
                as modems) one_modem cross join (
         select jsonb_agg(jsonb_build_object('name', 'interface' || n, 'up', true, 'rxBytes', 9182736 + n, 'txBytes', 1928374 + n))
                as interfaces from generate_series(1, ${INTERFACES}) as n) their_interfaces`,
  );
  await db.query('analyze device_sample');
}

interface HistoryPlan {
  readonly devices: number;
  /** Seconds ago. */
  readonly from: number;
  /** Seconds ago; 0: now. */
  readonly until?: number;
  readonly every: number;
}

/** Samples of a time, in its order, as they would have come: each of a week takes some 160 bytes. */
export async function addHistory(db: Client, { devices, from, until = 0, every }: HistoryPlan): Promise<void> {
  await db.query(
    `insert into device_sample_history (ring, device_id, at, rssi, rsrp, rsrq, sinr, temperature, uptime_seconds, memory_free,
                                        flash_free, load1, load5, data_day, data_month)
     select floor(extract(epoch from at) / 86400)::bigint % 32, id, at, -65, -90 - random() * 20, -10, 12, 45, 86400, 40, 60, 0.4,
            0.3, 1e8, 1e9
       from generate_series(now() - $2::int * interval '1 second', now() - $3::int * interval '1 second', $4::int * interval '1 second') as at
            cross join (select id from device order by id limit $1) as sampled
      order by at, id`,
    [devices, from, until, every],
  );
  await db.query('analyze device_sample_history');
}
