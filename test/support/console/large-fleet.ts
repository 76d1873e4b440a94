import type pg from 'pg';

/**
 * Adds devices that are never called: `router-00001` and so on, of 400 sites, two tags and two states.
 * @param count at most 65,000
 */
export async function addDevices(db: pg.Client, count: number): Promise<void> {
  await db.query(
    `insert into device (id, name, base_url, site, tags, model, firmware, state, created_at, updated_at)
     select gen_random_uuid(), 'router-' || lpad(n::text, 5, '0'), 'https://10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256,
            'site-' || n % 400, array['t' || n % 20, case when n % 2 = 0 then 'even' else 'odd' end], 'RUTX' || n % 12,
            'RUTX_R_00.07.' || n % 9, case when n % 50 = 0 then 'offline' else 'online' end, now(), now()
       from generate_series(1, $1::int) as n`,
    [count],
  );
  await db.query(
    `insert into device_account (id, device_id, username, sealed_password, changed_at)
     select gen_random_uuid(), device.id, 'admin', '\\x01'::bytea || uuid_send(key.id) || '\\x00'::bytea, now()
       from device, (select id from data_key where active limit 1) as key where name like 'router-%'`,
  );
  await db.query('analyze device, device_account');
}
