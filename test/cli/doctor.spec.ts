import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, type components } from '../../src/api-client/api-client.js';
import {
  callFinding,
  clockFinding,
  connectionFinding,
  deviceFindings,
  keyFinding,
  nodeFinding,
  readyFinding,
  selfFindings,
  storageFinding,
  systemFindings,
  tlsFinding,
  type DoctorFinding,
} from '../../src/cli/nouns/doctor-findings.js';

/* What can be wrong, each with its check, and with what to do. */

type Schemas = components['schemas'];

const GATEWAY = 'https://fleet.example';
const NOW = Date.parse('2026-11-23T12:00:00Z');

function refusal(code: string, status = 403): ApiError {
  return new ApiError(status, code, { title: `title of ${code}` });
}

const lost = (code: string, url = GATEWAY): DoctorFinding => {
  const cause = Object.assign(new Error('x'), { code });
  return connectionFinding(new ConnectionError('network', `No answer from ${url} (${code})`, cause), url);
};

const SELF = {
  subject: 'x',
  name: 'Ada',
  operatorId: '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
  hasPassword: true,
  hasSecondFactor: true,
  roles: [],
  permissions: ['device.read', 'device.manage'],
  selectors: {},
  frozen: null,
};
const ALIVE = { host: 'gw-1', alive: true, checks: { database: 'ok', queue: 'ok', artifacts: 'ok' } };
const SYSTEM = { processes: [ALIVE], queue: 'redis', warnings: [] } as unknown as Schemas['System'];
const DEVICE = {
  name: 'pump-1',
  baseUrl: 'https://192.0.2.7',
  state: 'online',
  stateReason: null,
  trust: { mode: 'pin', pin: 'sha256/A', offeredPin: null, expiresAt: null },
  credentials: { username: 'admin', failedLogins: 0, changedAt: '2026-11-23T12:00:00Z' },
} as unknown as Schemas['Device'];

const system = (change: object): DoctorFinding[] => [...systemFindings({ ...SYSTEM, ...change })];
const device = (change: object): DoctorFinding[] => [...deviceFindings({ ...DEVICE, ...change })];
const self = (change: object): DoctorFinding[] => [...selfFindings({ ...SELF, ...change })];
const without = (part: string) => ({ processes: [{ ...ALIVE, checks: { ...ALIVE.checks, [part]: 'unavailable' } }] });
const warned = (code: string) => ({ warnings: [{ code, since: '', text: 'It is so. Do this.' }] });

const FIRST = 'the device asks for a first password (code 125)';

