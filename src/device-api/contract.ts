/*
 * The Device Configuration Web API as schemas, types and tables: everything that both sides of the wire must agree on,
 * and nothing that only one side does. The gateway reads devices with it, and the simulator is built against it, so each
 * fact about the wire is here once. Comments cite the *specification*, the manufacturer's description of the API, which
 * is not in this repository, and docs/reference/observed-devices.md, what real devices do.
 */
import { z } from 'zod';

/** `spec` is the literal specification, `rutos` is what real devices do (observed-devices.md 1). */
export const PROFILES = ['spec', 'rutos'] as const;
export type Profile = (typeof PROFILES)[number];

/** The only methods of the API; anything else is refused by the device. */
export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export type DeviceMethod = (typeof METHODS)[number];

/** Specification, Authentication 6: what the ACL of a group must allow for a method. */
export const ACTION_OF_METHOD = { GET: 'read', POST: 'write', PUT: 'write', DELETE: 'write' } as const satisfies Record<
  DeviceMethod,
  AclAction
>;

// ---------------------------------------------------------------------------------------------------------------- errors

interface CodeInfo {
  /** The table's own words (specification, Errors). */
  readonly meaning: string;
  /** The HTTP status that each profile sends with the code, unless `REFUSALS` names the situation. */
  readonly status: Readonly<Record<Profile, number>>;
}

const code = (meaning: string, spec: number, rutos: number): CodeInfo => ({ meaning, status: { spec, rutos } });

/** Every error code of the API (specification, Errors; 124 and 125: observed-devices.md 1.9; statuses: 4). */
export const ERROR_CODES = {
  100: code('Response not implemented', 405, 501),
  101: code('No action provided', 400, 400),
  102: code('Provided action is not available', 400, 400),
  103: code('Invalid options', 422, 422),
  104: code('Configuration read error', 422, 422),
  105: code('Configuration delete error', 422, 422),
  106: code('Configuration create error', 422, 422),
  107: code('Invalid structure', 400, 400),
  108: code('Section creation is not allowed', 405, 405),
  109: code('Name already used', 422, 422),
  110: code('Name not provided', 400, 422),
  111: code('DELETE not allowed', 405, 405),
  112: code('Deletion of whole configuration is not allowed', 405, 405),
  113: code('Invalid section provided', 404, 404),
  114: code('No body provided for the request', 400, 400),
  115: code('Configuration set error', 422, 422),
  116: code('Invalid query parameter', 400, 400),
  117: code('General configuration error', 422, 422),
  120: code('Unauthorized access', 403, 403),
  121: code('Login failed for any reason', 401, 401),
  122: code('General structure of request is incorrect', 400, 400),
  123: code('Token in the authorization header is invalid (unparsable, incomplete, etc.)', 401, 401),
  124: code('Password expired', 403, 403),
  125: code('First login: the password must be changed', 403, 403),
  150: code('Not enough free space on the device (file upload)', 422, 422),
  151: code('File size exceeds the maximum allowed (file upload)', 422, 422),
} as const satisfies Record<number, CodeInfo>;
export type DeviceErrorCode = keyof typeof ERROR_CODES;

/** Codes that belong to one action and mean nothing elsewhere (observed-devices.md 1.9); their status is 422. */
export const ACTION_CODES = {
  firmwareMissing: { code: 3, meaning: 'There is no firmware image to flash' },
  nothingToFetch: { code: 7, meaning: 'There is no newer firmware to fetch' },
  /** Retryable: the device's own connection is away for the moment. */
  noInternet: { code: 15, meaning: 'The device has no internet access now' },
} as const satisfies Record<string, { code: number; meaning: string }>;
export const ACTION_CODE_STATUS = 422;

export interface Refusal {
  readonly code: DeviceErrorCode;
  readonly status: number;
}
const refusal = (errorCode: DeviceErrorCode, status: number): Refusal => ({ code: errorCode, status });

/** Situations whose code or status differ between the profiles or from the code's usual status (observed-devices.md 1.3 and 4). */
export const REFUSALS = {
  missingToken: { spec: refusal(120, 401), rutos: refusal(121, 401) },
  /** Unparsable, incomplete, unknown or expired: one answer, so that nothing is told about which. */
  deadToken: { spec: refusal(123, 401), rutos: refusal(123, 401) },
  /** Also what a locked-out address gets for a correct password. */
  loginFailed: { spec: refusal(121, 401), rutos: refusal(120, 401) },
  loginMalformed: { spec: refusal(122, 400), rutos: refusal(103, 400) },
  aclRefused: { spec: refusal(120, 403), rutos: refusal(120, 403) },
  unknownEndpoint: { spec: refusal(122, 400), rutos: refusal(122, 404) },
  unsupportedMethod: { spec: refusal(100, 405), rutos: refusal(122, 501) },
  /** A JSON body above the device's limit; `spec` stays within 400 to 422. */
  bodyTooLarge: { spec: refusal(150, 413), rutos: refusal(150, 413) },
} as const satisfies Record<string, Record<Profile, Refusal>>;

