import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/api-client/permission-words.js';
import { LINKS, SCREEN_PATHS } from '../../src/api-client/problem-links.js';
import {
  fieldName,
  fieldText,
  nearestOf,
  wordsOf,
  type ProblemWords,
  type Tool,
} from '../../src/api-client/problem-words.js';
import { AppError, ERRORS, type ErrorCode, type Facts } from '../../src/platform/errors.js';
import { toProblem } from '../../src/http/problem.js';
import { fleetgateLines, problemOf } from '../support/cli/checked-line.js';

/* Each error of the catalogue in the words of a person, for the command line and for the console. */

const ID = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';
const OTHER_ID = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a5';
const AT = '2026-11-26T16:04:00.000Z';
const DIGESTS = { expectedSha256: 'ab12', foundSha256: 'cd34' };
const DEVICE_ERRORS = [{ code: 103, error: 'Invalid options', source: 'Validation' }];

/** Facts as the gateway sends them; codes that are not here have none. */
const FACTS: Partial<Record<ErrorCode, Facts>> = {
  invalid_input: { errors: [{ pointer: '/body/tags/0', detail: 'must be a text' }] },
  invalid_json: { reason: 'an object ends too early' },
  malformed_request: { header: 'host' },
  body_too_large: { limitBytes: 67_108_864 },
  unsupported_media_type: { supported: ['text/csv', 'application/x-ndjson'] },
  version_changed: { expected: 'the ETag of the resource' },
  change_reason_required: { action: 'device.delete' },
  idempotency_key_running: { firstRequestId: ID, firstAt: AT },
  idempotency_outcome_unknown: { firstRequestId: ID, firstAt: AT, firstCode: 'internal_error' },
  rate_limited: { limit: 600, cost: 60, retryAfterSeconds: 3 },
  too_many_scans: { limit: 4, waiting: 16, retryAfterSeconds: 2 },
  too_many_requests_at_once: { limit: 32, retryAfterSeconds: 1 },
  too_many_streams: { limit: 8 },
  login_throttled: { retryAfterSeconds: 20 },
  login_queue_full: { retryAfterSeconds: 2 },
  password_refused: { reason: 'it is a common password' },
  step_up_required: { how: 'show a code of the authenticator at POST /v1/self/second-factor' },
  key_beyond_own: { expiresAt: AT, allowedAddresses: ['192.0.2.0/24'], callsPerMinute: 60 },
  forbidden: { permission: 'job.start', device: 'rutx50-00001', path: '/api/system/config' },
  rights_not_held: { permission: 'device.manage' },
  starter_may_not: { permission: 'job.start', startedBy: 'Ada' },
  author_may_not: { permission: 'rollout.start' },
  locked: { lock: ID, locked: 'device', reason: 'maintenance', since: AT, until: AT, by: 'Ada' },
  approval_required: { approvalId: ID, devices: 300, limit: 100, expiresAt: AT },
  approval_over: { state: 'rejected', expiresAt: AT },
  approval_mismatch: { planDigest: 'ab12' },
  device_exists: { field: 'baseUrl' },
  base_url_refused: { reason: 'it has a path' },
  invalid_selector: { position: 0, expected: 'one of tag, site, name, firmware, seen', near: 'tagg:pump' },
  field_in_use: { devices: 12 },
  too_many_fields: { limit: 50 },
  too_many_saved: { noun: 'alert_rule', limit: 500 },
  selection_changed: { matched: 61, digest: 'ab12' },
  import_refused: { lines: 3, failed: 1, errors: [{ line: 2, code: 'invalid_input', detail: 'is taken' }] },
  too_many_discoveries: { limit: 2 },
  network_refused: { network: '127.0.0.0/8', address: '127.0.0.1', reason: 'it is a loopback address' },
  path_refused: { reason: 'it holds a dot segment' },
  answer_withheld: { reason: 'it is too long', deviceStatus: 200 },
  too_many_fan_outs: { limit: 4 },
  device_unreachable: { reason: 'ECONNREFUSED', address: '192.0.2.7' },
  device_address_refused: { address: '127.0.0.1', reason: 'loopback' },
  device_trust_changed: { pinned: 'aa:bb', offered: 'cc:dd' },
  identity_mismatch: { expectedSerial: '1112223334', serial: '1112223399' },
  device_tls_failed: { reason: 'the peer sent no certificate' },
  device_credentials_refused: { failedLogins: 1 },
  device_login_failed: { deviceErrors: DEVICE_ERRORS },
  device_answer_invalid: { path: '/api/system/device/status', deviceStatus: 200 },
  device_timeout: { phase: 'login', allowedMs: 10_000 },
  device_outcome_unknown: { why: 'timeout', phase: 'answer' },
  device_refused: { deviceStatus: 422, deviceErrors: DEVICE_ERRORS, deviceCodes: [103] },
  device_circuit_open: { path: '/api/x', retryAfterSeconds: 30 },
  device_queue_full: { limit: 64 },
  job_not_cancellable: { phase: 'ended', outcome: 'succeeded' },
  worker_stalled: { stalledMs: 30_000 },
  too_many_sealed_values: { limit: 100 },
  artifact_not_found: { artifactId: ID },
  artifact_in_use: { jobs: [ID], rollouts: [OTHER_ID], schedules: ['nightly'] },
  artifact_digest_mismatch: { claimed: 'ab12', received: 'cd34', bytes: 7 },
  artifact_signature_refused: { sha256: 'ab12', keys: ['builds'] },
  artifact_quota_exceeded: { quotaBytes: 10, usedBytes: 9 },
  artifact_changed: { artifactId: ID, ...DIGESTS },
  backup_unreadable: { artifactId: ID, why: 'it is no archive' },
  rollout_wrong_state: { state: 'running', possibleIn: ['paused', 'draft'] },
  rollout_not_approved: { limit: 100 },
  rollout_has_no_way_back: { kind: 'backup', kinds: ['configure'] },
  rollout_is_empty: { skipped: 7 },
  rollout_too_large: { devices: 60_000, limit: 50_000 },
  took_too_long: { limitMs: 10_000 },
  disk_full: { folder: '/var/lib/fleetgate', freeBytes: 7 },
  secret_unreadable: { table: 'device', column: 'sealed_password' },
  rotation_needless: { rootKeyId: 'k1' },
  webhook_address_refused: { host: '127.0.0.1', reason: 'the address is loopback' },
};