/** What is wrong, with the check that finds it. */
const WRONG: readonly (readonly [what: string, check: string, findings: DoctorFinding | readonly DoctorFinding[]])[] = [
  ['an old Node', 'node', nodeFinding('18.20.0')],
  ['a Node without security fixes', 'node', nodeFinding('20.19.0')],
  ['a clock that is off', 'clock', clockFinding(new Date(NOW + 60_000).toUTCString(), NOW)],
  ['a name without an address', 'reachability', lost('ENOTFOUND')],
  ['a network without a way', 'reachability', lost('EHOSTUNREACH')],
  ['silence', 'reachability', connectionFinding(new ConnectionError('timeout', 'late', null), GATEWAY)],
  ['a gateway that is not ready', 'reachability', readyFinding(503, GATEWAY)],
  ['a port without a listener', 'port', lost('ECONNREFUSED')],
  ['an unknown CA', 'tls', lost('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['an expired certificate', 'tls', lost('CERT_HAS_EXPIRED')],
  ['a server without TLS', 'tls', lost('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['a key that travels in the clear', 'tls', tlsFinding('http://fleet.example')],
  ['a wrong key', 'login', keyFinding(refusal('unauthenticated', 401))],
  ['a key from elsewhere', 'access list', keyFinding(refusal('address_refused'))],
  ['a key that may do nothing', 'key scope', self({ permissions: [] })],
  ['a key that sees no device', 'key scope', self({ permissions: ['audit.read'] })],
  ['a full disk', 'disk', system(without('artifacts'))],
  ['a lost database', 'database', system(without('database'))],
  ['a lost queue', 'queue', system(without('queue'))],
  ['a Redis that forgets', 'redis', system(warned('redis_may_forget'))],
  ['a root key without a copy', 'gateway', system(warned('root_key_without_copy'))],
  ['another pin', 'pin', device({ trust: { ...DEVICE.trust, offeredPin: 'sha256/B' } })],
  ['a device without recognition', 'pin', device({ trust: { ...DEVICE.trust, mode: 'insecure' } })],
  ['a device without a password', 'device login', device({ credentials: null })],
  ['a refused password', 'device login', device({ state: 'credentials_refused' })],
  [
    'a device that asks for a first password',
    'device login',
    device({ state: 'credentials_refused', stateReason: FIRST }),
  ],
  ['a device that is away', 'device', device({ state: 'offline', stateReason: 'timeout' })],
  ['a port that the device closes', 'call', callFinding(DEVICE, refusal('device_unreachable', 502), 502)],
  ['an account without rights', 'call', callFinding(DEVICE, null, 403)],
];

describe('the doctor', () => {
  it('says that a device asks for a first password, and where to set it', () => {
    const [, login] = device({ state: 'credentials_refused', stateReason: FIRST });
    expect(login).toMatchObject({ state: 'wrong', finding: expect.stringContaining(FIRST) });
    expect(login!.remedy).toMatch(/on the device itself.*fleetgate device credentials/);
  });

  it.each(WRONG)('finds %s by its check %s, and says what to do', (_what, check, findings) => {
    const bad = [findings].flat().filter(({ state }) => state === 'wrong' || state === 'warning');
    expect(bad.map((finding) => finding.check)).toEqual([check]);
    expect(bad[0]!.remedy.length).toBeGreaterThan(5);
    expect(bad[0]!.finding).not.toBe('');
  });

  it.each(['trust_changed', 'credentials_refused'] as const)('does not call a device well that is %s', (state) => {
    const findings = device({ state, trust: { ...DEVICE.trust, offeredPin: 'sha256/B' } });
    expect(findings.find(({ check }) => check === 'device')).toMatchObject({ state: 'skipped' });
  });

  it('names the replacement of hardware, too, where a device shows another key', () => {
    const [pin] = device({ state: 'trust_changed', trust: { ...DEVICE.trust, offeredPin: 'sha256/B' } });
    expect(pin!.remedy).toMatch(/fleetgate device replace pump-1\. .*fleetgate device trust pump-1 .*sha256\/B$/);
  });

  it.each([
    { state: 'trust_changed', trust: { ...DEVICE.trust, offeredPin: 'sha256/B' } },
    { trust: { ...DEVICE.trust, mode: 'insecure' } },
    { credentials: null },
  ])('has no name in a command that a shell would take for another one: %j', (change) => {
    const remedies = device({ ...change, id: '0192', name: 'pump; reboot' }).map(({ remedy }) => remedy);
    expect(remedies.join()).toMatch(/fleetgate device \w+ id:0192 /);
    expect(remedies.join()).not.toContain('reboot');
  });

  it('names the port and the access list of a device that it cannot reach', () => {
    const { remedy } = callFinding(DEVICE, refusal('device_unreachable', 502), 502);
    expect(remedy).toContain('access list and firewall let the gateway reach port 443 of https://192.0.2.7');
  });

  it('is content with what is well', () => {
    const all = [
      nodeFinding('24.1.0'),
      clockFinding(new Date(NOW).toUTCString(), NOW),
      tlsFinding(GATEWAY),
      tlsFinding('http://127.0.0.1:8080'),
      readyFinding(200, GATEWAY),
      callFinding(DEVICE, null, 200),
      ...self({}),
      ...self({ selectors: { 'device.manage': 'site:near' } }),
      ...system({}),
      ...system({ queue: 'postgres' }),
      ...device({}),
    ];
    expect(all.filter(({ state, remedy }) => state !== 'ok' || remedy !== '')).toEqual([]);
  });
});

describe('what is stored', () => {
  const GB = 1e9;
  const storage = (fullAt: string | null, bytesPerDay: number | null = 1.5 * GB): Schemas['System']['storage'] => ({
    items: [{ name: 'audit_entry', kind: 'table', bytes: 3.26 * GB, bytesPerDay }],
    database: { bytes: 5e5, bytesPerDay: null },
    disk: { freeBytes: 120 * GB, bytesPerDay, fullAt },
  });

  it.each<[state: string, full: string | null, says: string]>([
    ['ok', null, 'Database 500 kB, audit_entry 3.3 GB (+1.5 GB a day); 120 GB are free in DATA_DIR'],
    ['ok', '2027-02-11T12:00:00Z', 'full in 80 days at this rate (2027-02-11)'],
    ['warning', '2026-12-01T12:00:00Z', 'full in 8 days at this rate'],
    ['wrong', '2026-11-24T12:00:00Z', 'full in 1 days at this rate'],
    ['wrong', '2026-11-20T12:00:00Z', 'full in 0 days at this rate'],
  ])('is %s when the disk is full at %s', (state, full, says) => {
    const found = storageFinding(storage(full), NOW);
    expect(found).toMatchObject({ check: 'storage', state });
    expect(found.finding).toContain(says);
    expect(found.remedy === '').toBe(state === 'ok');
  });

  it('is said without rates while they are not known, and without a disk that is not', () => {
    const { finding } = storageFinding({ ...storage(null, null), disk: null }, NOW);
    expect(finding).toBe('Database 500 kB, audit_entry 3.3 GB');
  });
});
