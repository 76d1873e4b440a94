import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import os from 'node:os';
import { getConfigToken, registerAs } from '@nestjs/config';
import { z } from 'zod';
import { parseRedactionRules } from '../device-api/redaction.js';
import { mailAddress, smtpUrl } from './addresses/mail-address.js';
import { publicUrl } from './addresses/own-address.js';
import {
  addressOf,
  httpUrl,
  misreadHost,
  postgresUrlFault,
  redisUrl,
  serviceUrl,
} from './addresses/written-address.js';

/*
 * All settings, in one schema. The process parses it once, before Nest starts, and reports all problems together.
 * `docs/reference/config.md` lists the same names; a test compares the two.
 */

const filled = z.string().min(1);
const postgresUrl = z
  .string()
  .superRefine((text, context) => {
    const message = postgresUrlFault(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .pipe(addressOf(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database'));
const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};
const int = (min: number, max: number, byDefault: number) => whole(min, max).default(byDefault);
const matching = (pattern: RegExp) => z.string().regex(pattern);

const list = z.string().transform((value) => value.split(/[\s,]+/).filter((part) => part !== ''));

const flag = z
  .union([z.enum(['true', 'false', '1', '0']), z.boolean()], { error: 'must be true or false' })
  .transform((given) => given === true || given === 'true' || given === '1');

/** Paths follow it. */
const hasNoQuery = (text: string): boolean => !/[?#]/.test(text);

/** An IPv6 address may have a zone here. */
const listenHost = filled.superRefine((host, context) => {
  const message = host.includes(':') ? null : misreadHost(host);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

/** An address alone is a network of one. */
const networkOf = (text: string): string => (isIP(text) === 0 ? text : `${text}/${isIP(text) === 4 ? 32 : 128}`);

const network = z
  .string()
  .transform(networkOf)
  .pipe(
    z.union([z.cidrv4(), z.cidrv6()], {
      error: ({ input }) => `${String(input)} is no network: write one as 10.0.0.0/8 or fd00::/8, or an address`,
    }),
  );

const cidrList = list.pipe(z.array(network));

const rootKey = z.base64().refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64');

const signingKeys = list.pipe(z.array(z.string().regex(/^[\w.-]{1,40}=[A-Za-z0-9+/]+=*$/, 'must be name=base64')));

const TRANSIT_EXAMPLE = 'https://vault.example:8200/v1/transit/keys/fleetgate';

/** The server, the mount path of its transit engine, and the name of the key there. */
export const TRANSIT_KEY_ADDRESS = /^(.*)\/v1\/([\w-]+(?:\/[\w-]+)*)\/keys\/([\w.-]{1,100})$/;

export const configSchema = z.object({
  ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('What this process does: answers requests (`api`), runs jobs (`worker`), or both'),
  PROCESSES: whole(1, 257)
    .optional()
    .describe(
      'Processes of this machine that do the work of this gateway: one runs jobs and all else in the background, the others answer requests; 1: one process does both. Absent: 3 with four cores or more, 2 with two or three, 1 with one core or another ROLE',
    ),
  HOST: listenHost.default('127.0.0.1').describe('Address to listen on'),
  PORT: int(0, 65_535, 8080).describe('Port to listen on; 0 chooses a free one'),
  PUBLIC_URL: publicUrl
    .optional()
    .describe(
      'Address at which operators reach the gateway, for links in answers. It may have a path, as in https://example.org/fleet; absent: the address of the listener',
    ),
  TRUSTED_PROXIES: cidrList
    .default([])
    .describe(
      'Networks and addresses of proxies in front of the gateway, whose X-Forwarded-For says where a request came from; a port in it is ignored',
    ),
  DATA_DIR: filled
    .default(() => defaultDataDir())
    .describe('Folder for the embedded database, artifacts and a generated root key'),
  DATABASE_URL: postgresUrl.optional().describe('A Postgres 15 or newer; absent: the embedded one is started'),
  DATABASE_OWNER_URL: postgresUrl
    .optional()
    .describe('The same database with a role that may change the schema; absent: DATABASE_URL is used for that too'),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'The same database without the pooler of DATABASE_URL, for what needs a session: notifications, the queue, migrations',
    ),
  DATABASE_POOL_SIZE: int(4, 200, 20).describe(
    'Connections for rows, per process; the processes of PROCESSES divide them',
  ),
  REDIS_URL: redisUrl
    .optional()
    .describe('A Redis or Valkey with append-only on and noeviction; absent: jobs are queued in Postgres'),
  REDIS_MAY_FORGET: flag
    .default(false)
    .describe(
      'Whether a Redis without append-only, or that may evict keys, is accepted: what it loses delays jobs by a lease',
    ),
  REDIS_PREFIX: matching(/^[a-z0-9:_-]{1,60}$/)
    .default('fleetgate')
    .describe('Prefix of all keys in Redis; each gateway that shares it needs its own'),
  FLEETGATE_KEY: rootKey.optional().describe('The root key that seals stored secrets: 32 bytes in base64'),
  FLEETGATE_KEY_NEXT: rootKey
    .optional()
    .describe('The root key that replaces the present one: a rotation wraps with it'),
  TRANSIT_URL: serviceUrl
    .regex(TRANSIT_KEY_ADDRESS, `must be the address of a key, such as ${TRANSIT_EXAMPLE}`)
    .optional()
    .describe(
      `Address of the root key in the transit engine of a Vault or OpenBao server: ${TRANSIT_EXAMPLE}; its type must support associated data (aes256-gcm96)`,
    ),
  TRANSIT_TOKEN: filled.optional().describe('The token for it, which may encrypt, decrypt and read'),
  TRANSIT_NAMESPACE: filled.optional().describe('The namespace of the engine, where the server has some'),
  REQUIRE_CHANGE_REASON: list
    .pipe(z.array(z.string().regex(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/, 'must be patterns such as device.* or job.start')))
    .default([])
    .describe('Audit actions that need an X-Change-Reason: `device.*`, `job.start`, or `*` for every change'),
  REDACTION_RULES: z
    .string()
    .default('')
    .superRefine((text, context) => {
      try {
        parseRedactionRules(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    })
    .describe(
      'More fields of devices to hide or show, beside those that look like a secret: `hide /wireless/* ssid; show …`',
    ),
  FLEETGATE_SETUP_TOKEN: z
    .string()
    .min(24)
    .max(200)
    .optional()
    .describe('A set-up token instead of a random one that is printed; for automated installations'),
  // Uses are noted to the minute.
  SESSION_IDLE_MINUTES: int(5, 7 * 24 * 60, 60).describe('A person who is idle for this long must sign in again'),
  SESSION_MAX_HOURS: int(1, 30 * 24, 12).describe('After this time a person must sign in again, even when active'),
  LOGIN_TRIES: int(1, 1_000, 5).describe(
    'Failed sign-ins of one account from one address at once, and again in five minutes',
  ),
  RATE_LIMIT_KEY: int(0, 100_000_000, 600_000).describe(
    'Calls a minute for each API key, where the key says nothing else; a call costs one for each device; 0: no limit',
  ),
  RATE_LIMIT_OPERATOR: int(0, 100_000_000, 1_200_000).describe(
    'Calls per minute for each operator, with all their keys and sessions together; 0: no limit',
  ),
  OIDC_PROVIDERS: z
    .string()
    .max(100_000)
    .optional()
    .describe('OpenID providers through which people sign in, as JSON; docs/reference/operators.md describes it'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level that is logged'),
  METRICS_PUBLIC: flag.default(false).describe('Whether /metrics answers without an API key'),
  BODY_LIMIT_BYTES: int(1024, 64 * 1024 * 1024, 1024 * 1024).describe(
    'Largest body of the gateway’s own routes; at most 16 kB without a caller',
  ),
  DEVICE_BODY_LIMIT_BYTES: int(1024, 4 * 1024 * 1024 * 1024, 512 * 1024 * 1024).describe(
    'Largest body that is passed to or from a device',
  ),
  DEVICE_ALLOWED_CIDRS: cidrList
    .default([])
    .describe('Networks and addresses of the devices; empty: any network that is not forbidden'),
  DEVICE_ALLOW_LOOPBACK: flag
    .default(false)
    .describe('Whether a device may be on a loopback address: for the simulator, never in real use'),
  DEVICE_HOST_SUFFIX: z
    .string()
    .toLowerCase()
    .regex(/^(?=.{1,189}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/, 'must be a domain, such as devices.example')
    .optional()
    .describe(
      'Domain whose sub-domains are devices, for clients that accept only host and port; absent: no such host names',
    ),
  FACADE_STATUS: z
    .enum(['gateway', 'device'])
    .default('gateway')
    .describe(
      'Who answers `unauthorized/status` of the façade, which needs no key. `gateway`: the gateway, and while a device may be away the device, for callers whose address used a key for it in the last 15 minutes. `device`: always the device; anybody learns which devices exist',
    ),
  STORED_FAN_OUT_DAYS: int(1, 365, 7).describe('How long the outcomes and answers of a stored fan-out can be read'),
  STATUS_EVERY_SECONDS: int(0, 86_400, 300).describe(
    'How often the gateway checks that each device answers, without a login; 0: never',
  ),
  MONITORING_KEEP_DAYS: int(0, 30, 7).describe(
    'How many days before today (UTC) the samples of devices are kept for charts; 0: the latest values alone',
  ),
  SMTP_URL: smtpUrl
    .optional()
    .describe(
      'The server that takes the mails of receivers of notifications, such as smtp://user:password@mail.example:587. Without smtps it must offer STARTTLS, unless it is on a loopback address',
    ),
  SMTP_FROM: mailAddress.optional().describe('The address that those mails come from; SMTP_URL needs it'),
  ALERTMANAGER_URL: list
    .pipe(z.array(httpUrl.refine(hasNoQuery, 'must have no query and no fragment')))
    .default([])
    .describe(
      'Addresses of Alertmanagers that get all open alerts each minute, separated by commas or spaces; `https://user:password@…` where one asks for a login',
    ),
  LOGINS_AT_ONCE: int(1, 2_000, 256).describe(
    'Simultaneous logins on devices, per process; an eighth of them is reserved for people, before fan-outs and jobs',
  ),
  REQUIRE_SECOND_FACTOR: flag
    .default(false)
    .describe('Whether people without a second factor are refused the actions that need one'),
  APPROVAL_DEVICES: int(0, 1_000_000, 0).describe(
    'Writes to more devices than this at once need the approval of a second person; 0: no approval',
  ),
  FIRMWARE_STEP_UP_DEVICES: int(0, 1_000_000, 10).describe(
    'Firmware for more devices than this at once needs a second factor that was shown recently',
  ),
  ARTIFACT_QUOTA_BYTES: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .default(50 * 1024 * 1024 * 1024)
    .describe('Largest total size of artifacts; equal bytes count once'),
  ARTIFACT_PUBLIC_KEYS: signingKeys
    .default([])
    .describe('Ed25519 public keys that check the signatures of artifacts: `name=base64`, separated by spaces'),
  ARTIFACT_S3_BUCKET: z
    .string()
    .regex(/^[^/]{3,63}(\/[\w./-]{0,200})?$/, 'must be a bucket, or bucket/prefix')
    .optional()
    .describe(
      'Bucket for artifacts, or bucket/prefix; keys and region are in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or where else the AWS SDK finds them; absent: artifacts are files in DATA_DIR',
    ),
  ARTIFACT_S3_ENDPOINT: serviceUrl.optional().describe('Address of an S3-compatible store; absent: AWS'),
  JOB_CONCURRENCY: int(1, 10_000, 500).describe(
    'Jobs that one worker process runs at once; for thousands see docs/explanation/performance.md',
  ),
  // Ten seconds were too short on an overloaded machine and caused re-runs.
  JOB_LEASE_SECONDS: int(3, 600, 30).describe(
    'After this time without a heartbeat a process loses its jobs, and other processes take them over',
  ),
  AUDIT_KEY_FILE: filled
    .optional()
    .describe(
      'A file with the Ed25519 key (PEM) that signs the audit log; absent: one is made and sealed in the database',
    ),
  AUDIT_ORIGIN: matching(/^[^\s+]{1,200}$/)
    .optional()
    .describe('Name of the audit log in its checkpoints, fixed at the first start; absent: a name with a random id'),
  AUDIT_WITNESS_FILE: filled
    .optional()
    .describe('A file, on another disk if possible, to which checkpoints of the audit log are added'),
  AUDIT_WITNESS_URL: serviceUrl
    .optional()
    .describe('Address of a witness (C2SP tlog-witness, add-checkpoint) that gets checkpoints of the audit log'),
  AUDIT_WITNESS_KEY: filled.optional().describe('Verifier key of that witness; it checks the witness’s cosignature'),
  AUDIT_RETENTION_DAYS: int(0, 36_500, 0).describe(
    'Age after which whole segments of the audit are archived and removed from the database; 0: never',
  ),
  AUDIT_ARCHIVE_DIR: filled
    .optional()
    .describe('Folder for archived segments of the audit, shared by all replicas; absent: `audit` in DATA_DIR'),
});

/** The settings that are secrets. A file may hold each of them: the variable with `_FILE` behind its name names it. */
export const SECRET_SETTINGS = [
  'FLEETGATE_KEY',
  'FLEETGATE_KEY_NEXT',
  'TRANSIT_TOKEN',
  'FLEETGATE_SETUP_TOKEN',
  'OIDC_PROVIDERS',
  'SMTP_URL',
] as const;

/** Values that no operator changes. A test replaces them by the second argument of `readConfig`. */
const CONSTANTS = {
  /** Connections for the queue on its Postgres backend: two for consumers and eight more are the least. */
  QUEUE_POOL_SIZE: 12,
  /** Time for a body to be complete; files and uploads to devices have more time, by their rate. */
  BODY_WITHIN_SECONDS: 30,
  /** The lowest average rate of files and uploads to devices after that time. */
  BODY_BYTES_PER_SECOND: 1024,
  /** Failed sign-ins of all accounts from one address, at once and again in five minutes; an IPv6 /48 has four times as many. */
  LOGIN_TRIES_PER_ADDRESS: 50,
  /** Open fan-outs of one operator with all keys and sessions, running stored ones included, per process. */
  FAN_OUTS_PER_OPERATOR: 16,
  /** A fan-out whose reader reads nothing for this time starts no more calls; after twice this time it ends. */
  FAN_OUT_READER_SECONDS: 60,
  /** Stored fan-outs of one operator; the oldest beyond it are deleted. */
  STORED_FAN_OUTS_PER_OPERATOR: 200,
  /** The longest time from one checkpoint of the audit log to the next, while it grows. */
  AUDIT_CHECKPOINT_SECONDS: 10,
  /** How often witnesses get the last checkpoint. */
  AUDIT_WITNESS_SECONDS: 300,
};

export type Settings = Readonly<z.output<typeof configSchema>>;
export type Constants = Readonly<typeof CONSTANTS>;
export type GatewayConfig = Settings & Constants & { readonly TRANSIT_TOKEN_FILE?: string };

/** Settings of earlier versions, and what to do where one is still set. */
const REMOVED: Readonly<Record<string, string>> = {
  ARTIFACT_S3_REGION: 'Set AWS_REGION',
  ARTIFACT_S3_PREFIX: 'Write the prefix behind the bucket: ARTIFACT_S3_BUCKET=bucket/prefix',
  ARTIFACT_S3_ACCESS_KEY_ID: 'Set AWS_ACCESS_KEY_ID',
  ARTIFACT_S3_SECRET_ACCESS_KEY: 'Set AWS_SECRET_ACCESS_KEY',
  TRANSIT_MOUNT: `Write mount and key into TRANSIT_URL: ${TRANSIT_EXAMPLE}`,
  TRANSIT_KEY: `Write mount and key into TRANSIT_URL: ${TRANSIT_EXAMPLE}`,
  ...Object.fromEntries(Object.entries(CONSTANTS).map(([name, value]) => [name, `The value is always ${value}`])),
  FAN_OUTS_PER_KEY: `An operator may have ${CONSTANTS.FAN_OUTS_PER_OPERATOR} fan-outs open`,
};

/** The folder for data without DATA_DIR: a system folder for root, the XDG data folder for a user. */
export function defaultDataDir(name = 'fleetgate'): string {
  if (process.getuid?.() === 0) return path.join('/var/lib', name);
  return path.join(process.env['XDG_DATA_HOME'] ?? path.join(os.homedir(), '.local', 'share'), name);
}

/** Reads the settings from the environment. @throws Error that lists all problems, with advice for the operator */
export function readConfig(source: NodeJS.ProcessEnv, constants: Partial<Constants> = {}): GatewayConfig {
  // Compose files and unit files leave unset variables empty.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const problems = Object.entries(REMOVED).flatMap(([name, advice]) =>
    name in given ? [`${name} is no setting any more. ${advice}, and remove ${name}.`] : [],
  );
  problems.push(...SECRET_SETTINGS.flatMap((name) => readSecretFile(name, given) ?? []));
  const parsed = configSchema.safeParse(given);
  for (const { path: at, message } of parsed.error?.issues ?? []) {
    const name = at.join('.');
    problems.push(`${`${name}_FILE` in given ? `${name}_FILE` : name}: ${message}`);
  }
  if (parsed.data && (parsed.data.SMTP_URL === undefined) !== (parsed.data.SMTP_FROM === undefined))
    problems.push('SMTP_URL and SMTP_FROM need each other.');
  if (!parsed.success || problems.length > 0) {
    const list = problems.map((problem) => `  ${problem}`).join('\n');
    throw new Error(
      `The configuration is not valid:\n${list}\nEvery setting is described in docs/reference/config.md.`,
    );
  }
  const { TRANSIT_TOKEN_FILE } = given;
  return Object.freeze({
    ...CONSTANTS,
    ...parsed.data,
    ...(TRANSIT_TOKEN_FILE ? { TRANSIT_TOKEN_FILE } : {}),
    ...constants,
  });
}

/** Replaces the name of a file by what is in it. Returns the problem, or null. */
function readSecretFile(
  name: (typeof SECRET_SETTINGS)[number],
  given: Record<string, string | undefined>,
): string | null {
  const file = given[`${name}_FILE`];
  if (file === undefined) return null;
  if (given[name] !== undefined) return `Set ${name} or ${name}_FILE, not both.`;
  // An agent may renew the token, so that file is read for each request.
  if (name === 'TRANSIT_TOKEN') return null;
  try {
    given[name] = readFileSync(file, 'utf8').trim();
    // Secrets of containers are mounted with mode 0444; those must only not be writable by others.
    const isOpen = name !== 'OIDC_PROVIDERS' && process.platform !== 'win32' && (statSync(file).mode & 0o022) !== 0;
    return isOpen ? `The file ${file} (${name}_FILE) can be changed by others; run chmod 600 on it.` : null;
  } catch (error) {
    return `The file ${file} (${name}_FILE) cannot be read (${(error as NodeJS.ErrnoException).code}).`;
  }
}

export const CONFIG = getConfigToken('gateway');

/** Passes the parsed settings to `@nestjs/config`, which injects them as `CONFIG`. */
export function configLoader(config: GatewayConfig) {
  return registerAs('gateway', () => config);
}

/** The version of the product, from package.json three folders up in every build. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
