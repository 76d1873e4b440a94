/* A gateway whose database is filled by SQL: devices that are never called, with values as samples have them. */
import { Client } from 'pg';
import { addLatestSamples } from '../../test/support/monitoring/sampled-fleet.js';
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
  await addLatestSamples(db);
  await db.query('analyze device, monitored_device, device_shown_certificate');
}
