import { expect, it } from 'vitest';
import { type components } from '../../../../src/api-client/openapi.js';
import { askedOf, partedFacts } from '../../../../console/src/screens/audit/entry/entry-parts.js';
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
    { name: 'Server 1 › Host name', value: 'pool.ntp.org' },
  ]);
  expect(askedOf('POST /api/system/actions/reboot', { data: { force: '1' } })).toEqual([]);
});

it('keeps sizes, fingerprints and statuses for machines', () => {
  const facts = { deviceCodes: [122], deviceStatus: 422, answer: { bytes: 42, ms: 44 } };
  const { people, machines } = partedFacts(facts);
  expect(people).toEqual({ deviceCodes: [122] });
  expect(factLines(machines)).toEqual([
    ['HTTP status', '422'],
    ['Answer', '42 B, 44 ms'],
  ]);
});
