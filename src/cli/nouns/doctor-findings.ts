import { type ApiError, type components, type ConnectionError } from '../../api-client/api-client.js';
import { wordsOf } from '../../api-client/problem-words.js';
import { isUntrusted } from '../errors.js';
import { SET_PASSWORD_FIRST } from './shown.js';

/* What `fleetgate doctor` finds, and what to do about it. Pure. */

type System = components['schemas']['System'];
type SelfView = components['schemas']['Self'];
type Device = components['schemas']['Device'];

export interface DoctorFinding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  readonly finding: string;
  /** What to do; empty when nothing is wrong. */
  readonly remedy: string;
}

const ok = (check: string, finding: string): DoctorFinding => ({ check, state: 'ok', finding, remedy: '' });
const wrong = (check: string, finding: string, remedy: string): DoctorFinding => ({
  check,
  state: 'wrong',
  finding,
  remedy,
});
const warning = (check: string, finding: string, remedy: string): DoctorFinding => ({ ...wrong(check, finding, remedy), state: 'warning' }); // prettier-ignore
export const skipped = (check: string, finding: string, remedy: string): DoctorFinding => ({ ...wrong(check, finding, remedy), state: 'skipped' }); // prettier-ignore

/** A clock that differs by more than this breaks one-time codes and certificates. */
const CLOCK_OFF_MAX_MS = 30_000;
const NODE_MIN = [20, 19] as const;
/** The first version of Node that gets security fixes. */
const NODE_WITH_FIXES = 22;

export function nodeFinding(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const found = `This command runs on Node ${version}`;
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]))
    return wrong('node', found, `Install Node ${NODE_MIN.join('.')} or newer`);
  if (major < NODE_WITH_FIXES) return warning('node', `${found}, which gets no security fixes`, 'Install Node 24');
  return ok('node', found);
}

