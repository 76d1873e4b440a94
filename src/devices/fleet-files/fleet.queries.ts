import { type EntityManager } from 'typeorm';
import { type RegisterInput } from '../devices.contract.js';
import { originOf } from '../registry/base-url.js';
import { type Device } from '../registry/device.entity.js';

/* SQL of imports, exports and bulk changes: one statement for many rows. */

type RegisteredFacts = Pick<
  Device,
  | 'id'
  | 'name'
  | 'baseUrl'
  | 'serial'
  | 'mac'
  | 'model'
  | 'site'
  | 'tags'
  | 'note'
  | 'fields'
  | 'sessions'
  | 'timeZone'
  | 'spareUrl'
>;

export interface DeviceRow extends Readonly<RegisteredFacts> {
  readonly trustPin: string | null;
  readonly now: string;
  /** The address changes: data of the old address are dropped. */
  readonly moves: boolean;
  /** The address changes, and the line has no new credentials. */
  readonly forgets: boolean;
  /** Null: the credentials stay, unless they are forgotten. */
  readonly account: {
    readonly id: string;
    readonly username: string;
    /** In hex, for JSON. */
    readonly sealedPassword: string;
    readonly fingerprint: string;
  } | null;
}

export interface KnownDevice
  extends Readonly<RegisteredFacts>, Readonly<Pick<Device, 'firmware' | 'profile' | 'state' | 'trust' | 'trustPin'>> {
  readonly lowerName: string;
  readonly accountId: string | null;
  readonly username: string | null;
  readonly sealedPassword: Buffer | null;
}

const SELECT_KNOWN = `
  select device.id, device.name, lower(device.name) as "lowerName", device.base_url as "baseUrl", device.serial, device.mac,
         device.model, device.firmware, device.site, device.tags, device.note, device.fields, device.profile, device.state, device.trust,
         device.sessions, device.time_zone as "timeZone", device.spare_url as "spareUrl", device.trust_pin as "trustPin", account.id as "accountId",
         account.username, account.sealed_password as "sealedPassword"
    from device left join device_account account on account.device_id = device.id and account.purpose = 'main'`;

/** Devices that have a unique value of one of the inputs. */
export function selectKnown(tx: EntityManager, inputs: readonly RegisterInput[]): Promise<KnownDevice[]> {
  return tx.query(
    `${SELECT_KNOWN}
      where lower(device.name) = any(array(select lower(name) from unnest($1::text[]) as name)) or device.base_url = any($2::text[])
         or device.spare_url = any($2::text[])
         or device.serial = any($3::text[]) or device.mac = any($4::text[])`,
    [
      inputs.map(({ name }) => name),
      inputs.flatMap(({ baseUrl, spareUrl }) => [baseUrl, spareUrl ?? []].flat().map(originOf)),
      inputs.flatMap(({ serial }) => serial ?? []),
      inputs.flatMap(({ mac }) => mac ?? []),
    ],
  );
}

/** The present devices, locked until the transaction ends. */
export function lockKnown(tx: EntityManager, ids: readonly string[]): Promise<KnownDevice[]> {
  return tx.query(`${SELECT_KNOWN} where device.id = any($1::uuid[]) order by device.id for update of device`, [ids]);
}

/** Names in lower case by Postgres, which differs from JavaScript for some letters. */
export async function lowerNames(tx: EntityManager, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ name: string; lower: string }[]>(
    'select name, lower(name) as lower from unnest($1::text[]) as name',
    [names],
  );
  return new Map(rows.map(({ name, lower }) => [name, lower]));
}

export async function insertDevices(tx: EntityManager, rows: readonly DeviceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `insert into device (id, name, base_url, serial, mac, model, site, tags, note, fields, sessions, time_zone, spare_url, trust_pin,
                         created_at, updated_at)
     select id, name, "baseUrl", serial, mac, model, site, tags, note, fields, sessions, "timeZone", "spareUrl", "trustPin", now, now
       from jsonb_to_recordset($1::jsonb) as row (id uuid, name text, "baseUrl" text, serial text, mac text, model text,
            site text, tags text[], note text, fields jsonb, sessions integer, "timeZone" text, "spareUrl" text, "trustPin" text, now timestamptz)`,
    [JSON.stringify(rows)],
  );
}

/**
 * Updates devices. The state becomes `new` after a change of the address, after a new pin for a changed key, and after
 * new credentials for refused ones (see `insertAccounts`).
 */