/** Some firmware writes a text as a number. One that JavaScript cannot hold exactly is none. */
const textOrNumber = z.union([z.string(), z.number().refine(Number.isSafeInteger).transform(String)]);

/** A fact that can vanish, or get another type, with any firmware: then it is absent, and the others stay. */
const fact = textOrNumber.optional().catch(undefined);

/** One error of an unsuccessful answer. Only `code` is certain (observed-devices.md 1.8); it may be a text. */
export const deviceError = z.looseObject({
  code: z.union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,6}$/)
      .transform(Number),
  ]),
  error: fact,
  source: z.union([z.string(), z.number()]).optional().catch(undefined),
  section: fact,
  value: z.unknown().optional(),
});
export type DeviceError = z.infer<typeof deviceError>;

// -------------------------------------------------------------------------------------------------------------- envelope

/** Lists may carry it beside `data` (observed-devices.md 1.10). */
const listMetadata = z.looseObject({ total: z.number(), limit: z.number(), offset: z.number() }).partial();

/** A successful answer around `data`. */
export const success = <T extends z.ZodType>(data: T) =>
  z.looseObject({
    success: z.literal(true),
    data,
    metadata: listMetadata.optional(),
    messages: z.array(z.unknown()).optional(),
  });
const anySuccess = success(z.unknown().optional());
export const failure = z.looseObject({ success: z.literal(false), errors: z.array(deviceError) });
export const envelope = z.union([anySuccess, failure]);
export type Envelope = z.infer<typeof envelope>;

// ----------------------------------------------------------------------------------------------------------------- facts

/** The longest serial number; real ones have 10 characters. The registry has the same limit. */
const SERIAL_MAX = 64;

/** `N/A` stands for an absent value (observed-devices.md 1.12). */
export const serialNumber = textOrNumber
  .transform((text) => text.trim())
  .refine((text) => text.length > 0 && text.length <= SERIAL_MAX && text !== 'N/A' && !/[\p{Cc}\p{Cs}]/u.test(text));

// --------------------------------------------------------------------------------------------------------------- session

/** Seconds that a token lives by default (specification, Limits). A fresh login reports just under it. */
export const TOKEN_LIFETIME_S = 300;

const credentials = z.looseObject({ username: z.string(), password: z.string() });
export type Credentials = z.infer<typeof credentials>;

/** The login body of each profile (observed-devices.md 1.1). */
export const LOGIN_BODY: Readonly<Record<Profile, (username: string, password: string) => object>> = {
  spec: (username, password) => ({ data: { username, password } }),
  rutos: (username, password) => ({ username, password }),
};

/** Both forms of the login body, read to the same credentials. */
export const loginRequest = z.union([
  z.looseObject({ data: credentials }).transform(({ data }): Credentials => data),
  credentials,
]);

/** A login's answer with the token where firmware 7.03 to 7.06 put it too (observed-devices.md 1.2: `data.token` first). */
export const loginAnswer = z
  .looseObject({
    success: z.literal(true),
    data: z
      .looseObject({
        username: fact,
        token: fact,
        expires: z.coerce.number().optional().catch(undefined),
        group: fact,
      })
      .partial(),
    ubus_rpc_session: fact,
  })
  .transform(({ data, ubus_rpc_session: older }, context) => {
    const token = data.token ?? older;
    if (token === undefined || token === '') {
      context.addIssue({ code: 'custom', path: ['data', 'token'], message: 'the answer carries no token' });
      return z.NEVER;
    }
    // Only RutOS names the group, and only older RutOS puts the token beside `data`.
    const isRutos = data.group !== undefined || data.token === undefined;
    return { token, expires: data.expires ?? TOKEN_LIFETIME_S, username: data.username, group: data.group, isRutos };
  });
export type Session = z.infer<typeof loginAnswer>;

export const sessionStatus = z.looseObject({ active: z.boolean() });

// --------------------------------------------------------------------------------------------------------- configuration

/** One section of a configuration service. */
export const configurationInstance = z.looseObject({ id: z.string(), '.type': z.string().optional() });

export const configurationList = z.preprocess(
  (raw) => (raw !== null && typeof raw === 'object' && Object.keys(raw).length === 0 ? [] : raw),
  z.array(configurationInstance),
);