/** Why the gateway does not answer, by the name that the system has for it. */
export function connectionFinding(error: ConnectionError, url: string): DoctorFinding {
  const { reason, systemCode, message } = error;
  const { host, hostname, protocol } = new URL(url);
  const code = systemCode ?? '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return wrong('reachability', `${hostname} has no address`, 'Correct --url, or the name in DNS');
  if (code === 'ECONNREFUSED')
    return wrong(
      'port',
      `Nothing listens at ${host}`,
      'Start the gateway (fleetgate serve), or correct the port in --url',
    );
  if (isUntrusted(error)) {
    const remedy = 'Correct the certificate of the TLS proxy; for a CA of your own set NODE_EXTRA_CA_CERTS to its file';
    return wrong('tls', `The certificate of ${host} is not trusted (${code})`, remedy);
  }
  if (protocol === 'https:' && /SSL|TLS|EPROTO|ECONNRESET/.test(code))
    return wrong(
      'tls',
      `${host} does not speak TLS (${code})`,
      'Put a TLS proxy before the gateway, or use http on this machine',
    );
  if (reason === 'timeout' || code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return wrong('reachability', message, 'Check the network and firewalls between this machine and the gateway');
  return wrong('reachability', message, 'Start the gateway, or give its address with --url');
}

export function readyFinding(status: number, url: string): DoctorFinding {
  if (status < 400) return ok('reachability', `${url} is ready`);
  const remedy = 'fleetgate system ready says which part is not; check the database, Redis and the disk';
  return wrong('reachability', `${url} answers, and is not ready (status ${status})`, remedy);
}

export function clockFinding(date: string | null, nowMs: number): DoctorFinding {
  const offMs = date === null ? Number.NaN : nowMs - Date.parse(date);
  if (Number.isNaN(offMs)) return skipped('clock', 'The gateway sends no date', '');
  const found = `${Math.round(offMs / 1_000)} s from the clock of the gateway`;
  if (Math.abs(offMs) <= CLOCK_OFF_MAX_MS) return ok('clock', found);
  return wrong('clock', found, 'Set both clocks by NTP: one-time codes and certificates depend on them');
}

export function tlsFinding(url: string): DoctorFinding {
  const { protocol, hostname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'https:') return ok('tls', 'The connection is encrypted');
  if (isLocal) return ok('tls', 'Not encrypted; it does not leave this machine');
  return wrong('tls', 'Your key travels unencrypted', 'Put a TLS proxy before the gateway, and use https');
}

/** Why the gateway does not take the key. */
export function keyFinding(error: ApiError): DoctorFinding {
  if (error.code === 'address_refused') {
    const remedy =
      'Use it from one of its networks, or issue a key with other allowedAddresses: fleetgate key issue-own';
    return wrong('access list', 'The key may not be used from this address', remedy);
  }
  return refusedFinding('login', error, 'Issue another key, and sign in with fleetgate login');
}

/** What the gateway refused. @param otherwise what to do where its words do not say it */
export function refusedFinding(check: string, error: ApiError, otherwise = ''): DoctorFinding {
  const { title, detail, command } = wordsOf(error, 'cli');
  return wrong(check, title, [detail, command].filter((line) => line !== null).join(' ') || otherwise);
}

/** Who the key acts as, and for which devices. */
export function* selfFindings({ name, permissions, selectors }: SelfView): Generator<DoctorFinding> {
  yield ok('login', `You are ${name}`);
  const narrow = Object.entries(selectors).map(
    ([permission, selector]) => `${permission} for ${selector ?? 'some devices'}`,
  );
  if (permissions.length === 0)
    yield wrong(
      'key scope',
      'The key may do nothing',
      'Ask an administrator for a role, or for a key with a wider scope',
    );
  else if (!permissions.includes('device.read'))
    yield warning('key scope', 'The key sees no device', 'Ask an administrator for a role with device.read');
  else if (narrow.length === 0) yield ok('key scope', `${permissions.length} permissions, for all devices`);
  else yield ok('key scope', `${permissions.length} permissions; ${narrow.join(', ')}`);
}

/** What each part of the gateway is good for, with what to do when it is not there. */
const PARTS: Readonly<Record<string, readonly [check: string, fine: string, remedy: string]>> = {
  database: ['database', 'Postgres answers', 'Start Postgres, or correct DATABASE_URL'],
  queue: ['queue', 'The queue takes work and gives it', 'Start the server of REDIS_URL, or of QUEUE_DATABASE_URL'],
  artifacts: ['disk', 'There is room for artifacts', 'Free space in DATA_DIR/artifacts: less than 16 MiB are left'],
};

/** Warnings that belong to a check; all others are of the gateway. */
const CHECK_OF_WARNING: Readonly<Record<string, string>> = {
  no_tls: 'tls',
  node_without_fixes: 'node',
  redis_may_forget: 'redis',
};

/** A disk that is full in less than this needs a person soon, or now. */
const DISK_WARNS_DAYS = 30;
const DISK_IS_WRONG_DAYS = 3;
const DAY_MS = 86_400_000;

/** What is largest and how fast it grows, and when the disk is full. @param nowMs the time of this machine */
export function storageFinding({ items, database, disk }: System['storage'], nowMs: number): DoctorFinding {
  const sized = (name: string, bytes: number, rate: number | null) =>
    `${name} ${shownBytes(bytes)}${rate === null ? '' : ` (${rate < 0 ? '-' : '+'}${shownBytes(Math.abs(rate))} a day)`}`;
  const largest = items.slice(0, 3).map(({ name, bytes, bytesPerDay }) => sized(name, bytes, bytesPerDay));
  const text = [sized('Database', database.bytes, database.bytesPerDay), ...largest].join(', ');
  if (disk === null) return ok('storage', text);
  const room = `${text}; ${shownBytes(disk.freeBytes)} are free in DATA_DIR`;
  if (disk.fullAt === null) return ok('storage', room);
  const days = Math.max(0, Math.floor((Date.parse(disk.fullAt) - nowMs) / DAY_MS));
  const found = `${room}, full in ${days} days at this rate (${disk.fullAt.slice(0, 10)})`;
  if (days >= DISK_WARNS_DAYS) return ok('storage', found);
  const remedy =
    'Enlarge the disk, or let less be stored: AUDIT_RETENTION_DAYS, ARTIFACT_QUOTA_BYTES, retention of backup policies';
  return days < DISK_IS_WRONG_DAYS ? wrong('storage', found, remedy) : warning('storage', found, remedy);
}

function shownBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}

