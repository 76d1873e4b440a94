import { getMetadataArgsStorage, type DataSource } from 'typeorm';
import { type AccountPurpose, Device, type DeviceAccount } from './device.entity.js';

/* Reads devices with their accounts in one statement, without entities. */

/** An account for calls. Its password stays sealed until a login. */
export interface RegisteredAccount extends Readonly<Omit<DeviceAccount, 'deviceId' | 'reservedLogins'>> {
  /** Whether the device accepted these credentials and has not refused them since. */
  readonly proven: boolean;
  /** Until then no session logs in: the password is being changed on the device. */
  readonly changingUntil: Date | null;
}

export interface DeviceWithAccounts {
  readonly device: Readonly<Device>;
  /** The one of the purpose `main`. */
  readonly account: RegisteredAccount | null;
  readonly readAccount: RegisteredAccount | null;
}

/** By field, as the entity declares them. */
export const DEVICE_COLUMNS = Object.fromEntries(
  getMetadataArgsStorage()
    .filterColumns(Device)
    .map(({ propertyName, options }) => [propertyName, options.name ?? propertyName]),
) as Readonly<Record<keyof Device, string>>; // every field of the entity is a column

const FIELDS = Object.keys(DEVICE_COLUMNS) as (keyof Device)[];

type AccountColumns<Prefix extends string> = {
  [Field in Exclude<keyof RegisteredAccount, 'purpose'> as `${Prefix}${Capitalize<Field>}`]:
    RegisteredAccount[Field] | null;
};

type RegisteredRow = Device & AccountColumns<'main'> & AccountColumns<'read'>;

const accountColumns = (account: string) =>
  `${account}.id as "${account}Id", ${account}.username as "${account}Username",
   ${account}.sealed_password as "${account}SealedPassword", ${account}.failed_logins as "${account}FailedLogins",
   ${account}.changed_at as "${account}ChangedAt", ${account}.changing_until as "${account}ChangingUntil",
   coalesce(${account}.proven_for = ${account}.changed_at, false) as "${account}Proven"`;

const REGISTERED = `
  ${FIELDS.map((field) => `device.${DEVICE_COLUMNS[field]} as "${field}"`).join(', ')},
         ${accountColumns('main')}, ${accountColumns('read')}`;

const FROM_REGISTERED = `
    from device
    left join device_account main on main.device_id = device.id and main.purpose = 'main'
    left join device_account read on read.device_id = device.id and read.purpose = 'read'`;

/** In one statement. @param rest SQL from `where` on, with `device` as the table; it may contain a selector */
export async function selectRegistered(
  db: Pick<DataSource, 'query'>,
  rest: string,
  values: unknown[],
): Promise<DeviceWithAccounts[]> {
  const rows = await db.query<RegisteredRow[]>(`select ${REGISTERED} ${FROM_REGISTERED} ${rest}`, values);
  return rows.map(registeredOf);
}

/** As `selectRegistered`, each with a text. @param text an SQL expression about `device` */
export async function selectRegisteredWith(
  db: Pick<DataSource, 'query'>,
  text: string,
  rest: string,
  values: unknown[],
): Promise<{ registered: DeviceWithAccounts; text: string }[]> {
  const rows = await db.query<(RegisteredRow & { text: string })[]>(
    `select ${text} as "text", ${REGISTERED} ${FROM_REGISTERED} ${rest}`,
    values,
  );
  return rows.map((row) => ({ registered: registeredOf(row), text: row.text }));
}

const registeredOf = (row: RegisteredRow): DeviceWithAccounts => ({
  device: deviceOf(row),
  account: accountOf(row, 'main'),
  readAccount: accountOf(row, 'read'),
});

/** Field by field, since thousands of rows are read at once: a loop over the names takes thirty times as long. */
function deviceOf(row: Device): Device {
  return {
    id: row.id,
    name: row.name,
    baseUrl: row.baseUrl,
    spareUrl: row.spareUrl,
    bySpare: row.bySpare,
    serial: row.serial,
    mac: row.mac,
    claimedSerial: row.claimedSerial,
    claimedMac: row.claimedMac,
    serialUnreadable: row.serialUnreadable,
    model: row.model,
    firmware: row.firmware,
    networkOperator: row.networkOperator,
    site: row.site,
    tags: row.tags,
    note: row.note,
    fields: row.fields,
    formerSerials: row.formerSerials,
    timeZone: row.timeZone,
    profile: row.profile,
    apiVersion: row.apiVersion,
    trust: row.trust,
    trustPin: row.trustPin,
    trustCa: row.trustCa,
    trustExpiresAt: row.trustExpiresAt,
    sessions: row.sessions,
    offeredPin: row.offeredPin,
    offeredCertificate: row.offeredCertificate,
    state: row.state,
    stateReason: row.stateReason,
    failedChecks: row.failedChecks,
    seenAt: row.seenAt,
    movedAt: row.movedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
  };
}

function accountOf(row: RegisteredRow, purpose: AccountPurpose): RegisteredAccount | null {
  const id = row[`${purpose}Id`];
  if (id === null) return null;
  return {
    id,
    purpose,
    username: row[`${purpose}Username`]!,
    sealedPassword: row[`${purpose}SealedPassword`]!,
    failedLogins: row[`${purpose}FailedLogins`]!,
    changedAt: row[`${purpose}ChangedAt`]!,
    proven: row[`${purpose}Proven`]!,
    changingUntil: row[`${purpose}ChangingUntil`],
  };
}