export const uploadedFile = z.looseObject({ path: z.string() });

// ----------------------------------------------------------------------------------------------------------- certificates

/** The seven files of `type: simple` (specification, Generated certificate files), in the order in which they get ready. */
export const SIMPLE_CERTIFICATE_FILES = [
  'ca.key.pem',
  'ca.cert.pem',
  'server.key.pem',
  'server.cert.pem',
  'client.key.pem',
  'client.cert.pem',
  'dh.pem',
] as const;

/** Directory of generated files; a service refers to one as `${CERTIFICATE_DIRECTORY}${fullname}`. */
export const CERTIFICATE_DIRECTORY = '/etc/certificates/';

const generatedCertificate = z.looseObject({
  fullname: z.string(),
  type: z.string().optional(),
  name: z.string().optional(),
  /** Seconds as text; `-` for keys. */
  timestamp: z.string().optional(),
  cert_type: z.string().optional(),
  key_size: z.union([z.string(), z.number()]).optional(),
});
const generatingCertificate = z.looseObject({ fullname: z.string(), type: z.string().optional() });
export const certificateListing = z.looseObject({
  generated: z.array(generatedCertificate).default([]),
  generating: z.array(generatingCertificate).default([]),
});
export type CertificateListing = z.infer<typeof certificateListing>;

/** The only fully described `type` is `simple`; the others make one file set each (observed-devices.md 3). */
export const CERTIFICATE_TYPES = ['simple', 'ca', 'server', 'client', 'dh'] as const;

// ------------------------------------------------------------------------------------------------------- users and groups

export const user = z.looseObject({
  id: z.string(),
  username: z.string(),
  group: z.string().optional(),
  '.type': z.string().optional(),
});
export type User = z.infer<typeof user>;

export const ACL_ACTIONS = ['read', 'write'] as const;
export type AclAction = (typeof ACL_ACTIONS)[number];

/** `spec` answers an access list, with patterns such as `/api/system/*`; `rutos` permission names (observed-devices.md 3). */
export const group = z.looseObject({
  id: z.string(),
  '.type': z.string().optional(),
  api: z.record(z.string(), z.array(z.enum(ACL_ACTIONS))).optional(),
  read: z.array(z.string()).optional(),
  write: z.array(z.string()).optional(),
  target_read: z.string().optional(),
  target_write: z.string().optional(),
});
export type Group = z.infer<typeof group>;

// ------------------------------------------------------------------------------------------------------------------ bulk

/** `rutos` refuses more (observed-devices.md 1.5); the specification names no limit. */
export const MAX_BULK_ITEMS = 100;

export const bulkItem = z.looseObject({
  endpoint: z.string(),
  method: z.enum(METHODS),
  data: z.unknown().optional(),
});
export type BulkItem = z.infer<typeof bulkItem>;
export const bulkRequest = z.looseObject({ data: z.array(bulkItem).max(MAX_BULK_ITEMS) });

/** One full envelope per item, in the order of the request; items carry no HTTP status. */
export const bulkAnswer = success(z.array(envelope));

// ------------------------------------------------------------------------------------------------------------ events log

export const EVENT_LOGS = ['system', 'network', 'events', 'connections'] as const;
const eventsLogEntry = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  type: z.string().optional(),
  event_type: z.string().optional(),
  event: z.string().optional(),
  date: z.string().optional(),
  timestamp: z.union([z.string(), z.number()]).optional(),
});
export const eventsLog = z.array(eventsLogEntry);

// -------------------------------------------------------------------------------------------------------------- firmware

export const firmwareStatus = z.looseObject({
  version: z.string(),
  kernel_version: z.string().optional(),
  build_date: z.string().optional(),
});

/** What the vendor's server says when the device is current. */
export const NEWEST_FIRMWARE = 'newest';
export const firmwareUpdates = z.looseObject({
  device: z.looseObject({
    version: z.string(),
    size: z.union([z.string(), z.number()]).optional(),
    stable_version: z.string().optional(),
    stable_size: z.union([z.string(), z.number()]).optional(),
  }),
});
export const firmwareProgress = z.looseObject({
  /** "0" to "100", a string on the wire. */
  percents: z.coerce.number(),
  process: z.enum(['started', 'succeeded', 'failed']),
});

const flag = z.union([z.boolean(), z.enum(['0', '1']).transform((text) => text === '1')]);

/** A bad image is no HTTP error: it is `valid` or `hw_support` off (observed-devices.md 3, Firmware). */
export const firmwareImage = z.looseObject({
  valid: flag,
  hw_support: flag.optional(),
  authorized: flag.optional(),
  newer: flag.optional(),
  allow_backup: flag.optional(),
  size: z.string().optional(),
  md5: z.string().optional(),
  sha256: z.string().optional(),
  fw_version: z.string().optional(),
});
export type FirmwareImage = z.infer<typeof firmwareImage>;