/** What the gateway says about itself. */
export function* systemFindings({ processes, queue, warnings }: System): Generator<DoctorFinding> {
  const alive = processes.filter((one) => one.alive);
  for (const [part, [check, fine, remedy]] of Object.entries(PARTS)) {
    const asked = alive.filter(({ checks }) => part in checks);
    const lost = asked.filter(({ checks }) => checks[part] !== 'ok').map(({ host }) => host);
    if (lost.length > 0) yield wrong(check, `Not available for ${[...new Set(lost)].join(', ')}`, remedy);
    else if (asked.length > 0) yield ok(check, fine);
  }
  if (queue === 'postgres') yield ok('redis', 'Not used: the queue is in Postgres');
  else if (!warnings.some(({ code }) => code === 'redis_may_forget'))
    yield ok('redis', 'Append-only is on and it evicts nothing: the gateway starts with no other');
  for (const { code, text } of warnings) {
    const [meaning = code, ...advice] = text.split(/(?<=\.) /);
    yield warning(CHECK_OF_WARNING[code] ?? 'gateway', meaning, advice.join(' ') || text);
  }
  if (warnings.length === 0) yield ok('gateway', 'It has no warnings');
}

/** A device in a command that people paste into their shell, to which other characters of a name mean something. */
const pasted = ({ id, name }: Device): string => (/^\w[\w.-]*$/.test(name) ? name : `id:${id}`);

/** How the gateway knows a device, and whether it can log in. */
export function* deviceFindings(device: Device): Generator<DoctorFinding> {
  const { name, state, stateReason, trust, credentials } = device;
  const argument = pasted(device);
  if (trust.offeredPin !== null) {
    const remedy =
      `If the hardware was replaced: fleetgate device replace ${argument}. ` +
      `If it is the same, compare the key on the device, then: fleetgate device trust ${argument} --mode pin --pin ${trust.offeredPin}`;
    yield wrong('pin', `${name} shows another key: ${trust.offeredPin}`, remedy);
  } else if (trust.mode === 'insecure')
    yield warning('pin', `${name} is not recognised by a key`, `fleetgate device trust ${argument} --mode pin`);
  else
    yield ok(
      'pin',
      trust.mode === 'ca'
        ? 'Its certificate is checked by a CA'
        : (trust.pin ?? 'Its key is taken at the first contact'),
    );
  const give = `fleetgate device credentials ${argument} --username <name>`;
  if (credentials === null) yield wrong('device login', `No password is stored for ${name}`, give);
  else if (state === 'credentials_refused' && asksForPassword(stateReason))
    yield wrong('device login', `${name}: ${stateReason}`, `${SET_PASSWORD_FIRST} ${give}`);
  else if (state === 'credentials_refused') yield wrong('device login', `${name} refuses its password`, give);
  else yield ok('device login', `As ${credentials.username}`);
  if (state === 'offline') {
    const remedy = 'Check its power, its link, and that the gateway reaches its address';
    yield wrong('device', `${name} is offline${stateReason ? `: ${stateReason}` : ''}`, remedy);
  } else if (state === 'trust_changed' || state === 'credentials_refused') {
    const row = state === 'trust_changed' ? 'pin' : 'device login';
    yield skipped('device', `${name} is ${state}`, `Correct first what the row ${row} says`);
  } else yield ok('device', `${name} is ${state}`);
}

/** Codes of a device that wants a new password before anything else (observed-devices.md 1.9), as its state names them. */
const asksForPassword = (reason: string | null) => reason !== null && /\(code 12[45]\)$/.test(reason);

const AWAY = /^device_(unreachable|timeout|circuit_open)$/;

/** What a read of the device ended with. @param error null when it was answered */
export function callFinding({ name, baseUrl }: Device, error: ApiError | null, status: number): DoctorFinding {
  if (error !== null && AWAY.test(error.code)) {
    const { port, protocol } = new URL(baseUrl);
    const number = port || (protocol === 'https:' ? '443' : '80');
    const remedy = `Check that it is on, and that its access list and firewall let the gateway reach port ${number} of ${baseUrl}`;
    return wrong('call', wordsOf(error, 'cli').title, remedy);
  }
  if (error !== null) return refusedFinding('call', error, 'fleetgate device session shows more');
  if (status < 400) return ok('call', `${name} answers a read with status ${status}`);
  const remedy = 'Check the rights of its account on the device, and its firmware';
  return wrong('call', `${name} answers a read with status ${status}`, remedy);
}
