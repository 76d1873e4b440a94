import { type GatewayConfig } from '../platform/config.js';
import { REDIS_FAULTS, redisFaultOf } from '../database/redis-connection.js';

/* What the gateway warns of: states that work, and that a careful operator does not leave so. Pure. */

/** Each warning with what to do. */
export const WARNINGS = {
  node_without_fixes: 'This version of Node.js gets no security fixes any more. Use a supported one.',
  no_tls:
    'Requests arrive without TLS. Put a TLS proxy in front of the gateway, and set PUBLIC_URL to its https address.',
  loopback_devices: 'Devices may be on loopback addresses. Unset DEVICE_ALLOW_LOOPBACK outside of tests.',
  root_key_without_copy:
    'The root key is a file in DATA_DIR without a copy. Make one with `npm run backup -- <file> --root-key <file>`.',
  redis_may_forget:
    'REDIS_MAY_FORGET accepts a Redis that loses or evicts what waits in it. Set `appendonly yes` and `maxmemory-policy noeviction` there, and unset it.',
  log_lines_dropped:
    'The reader of a log did not take all lines in the last hour: it was away, slow, or its disk was full. Look at what reads standard output, and at `fleetgate_log_lines_dropped_total`.',
  no_worker: 'No process runs jobs. Start one with ROLE=worker or ROLE=all.',
  many_devices_away:
    'So many devices stopped answering at once that the gateway doubts itself. Their states stay as they are for three passes of the status check. Look at its network and load.',
  identity_conflict:
    'Two devices report the same serial number or MAC address. `identityReason` of each shows it: correct the registry, or the cloned device.',
  queue_unavailable: 'The queue in the database does not take work: jobs wait. The log of the workers has the reason.',
  artifacts_unavailable:
    'Artifacts cannot be stored: backups and uploads fail. Look at the disk of DATA_DIR, or at the bucket and its rights.',
  ...REDIS_FAULTS,
  audit_not_signed: 'The audit has entries that no checkpoint covers for five minutes. Look at the log of the workers.',
} as const;

export type Warning = keyof typeof WARNINGS;

export const isWarning = (code: string): code is Warning => Object.hasOwn(WARNINGS, code);

/** The last day of security fixes of each long-term version of Node.js (nodejs/Release). */
const FIXED_UNTIL: Readonly<Record<number, string>> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' };
const LATEST_KNOWN = Math.max(...Object.keys(FIXED_UNTIL).map(Number));

/** Whether a version of Node.js gets security fixes. Versions without long-term support count as ones without. */
export function hasFixes(version: string, now: Date): boolean {
  const major = Number(/^v?(\d+)\./.exec(version)?.[1]);
  const until = FIXED_UNTIL[major];
  return until === undefined ? major > LATEST_KNOWN : now.getTime() < Date.parse(until) + 86_400_000;
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** The warnings of one process, from its settings. */
export function settingWarnings(
  config: Pick<GatewayConfig, 'HOST' | 'PUBLIC_URL' | 'DEVICE_ALLOW_LOOPBACK' | 'REDIS_URL' | 'REDIS_MAY_FORGET'>,
  nodeVersion: string,
  now: Date,
): Warning[] {
  const isLocal = config.PUBLIC_URL === undefined && LOOPBACK.test(config.HOST);
  const found: [Warning, boolean][] = [
    ['node_without_fixes', !hasFixes(nodeVersion, now)],
    ['no_tls', !isLocal && !config.PUBLIC_URL?.startsWith('https:')],
    ['loopback_devices', config.DEVICE_ALLOW_LOOPBACK],
    ['redis_may_forget', config.REDIS_URL !== undefined && config.REDIS_MAY_FORGET],
  ];
  return found.flatMap(([warning, isSo]) => (isSo ? [warning] : []));
}

/** The warnings of one process, from what its readiness checks met. Without the database there are none to read. */
export function causeWarnings(causes: ReadonlyMap<string, unknown>, usesRedis: boolean): Warning[] {
  const found: Warning[] = [];
  if (causes.has('queue')) found.push(usesRedis ? redisFaultOf(causes.get('queue')) : 'queue_unavailable');
  if (causes.has('artifacts')) found.push('artifacts_unavailable');
  return found;
}

/** Lines that were dropped stay a warning for so long. */
const DROPPED_LINES_MS = 3_600_000;

/** @param lastDropMs when this process last dropped a line of its log, as `nowMs` by `performance.now()`; null: never */
export const logWarnings = (lastDropMs: number | null, nowMs: number): Warning[] =>
  lastDropMs !== null && nowMs - lastDropMs < DROPPED_LINES_MS ? ['log_lines_dropped'] : [];