const CODES = Object.keys(ERRORS) as ErrorCode[];
const TOOLS: readonly Tool[] = ['cli', 'console'];

function told(code: string, facts: Facts, tool: Tool): ProblemWords {
  const problem = toProblem(new AppError(code as ErrorCode, facts), ID);
  return wordsOf({ code, title: problem.title, detail: problem.detail, problem }, tool, Date.parse(AT) + 3 * 60_000);
}

const lineOf = ({ title, detail, command, link }: ProblemWords): string =>
  [`${title}.`, detail, command, link && `[${link.text}]`].filter(Boolean).join(' ');

/** All facts, none, and all without one of them: an older gateway, or a case in which it is not known. */
const variants = (facts: Facts): readonly Facts[] => [
  facts,
  {},
  ...Object.keys(facts).map((left) => Object.fromEntries(Object.entries(facts).filter(([name]) => name !== left))),
];

/** Names that programs have for errors and permissions; ordinary words are none. */
const CODE_NAMES = new Set<string>([...CODES, ...Object.keys(PERMISSIONS)].filter((name) => /[._]/.test(name)));

/** Names of facts: words that say nothing without their value. */
const NAMES = new Set([
  ...Object.values(FACTS).flatMap((facts) => Object.keys(facts)),
  ...CODES.flatMap((code) => [...ERRORS[code].advice.matchAll(/`(\w+)`/g)].map(([, name]) => name!)),
]);
/** Those that are ordinary words of a sentence, too. */
const ORDINARY =
  /^(devices?|path|reason|state|until|by|limit|lock|locked|code|errors?|field|fields|host|permission|header|address|network|folder|keys?|kinds?|jobs|rollouts|schedules|received|claimed|expected|waiting|near|position|table|column|phase|outcome|bytes|action|lines|failed|skipped|serial|unknown|enabled|credentials|cursor|cost|found|why|how|chunked|matched|digest|offered|pinned|supported)$/;