// ---------------------------------------------------------------------------------------------------------------- backup

export const backupDigests = z.looseObject({ sha256: z.string(), md5: z.string().optional() });
export const backupStatus = z.looseObject({
  backup_exists: z.union([flag, z.string().transform((text) => text === 'true')]),
  sha256: z.string().optional(),
  md5: z.string().optional(),
});
/** Where the device will be after a restore. */
export const restoreAnswer = z
  .looseObject({
    lan_ipv4: z.string(),
    lan_ipv6: z.string(),
    http_port: z.union([z.string(), z.number()]),
    https_port: z.union([z.string(), z.number()]),
  })
  .partial();

// ---------------------------------------------------------------------------------------------------------------- system

/** `GET /system/device/status`; `mnfinfo` is what the manufacturer wrote. Only the serial identifies: every other field has vanished on some firmware. */
export const systemStatus = z.looseObject({
  mnfinfo: z.looseObject({ serial: serialNumber, mac: fact, name: fact, hwver: fact }),
  static: z
    .looseObject({ fw_version: fact, device_name: fact, hostname: fact, model: fact })
    .partial()
    .optional()
    .catch(undefined),
  board: z.looseObject({}).optional().catch(undefined),
});

export const usageStatus = z
  .looseObject({ uptime: z.union([z.number(), z.string()]), uptime_seconds: z.number(), localtime: z.unknown() })
  .partial();

/** `GET /unauthorized/status`, the one answer without a token; older firmware has the first and last field only. */
export const unauthorizedStatus = z
  .looseObject({
    device_name: fact,
    device_model: fact,
    device_identifier: fact,
    lang: fact,
    api_version: textOrNumber.pipe(z.string().max(64)).optional().catch(undefined),
  })
  .partial();

// ------------------------------------------------------------------------------------------------------------- endpoints

/** Paths that code on either side names; every other path is the caller's own. Relative to the device's base URL. */
export const PATHS = {
  login: '/api/login',
  logout: '/api/logout',
  sessionStatus: '/api/session/status',
  unauthorizedStatus: '/api/unauthorized/status',
  firstPassword: '/api/system/actions/change_password_firstlogin',
  systemStatus: '/api/system/device/status',
  usageStatus: '/api/system/device/usage/status',
  reboot: '/api/system/actions/reboot',
  bulk: '/api/bulk',
  users: '/api/users/config',
  groups: '/api/users/groups/config',
  eventsLog: '/api/events_log/config',
  certificates: '/api/certificates/config',
  generateCertificates: '/api/certificates/actions/generate',
  uploadRootCa: '/api/certificates/root_ca/config',
  modemsStatus: '/api/modems/status',
  interfacesStatus: '/api/interfaces/status',
  positionStatus: '/api/gps/position/status',
  dataOfDay: '/api/data_usage/day/status',
  dataOfMonth: '/api/data_usage/month/status',
  firmwareStatus: '/api/firmware/device/status',
  firmwareUpdates: '/api/firmware/device/updates/status',
  firmwareProgress: '/api/firmware/device/progress/status',
  uploadFirmware: '/api/firmware/actions/upload_device_firmware',
  fetchFirmware: '/api/firmware/actions/fota_download',
  verifyFirmware: '/api/firmware/actions/verify',
  deleteFirmware: '/api/firmware/actions/delete_device_firmware',
  upgradeFirmware: '/api/firmware/actions/upgrade',
  backupStatus: '/api/backup/status',
  generateBackup: '/api/backup/actions/generate',
  downloadBackup: '/api/backup/actions/download',
  uploadBackup: '/api/backup/actions/upload',
  applyBackup: '/api/backup/actions/apply',
} as const;

/** `/v1/`, `/v1.9.2/` … right after `/api`; without it a path means the latest version (specification, Versioning). */
export const VERSION_PREFIX = /^\/api\/v(\d+(?:\.\d+){0,2})(?=\/)/i;

/** As often as they occur: a device may remove them more than once. */
const VERSION_PREFIXES = /^\/api(?:\/v\d+(?:\.\d+){0,2})+(?=\/)/i;

/** The same path, or pattern of paths, without version prefixes. */
export const unversioned = (path: string): string => path.replace(VERSION_PREFIXES, '/api');

/** A path as rights and tables are matched against it: without version prefixes and trailing slash. */
export const canonicalPath = (path: string): string => unversioned(path.endsWith('/') ? path.slice(0, -1) : path);
