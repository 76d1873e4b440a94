/* A gateway whose database is filled by SQL: devices that are never called, with values as samples have them. */
import { Client } from 'pg';
import { Gateway } from '../gateway.js';
import { type Bench } from './scene.js';

export interface Filled {
  readonly gateway: Gateway;
  readonly db: Client;
}

/** @param program of this folder, or the product */
export async function withFilled(
  { server }: Bench,
  program: string | undefined,
  work: (filled: Filled) => Promise<void>,
): Promise<void> {
  const url = await server.createDatabase();
  // A sample is made by SQL, and no status check says that its device is away.
  const gateway = await Gateway.install({ ...(program ? { program } : {}), settings: { DATABASE_URL: url } });
  const db = new Client({ connectionString: url });
  try {
    await db.connect();
    await work({ gateway, db });
  } finally {
    await db.end();
    await gateway.remove();
  }
}

/** Two of a hundred are offline. */
export async function fillDevices(db: Client, devices: number): Promise<void> {
  await db.query(
    `insert into device (id, name, base_url, model, firmware, serial, site, tags, state, seen_at, created_at,
                         updated_at)
     select gen_random_uuid(), 'router-' || n,
            'https://10.' || (n >> 16) || '.' || ((n >> 8) & 255) || '.' || (n & 255),
            'RUTX50', 'RUTX_R_00.07.14.2', (1000000 + n)::text,
            (array['vilnius', 'kaunas', 'riga'])[n % 3 + 1] || '/plant-' || n % 50, '{lte}', case when n % 50 = 0 then 'offline' else 'online' end, at, at, at
       from generate_series(1, $1::int) as n cross join date_trunc('milliseconds', now()) as at`,
    [devices],
  );
  await db.query(
    `insert into device_shown_certificate (device_id, fingerprint, subject, issuer, key_type, not_before, not_after,
                                           seen_at)
     select id, encode(sha256(id::text::bytea), 'hex'), 'router', 'router', 'ec', now() - interval '1 year',
            now() + random() * interval '3 years', now() from device`,
  );
}

/** Interfaces of a sample; with one modem and what is of the device they make 40 series. */
export const INTERFACES = 5;

/** The latest values of each device, now: a tenth of them weak, one in fifty hot. */
export async function fillSamples({ gateway, db }: Filled): Promise<void> {
  const policy = await gateway.call('POST', '/v1/monitoring/policies', { name: 'all routers', selector: 'all' });
  // None of them is due, and without a login none could be sampled.
  await db.query(
    `insert into monitored_device (device_id, policies, every_seconds, interval_seconds, due_at)
     select id, array[$1::uuid], 240, 240, 'infinity' from device
     on conflict (device_id) do update set due_at = excluded.due_at`,
    [(policy.body as { id: string }).id],
  );
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
  await db.query('analyze device, device_sample, monitored_device, device_shown_certificate');
}

interface HistoryPlan {
  readonly devices: number;
  /** Seconds ago. */
  readonly from: number;
  /** Seconds ago; 0: now. */
  readonly until?: number;
  readonly every: number;
}

/** Samples of a time, in its order, as they would have come. */
export async function fillHistory(db: Client, { devices, from, until = 0, every }: HistoryPlan): Promise<void> {
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