describe.each(TOOLS)('in the %s', (tool) => {
  it.each(CODES)('%s says what happened and what to do', async (code) => {
    for (const facts of variants(FACTS[code] ?? {})) {
      const words = told(code, facts, tool);
      const line = lineOf(words);
      expect(words.title).not.toBe('');
      expect(line).not.toMatch(/`|[{}]|\b(GET|POST|PUT|PATCH|DELETE)\b|undefined|null|\.\.|\s\s|\/v1\//);
      expect(line).not.toMatch(/Idempotency-Key|If-Match|ETag|X-Change-Reason|Approval-Id|Retry-After|Content-Type/);
      const bare = line.split(/[^\w.]+/).filter((word) => NAMES.has(word) && !ORDINARY.test(word));
      expect(bare.filter((word) => !line.includes(`--${word}`))).toEqual([]);
      if (tool === 'console') {
        expect([line.includes('fleetgate'), words.command]).toEqual([false, null]);
        expect(line.split(/[^\w.]+/).filter((word) => CODE_NAMES.has(word.replace(/\.$/, '')))).toEqual([]);
        expect(words.detail ?? words.link).not.toBeNull();
      }
      for (const command of commandsOf(words)) expect([command, await problemOf(command)]).toEqual([command, null]);
    }
  });
});

/** A command stands at the end, or in brackets. */
function commandsOf({ detail, command }: ProblemWords): string[][] {
  expect(detail ?? '').not.toContain('fleetgate ');
  const text = command ?? '';
  const lines = [...text.matchAll(/\((fleetgate [^)]*)\)|(?<=: )(fleetgate .*)$/g)].map(
    ([, inside, end]) => inside ?? end,
  );
  return fleetgateLines(lines.join('\n').replaceAll(/[<>]/g, ''));
}

it.each<readonly [ErrorCode, Facts, cli: string, console: string]>([
  [
    'invalid_selector',
    FACTS.invalid_selector!,
    'The selector is not valid. At "tagg": no such field. Did you mean "tag"?',
    'The selector is not valid. At "tagg": no such field. Did you mean "tag"?',
  ],
  [
    'invalid_selector',
    { position: 6, expected: 'state is one of new, online, offline', near: 'onlin & tag:a' },
    'The selector is not valid. At "onlin": no such state. Did you mean "online"?',
    'The selector is not valid. At "onlin": no such state. Did you mean "online"?',
  ],
  [
    'invalid_selector',
    { position: 6, expected: 'trust is one of pin, ca, insecure', near: 'blind' },
    'The selector is not valid. At "blind": no such trust. There are pin, ca, insecure.',
    'The selector is not valid. At "blind": no such trust. There are pin, ca, insecure.',
  ],
  [
    'invalid_selector',
    { position: 10, expected: ')', near: '' },
    'The selector is not valid. Expected at its end: ).',
    'The selector is not valid. Expected at its end: ).',
  ],
  [
    'forbidden',
    { permission: 'job.start', device: 'pump 1' },
    "You need job.start on pump 1. Ask an administrator for it. Which rule decides: fleetgate device explain --action job.start --device 'pump 1'",
    'You need “start jobs” on pump 1. Ask an administrator for it. [Who can give it?]',
  ],
  [
    'locked',
    { lock: ID, locked: 'writes', reason: 'maintenance at the plant', since: AT, until: null, by: 'Ada' },
    `Locked by Ada: maintenance at the plant. It has no end. Lift it: fleetgate lock lift ${ID}`,
    'Frozen by Ada, 3 min ago: maintenance at the plant. It has no end. [Open the lock]',
  ],
  [
    'locked',
    { lock: ID, locked: 'device', reason: 'repair', until: null, by: 'Ada' },
    `Locked by Ada: repair. It has no end. Lift it: fleetgate lock lift ${ID}`,
    'Locked by Ada: repair. It has no end. [Open the lock]',
  ],
  [
    'route_not_found',
    { prefix: '/fleet' },
    'There is no such address. The request came with /fleet before its address: the proxy in front must take it off, or PUBLIC_URL of the gateway must have it. Compare fleetgate --version with the gateway: fleetgate system show',
    'There is no such address. The request came with /fleet before its address: the proxy in front must take it off, or PUBLIC_URL of the gateway must have it. Reload the page: the gateway may be of another version now.',
  ],
  ['job_not_found', {}, 'There is no such job. See: fleetgate job list', 'There is no such job. [Open Jobs]'],
  [
    'rollout_wrong_state',
    { state: 'running', possibleIn: ['paused', 'draft'] },
    'This is not possible while it is running. It is possible when it is one of: paused, draft.',
    'This is not possible while it is running. It is possible when it is one of: paused, draft.',
  ],
  [
    'device_refused',
    { deviceErrors: DEVICE_ERRORS },
    'The device refused the request. It says: Invalid options.',
    'The device refused the request. It says: Invalid options.',
  ],
  [
    'device_refused',
    { deviceErrors: DEVICE_ERRORS, demand: 'its password has expired (code 124)' },
    'The device does nothing else now: its password has expired (code 124). Set a new password on the device itself, then store it at the gateway. Store it: fleetgate device credentials <device> --username <name>',
    'The device does nothing else now: its password has expired (code 124). Set a new password on the device itself, then store it at the gateway. Correct the login of the device.',
  ],
  [
    'device_trust_changed',
    { pinned: 'sha256/A', offered: 'sha256/B' },
    'The device shows another certificate than before. It was sha256/A. It is sha256/B. Compare it on the device. If the hardware was replaced, replace the device (fleetgate device replace <device>); otherwise accept its key: fleetgate device trust <device> --mode pin --pin sha256/B',
    'The device shows another certificate than before. It was sha256/A. It is sha256/B. Compare it on the device. If the hardware was replaced, choose Replace hardware at the device; otherwise accept its key there, under Certificates. [Open Certificates]',
  ],
  [
    'cross_site_refused',
    {},
    'A page of another site sent this request with the session of a signed-in person. Send it from a page of the gateway itself. The header Origin of a write with the cookie is the scheme and host of PUBLIC_URL, without a path. Programs use an API key.',
    'A page of another site sent this request with the session of a signed-in person. Send it from a page of the gateway itself. The header Origin of a write with the cookie is the scheme and host of PUBLIC_URL, without a path. Programs use an API key.',
  ],
  [
    'body_too_large',
    { limitBytes: 67_108_864 },
    'The body is too large. Send at most 64 MiB.',
    'The body is too large. Send at most 64 MiB.',
  ],
  [
    'base_url_refused',
    { reason: 'it has a path' },
    'A device cannot have this base URL: it has a path. Give only https://host[:port] of the device.',
    'A device cannot have this base URL: it has a path. Give only https://host[:port] of the device.',
  ],
  [
    'internal_error',
    {},
    `The gateway had an internal error. Try again. If it fails again, find ${ID} in the log of the gateway.`,
    `The gateway had an internal error. Try again. If it fails again, find ${ID} in the log of the gateway. [Open System]`,
  ],
])('says %s with %j', (code, facts, cli, console) => {
  expect(lineOf(told(code, facts, 'cli'))).toBe(cli);
  expect(lineOf(told(code, facts, 'console'))).toBe(console);
});

it('leads to screens that there are, with what is asked', () => {
  const navigation = readFileSync('console/src/shell/navigation.ts', 'utf8');
  const screens = new Map(
    [...navigation.matchAll(/to: '([^']+)',\s+title: '([^']+)'/g)].map(([, to, title]) => [title, to]),
  );
  expect(Object.entries(SCREEN_PATHS).filter(([title, to]) => screens.get(title) !== to)).toEqual([]);
  const tabs = readFileSync('console/src/screens/access/access.tsx', 'utf8');
  const paths = new Set([...screens.values(), '/sign-in']);
  for (const { to, needs } of Object.values(LINKS)) {
    const [, path, tab] = /^(\/[\w-]+)(?:\?tab=(\w+))?/.exec(to)!;
    expect([to, paths.has(path)]).toEqual([to, true]);
    if (tab) expect(tabs).toMatch(new RegExp(`key: '${tab}'|tab === '${tab}'`));
    if (needs) expect(PERMISSIONS).toHaveProperty([needs]);
  }
  const facts = { permission: 'job.start', device: 'pump 1&2' };
  expect(told('forbidden', facts, 'console').link?.to).toBe(
    '/access?tab=explain&operator=everyone&action=job.start&device=pump%201%262',
  );
  expect(told('forbidden', {}, 'console').link).toBeNull();
});

it.each([
  ['/body/tags/0', 'Tags, number 1'],
  ['/body/newPassword', 'New password'],
  ['/body/baseUrl', 'Base URL'],
  ['/body/waves/2/failureShare', 'Waves, number 3, failure share'],
  ['/body', 'The body'],
  ['', 'The request'],
])('says the field %s as %s', (pointer, text) => expect(fieldText(pointer)).toBe(text));

it('takes what an unknown or hostile server says, without its marks and addresses, and bounded', () => {
  const problem = { limit: 7, reason: `x\`${'y'.repeat(10_000)}`, list: Array.from({ length: 10_000 }, (_, at) => at) };
  const detail = `Use at most \`limit\`. GET /v2/things lists them. Look at \`list\`. ${'`a` '.repeat(100_000)}`;
  for (const tool of TOOLS) {
    const { title, detail: advice } = wordsOf({ code: 'toString', title: 'No `such` thing', detail, problem }, tool);
    expect(title.length).toBeLessThan(400);
    expect(title).toMatch(/^No such thing: xyy/);
    expect(advice).toMatch(/^Use at most 7\. Look at 0, 1, 2, .*and 9990 more\.$/);
  }
});

it.each([
  ['/body/tags/0', 'tags.0'],
  ['/query/limit', 'limit'],
  ['/header/last-event-id', 'last-event-id'],
  ['/body', 'the body'],
  ['', 'the '],
])('names the field %s as %s', (pointer, name) => expect(fieldName(pointer).trim()).toBe(name.trim()));

it.each([
  ['tagg', 'tag'],
  ['naem', 'name'],
  ['Site', 'site'],
  ['firmwear', 'firmware'],
  ['sne', null],
  ['x', null],
  ['', null],
  ['pump', null],
])('of tag, site, name, firmware, seen, %j may mean %j', (written, meant) => {
  expect(nearestOf(written, ['tag', 'site', 'name', 'firmware', 'seen'])).toBe(meant);
});
