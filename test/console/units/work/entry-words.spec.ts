import { expect, it } from 'vitest';
import { type components } from '../../../../src/api-client/openapi.js';
import { askedOf, partedFacts } from '../../../../console/src/screens/audit/entry/entry-parts.js';
import { fieldChanges, fieldValue, recordOf } from '../../../../console/src/screens/audit/entry/field-words.js';
import { actOf } from '../../../../console/src/screens/audit/entry-act.js';
import { menuPlace } from '../../../../console/src/screens/observed/path-words.js';
import { factLines } from '../../../../console/src/screens/jobs/timeline/fact-words.js';

/* An audit entry in words: what a call set, and what the gateway refused. */

const refused = (subject: string) =>
  actOf({ action: 'request.refuse', outcome: 'refused', subject } as components['schemas']['AuditEntry']);

it.each([
  ['GET /v1/self', 'Asked who they are signed in as'],
  ['GET /v1/devices/:ref/jobs', 'Asked for “Devices › Jobs”'],
  ['POST /v1/rollouts', 'Tried to change “Rollouts”'],
  ['several', 'Was refused'],
])('a refused %s is “%s”', (subject, text) => expect(refused(subject)).toBe(text));

it.each([
  ['/api/firewall/zones/config/2', 'Network › Firewall'],
  ['/api/system/actions/reboot', 'System'],
  ['/api/unheard/of', null],
])('a call of %s belongs to the menu %s', (path, place) => {
  const said = menuPlace(path);
  if (place === null) expect(said).toBeNull();
  else expect(said?.startsWith(place)).toBe(true);
});

it('says option by option what a write set', () => {
  const subject = 'PUT /api/ntp/servers/config/1';
  expect(askedOf(subject, { data: { hostname: 'pool.ntp.org', '.type': 'server' } })).toEqual([
    { name: 'Server 1: Host name', value: 'pool.ntp.org', hint: '/api/ntp/servers/config hostname' },
  ]);
  expect(askedOf('POST /api/system/actions/reboot', { data: { force: '1' } })).toEqual([]);
});

it('names the place of an option of a record by its menu', () => {
  const [line] = askedOf('PUT /api/ntp/global', { data: { zone_name: 'Europe/Vilnius' } });
  expect(line?.name).toBe('Clock: Time zone');
});

it('says field by field what changed of a record, in the words of its form', () => {
  const before = { site: 'a', tags: ['x'], selector: 'all', fields: { plan_mb: 1 }, note: null };
  const after = { site: 'b', tags: ['x', 'y'], selector: 'tag:pump', fields: { plan_mb: 2 }, note: null };
  expect(fieldChanges(before, after).map(({ what, one, other }) => [what, one, other])).toEqual([
    ['Site', 'a', 'b'],
    ['Tags', 'x', 'x, y'],
    ['Devices', 'all devices', 'tag:pump'],
    ['Fields › plan_mb', '1', '2'],
  ]);
  const roles = [[], [{ role: 'auditor', selector: null }]].map((value) => recordOf('role.assign', value));
  expect(fieldChanges(...(roles as [unknown, unknown]))).toMatchObject([
    { what: 'Roles', one: 'none', other: 'auditor' },
  ]);
  expect(fieldChanges(null, { enabled: true })).toMatchObject([{ what: 'Switched on', one: '–', other: 'yes' }]);
  expect(fieldChanges(before, before)).toEqual([]);
});

it('says of a key that is not narrowed that it may all, and not nothing', () => {
  expect(fieldValue('allowedAddresses', [])).toBe('any address');
  expect(fieldValue('allowedAddresses', ['10.0.0.0/8'])).toBe('10.0.0.0/8');
  expect(fieldValue('scope', null)).toBe('all that the person may');
  expect(fieldValue('scope', { permissions: ['job.start'], selector: 'tag:lt' })).toBe('start jobs, on tag:lt');
  expect(fieldValue('expiresAt', null)).toBe('never');
  expect(fieldValue('tags', [])).toBe('none');
});

it.each([
  ['everySeconds', 86_400, 'Every day'],
  ['paths', ['/api/users/groups/config'], 'System › Groups'],
  ['rules', [{ effect: 'deny', permissions: ['job.start'], selector: 'tag:lt', devices: null }], 'May not start jobs on tag:lt'],
  ['roles', [{ role: 'auditor', selector: null }], 'auditor'],
  ['trust', 'pin', 'its own certificate'],
  ['tags', [], 'none'],
  ['note', null, '–'],
])('a field %s with %j is %s', (name, value, text) => expect(fieldValue(name, value)).toBe(text)); // prettier-ignore

it('keeps sizes, fingerprints and statuses for machines', () => {
  const facts = { deviceCodes: [122], deviceStatus: 422, answer: { bytes: 42, ms: 44 } };
  const { people, machines } = partedFacts(facts);
  expect(people).toEqual({ deviceCodes: [122] });
  expect(factLines(machines)).toEqual([
    ['HTTP status', '422'],
    ['Answer', '42 B, 44 ms'],
  ]);
});
