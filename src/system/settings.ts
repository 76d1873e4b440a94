import { configSchema, type Settings } from '../platform/config.js';
import { type SettingView } from './system.contract.js';

/* The settings of a process as an operator may read them: no value of them is a secret. Pure. */

/** How a setting is shown: as it is, as an address without user, password and query, or only whether it is set. */
type Showing = 'plain' | 'address' | 'secret';

/** Each setting needs a decision: the compiler refuses a new one without it. */
const SHOWN: Readonly<Record<keyof Settings, Showing>> = {
  ROLE: 'plain',
  HOST: 'plain',
  PORT: 'plain',
  PUBLIC_URL: 'address',
  TRUSTED_PROXIES: 'plain',
  DATA_DIR: 'plain',
  DATABASE_URL: 'address',
  DATABASE_OWNER_URL: 'address',
  DATABASE_DIRECT_URL: 'address',
  DATABASE_POOL_SIZE: 'plain',
  REDIS_URL: 'address',
  REDIS_MAY_FORGET: 'plain',
  REDIS_PREFIX: 'plain',
  FLEETGATE_KEY: 'secret',
  FLEETGATE_KEY_NEXT: 'secret',
  TRANSIT_URL: 'address',
  TRANSIT_TOKEN: 'secret',
  TRANSIT_NAMESPACE: 'plain',
  REQUIRE_CHANGE_REASON: 'plain',
  REDACTION_RULES: 'plain',
  FLEETGATE_SETUP_TOKEN: 'secret',
  SESSION_IDLE_MINUTES: 'plain',
  SESSION_MAX_HOURS: 'plain',
  LOGIN_TRIES: 'plain',
  RATE_LIMIT_KEY: 'plain',
  RATE_LIMIT_OPERATOR: 'plain',
  OIDC_PROVIDERS: 'secret', // holds the secrets of clients
  LOG_LEVEL: 'plain',
  METRICS_PUBLIC: 'plain',
  BODY_LIMIT_BYTES: 'plain',
  DEVICE_BODY_LIMIT_BYTES: 'plain',
  DEVICE_ALLOWED_CIDRS: 'plain',
  DEVICE_ALLOW_LOOPBACK: 'plain',
  DEVICE_HOST_SUFFIX: 'plain',
  FACADE_STATUS: 'plain',
  STORED_FAN_OUT_DAYS: 'plain',
  STATUS_EVERY_SECONDS: 'plain',
  LOGINS_AT_ONCE: 'plain',
  REQUIRE_SECOND_FACTOR: 'plain',
  APPROVAL_DEVICES: 'plain',
  FIRMWARE_STEP_UP_DEVICES: 'plain',
  ARTIFACT_QUOTA_BYTES: 'plain',
  ARTIFACT_PUBLIC_KEYS: 'plain',
  ARTIFACT_S3_BUCKET: 'plain',
  ARTIFACT_S3_ENDPOINT: 'address',
  JOB_CONCURRENCY: 'plain',
  JOB_LEASE_SECONDS: 'plain',
  AUDIT_KEY_FILE: 'plain',
  AUDIT_ORIGIN: 'plain',
  AUDIT_WITNESS_FILE: 'plain',
  AUDIT_WITNESS_URL: 'address',
  AUDIT_WITNESS_KEY: 'plain', // verifies, and signs nothing
  AUDIT_RETENTION_DAYS: 'plain',
  AUDIT_ARCHIVE_DIR: 'plain',
};

/** All settings in the order of docs/reference/config.md. */
export function settingsOf(config: Settings): SettingView[] {
  const defaults = configSchema.parse({});
  return (Object.keys(configSchema.shape) as (keyof Settings)[]).map((name) => {
    const value = textOf(config[name]);
    const isHidden = SHOWN[name] === 'secret' && value !== null;
    return {
      name,
      value: isHidden || value === null ? null : SHOWN[name] === 'address' ? withoutSecrets(value) : value,
      hidden: isHidden,
      source: value === textOf(defaults[name]) ? 'default' : 'set',
      description: configSchema.shape[name].description ?? '',
    };
  });
}

function textOf(value: Settings[keyof Settings]): string | null {
  if (value === undefined || value === '') return null;
  return Array.isArray(value) ? value.join(' ') || null : String(value);
}

/** An address may carry a password in its user part, and a token in its query. */
function withoutSecrets(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