export async function updateDevices(tx: EntityManager, rows: readonly DeviceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `update device
        set name = row.name, base_url = row."baseUrl", serial = row.serial, mac = row.mac, model = row.model,
            site = row.site, tags = row.tags, note = row.note, fields = row.fields, sessions = row.sessions, time_zone = row."timeZone",
            spare_url = row."spareUrl", updated_at = row.now, version = device.version + 1,
            claimed_serial = case when row.serial is distinct from device.serial then null else device.claimed_serial end,
            claimed_mac = case when row.mac is distinct from device.mac then null else device.claimed_mac end,
            by_spare = device.by_spare and not change.moves and row."spareUrl" is not distinct from device.spare_url,
            moved_at = case when change.moves or change.is_replaced then row.now else device.moved_at end,
            trust_pin = row."trustPin",
            offered_pin = case when change.moves or change.repins then null else device.offered_pin end,
            offered_certificate = case when change.moves or change.repins then null else device.offered_certificate end,
            state = case when meeting.is_anew then 'new' else device.state end,
            state_reason = case when meeting.is_anew then null else device.state_reason end
       from jsonb_to_recordset($1::jsonb) as row (id uuid, name text, "baseUrl" text, serial text, mac text, model text,
            site text, tags text[], note text, fields jsonb, sessions integer, "timeZone" text, "spareUrl" text, "trustPin" text, now timestamptz, account jsonb)
       join device old on old.id = row.id
       cross join lateral (select old.base_url <> row."baseUrl" as moves,
                                  old.serial is not null and old.serial is distinct from row.serial as is_replaced,
                                  old.trust_pin is distinct from row."trustPin" as repins) as change
       cross join lateral (select change.moves
                                  or (change.repins and old.state = 'trust_changed')
                                  or (row.account is not null and old.state = 'credentials_refused') as is_anew) as meeting
      where device.id = row.id`,
    [JSON.stringify(rows.map((row) => ({ ...row, account: row.account === null ? undefined : {} })))],
  );
}

export async function insertAccounts(tx: EntityManager, rows: readonly DeviceRow[]): Promise<void> {
  const forgetting = rows.filter(({ forgets }) => forgets).map(({ id }) => id);
  if (forgetting.length > 0)
    await tx.query('delete from device_account where device_id = any($1::uuid[])', [forgetting]);
  // An import contains no account for reads, so an existing one belongs to the old address.
  const moving = rows.filter(({ moves }) => moves).map(({ id }) => id);
  if (moving.length > 0)
    await tx.query(`delete from device_account where purpose = 'read' and device_id = any($1::uuid[])`, [moving]);
  const accounts = rows.flatMap(({ id, account, now }) => (account ? [{ ...account, deviceId: id, now }] : []));
  if (accounts.length === 0) return;
  await tx.query(
    `insert into device_account (id, device_id, username, sealed_password, changed_at)
     select id, "deviceId", username, decode("sealedPassword", 'hex'), now
       from jsonb_to_recordset($1::jsonb) as row (id uuid, "deviceId" uuid, username text, "sealedPassword" text,
            now timestamptz)
     on conflict on constraint device_account_purpose_is_unique do update
        set username = excluded.username, sealed_password = excluded.sealed_password, failed_logins = 0,
            reserved_logins = 0, changed_at = excluded.changed_at`,
    [JSON.stringify(accounts)],
  );
}

/** A line of an export, without password. */
export interface ExportedDevice
  extends Readonly<RegisteredFacts>, Readonly<Pick<Device, 'createdAt' | 'firmware' | 'state' | 'seenAt'>> {
  readonly username: string | null;
  readonly pin: string | null;
}

/** In the order of registration. @param condition and `values`: the selector as SQL */
export function selectExport(
  tx: EntityManager,
  condition: string,
  values: readonly unknown[],
  after: { createdAt: Date; id: string } | null,
  limit: number,
): Promise<ExportedDevice[]> {
  const next = values.length;
  return tx.query(
    `select device.id, device.created_at as "createdAt", device.name, device.base_url as "baseUrl", account.username,
            device.serial, device.mac, device.model, device.site, device.tags, device.note, device.fields, device.trust_pin as pin, device.sessions,
            device.time_zone as "timeZone", device.spare_url as "spareUrl", device.firmware, device.state, device.seen_at as "seenAt"
       from device left join device_account account on account.device_id = device.id and account.purpose = 'main'
      where (${condition}) and ($${next + 1}::timestamptz is null
             or (device.created_at, device.id) > ($${next + 1}::timestamptz, $${next + 2}::uuid))
      order by device.created_at, device.id limit $${next + 3}`,
    [...values, after?.createdAt ?? null, after?.id ?? null, limit],
  );
}
