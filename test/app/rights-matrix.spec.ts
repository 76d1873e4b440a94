import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { ROLES } from '../../src/auth/rights/permissions.js';
import { buildDocument } from '../../src/openapi/openapi.js';
import { expectGolden, readGolden } from '../support/source/golden.js';
import { inlined } from '../support/source/inlined.js';
import { casesOf, isNightlyForm } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson } from '../support/people.js';
import { until } from '../support/until.js';

/*
 * Every operation of the document × everybody × an object in their scope, one out of it, and one that is not there. Each
 * cell is a request to a running gateway. The golden file is what the gateway promises: a new route breaks it, and whoever
 * adds one reads what it lets whom do.
 */

const UNKNOWN = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

const GOLDEN = 'rights-matrix.txt';

/** Who is asked. The short form asks the first and the last, the long one four of them, and they take the cells of the others from the golden file. */
const ASKED = casesOf(['narrow', 'key', 'nobody', ...ROLES], 2, 4);

/** Of an administrator, whose rights know no scope, the short and the long form ask about one place. */
const ASKED_OF_ALL = isNightlyForm ? null : ASKED.at(-1);

/** The places of an object, in the order of a cell. */
type Place = 'own' | 'foreign' | 'unknown';
const PLACES: readonly Place[] = ['own', 'foreign', 'unknown'];

/** Operations that are not asked, and why. */
const SKIPPED: Readonly<Record<string, string>> = {};

/** What is sent so that a request is judged and then comes to nothing; absent: an empty object. */
const BODIES: Readonly<Record<string, object>> = {
  'PATCH /v1/devices/{ref}': { tags: ['x'] },
  'PUT /v1/devices/{ref}/credentials': { username: 'admin', password: 'Secret-123' },
  'PUT /v1/devices/{ref}/credentials/read': { username: 'admin', password: 'Secret-123' },
  'PUT /v1/devices/{ref}/trust': { mode: 'pin' },
  'POST /v1/devices/{ref}/jobs': { kind: 'no_such_kind' },
};

let world: TestGateway;
let db: pg.Client;
interface DeclaredOperation {
  readonly responses?: unknown;
  readonly parameters?: readonly { readonly name: string }[];
  readonly 'x-permission'?: string;
}
interface GuardedRoute {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  /** Whether it has a header If-Match; a change without one refuses every tag before it looks at the object. */
  readonly hasIfMatch: boolean;
}

let operations: GuardedRoute[];
let keys: Record<string, string | null>;
/** By the name of a parameter, its value in each place; a function makes a new object for each request. */
let values: Record<string, Record<Place, string | (() => Promise<string>)>>;

beforeAll(async () => {
  // No worker: jobs stay as they are. No limits: a matrix is many requests.
  world = await startTestGateway({ ROLE: 'api', RATE_LIMIT_KEY: '100000000', RATE_LIMIT_OPERATOR: '100000000' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  const document = inlined(buildDocument(world.gateway.app));
  operations = Object.entries(document.paths)
    .flatMap(([path, item]) =>
      Object.entries(item as Record<string, DeclaredOperation>)
        .filter(([, operation]) => operation.responses !== undefined)
        .map(([method, operation]) => ({
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          permission: operation['x-permission'] ?? '',
          hasIfMatch: operation.parameters?.some(({ name }) => name === 'If-Match') ?? false,
        })),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  await makeObjects();
  await makePeople();
});
afterAll(async () => {
  await db.end();
  await world.close();
});

async function makePeople(): Promise<void> {
  keys = {};
  for (const role of ROLES) {
    keys[role] = ASKED.includes(role) ? (await addPerson(world, `the ${role} of the matrix`, [{ role }])).key : null;
  }
  const narrow = await addPerson(world, 'narrow', [{ role: 'operator', selector: 'site:own' }]);
  keys['narrow'] = narrow.key;
  const administrator = await addPerson(world, 'scoped', [{ role: 'administrator' }]);
  const scope = { permissions: ['device.*', 'job.read'], selector: 'site:own' };
  keys['key'] = (await addKey(world, administrator.operatorId, scope)).key;
  keys['nobody'] = null;
}

/** Devices at an address where nothing listens, and what belongs to them. */
async function makeObjects(): Promise<void> {
  const device = async (site: string, port: number) =>
    (await world.api.post<{ id: string }>('/v1/devices', {
        name: site, site, baseUrl: `https://127.0.0.1:${port}`, credentials: { username: 'admin', password: 'x' },
      })) // prettier-ignore
    .id;
  const [own, foreign] = [await device('own', 1), await device('foreign', 2)];
  const job = async (id: string) =>
    (await world.api.post<{ id: string }>(`/v1/devices/${id}/jobs`, { kind: 'backup' })).id;
  const entry = async (id: string) =>
    (await world.api.get<{ items: { id: string }[] }>(`/v1/audit?deviceId=${id}&limit=1`)).items[0]!.id;
  const selector = async (site: string) => {
    await world.api.send('PUT', `/v1/selectors/${site}`, { selector: `site:${site}` });
    return site;
  };
  await world.api.send('PUT', '/v1/roles/own', { rules: [] });
  const { id: operatorId } = await world.api.post<{ id: string }>('/v1/operators', { name: 'object', role: 'viewer' });
  const key = async () => (await world.api.post<{ id: string }>('/v1/api-keys', { operatorId, name: 'object' })).id;
  const lock = async () =>
    (await world.api.post<{ id: string }>('/v1/locks', { kind: 'key', target: await key(), reason: 'x' })).id;
  const fanOut = async (site: string) => {
    const request = { method: 'GET', path: '/api/system/device/status' };
    const { id } = await world.api.post<{ id: string }>('/v1/fan-outs', { selector: `site:${site}`, request });
    await until(async () => (await world.api.get<{ state: string }>(`/v1/fan-outs/${id}`)).state === 'ended');
    await db.query('update fan_out_device set digest = $2 where fan_out_id = $1', [id, 'a'.repeat(64)]);
    return id;
  };
  const both = (value: string | (() => Promise<string>)) => ({ own: value, foreign: value, unknown: UNKNOWN });
  const nothing = both(UNKNOWN);
  values = {
    ref: { own, foreign, unknown: UNKNOWN },
    deviceId: { own, foreign, unknown: UNKNOWN },
    jobId: { own: await job(own), foreign: await job(foreign), unknown: UNKNOWN },
    artifactId: { own: () => artifact(own), foreign: () => artifact(foreign), unknown: UNKNOWN },
    entryId: { own: await entry(own), foreign: await entry(foreign), unknown: UNKNOWN },
    'selectors/name': { own: await selector('own'), foreign: await selector('foreign'), unknown: 'nothing' },
    'roles/name': { own: 'own', foreign: 'own', unknown: 'nothing' },
    fanOutId: { own: await fanOut('own'), foreign: await fanOut('foreign'), unknown: UNKNOWN },
    digest: { own: 'a'.repeat(64), foreign: 'a'.repeat(64), unknown: 'a'.repeat(64) },
    operatorId: both(operatorId),
    keyId: both(key),
    lockId: both(lock),
    path: { own: 'system/device/status', foreign: 'system/device/status', unknown: 'system/device/status' },
    // Of these there is none here: what is shown is who is turned away before anything is looked for.
    approvalId: nothing,
    importId: nothing,
    discoveryId: nothing,
    sessionId: nothing,
    rolloutId: nothing,
    scheduleId: nothing,
    valueId: nothing,
    policyId: nothing,
    monitoringPolicyId: nothing,
    ruleId: nothing,
    watchName: nothing,
    templateName: { own: () => template(own), foreign: () => template(foreign), unknown: 'nothing' },
    number: { own: '1', foreign: '1', unknown: '1' },
    ignoredId: { own: () => ignored(own), foreign: () => ignored(foreign), unknown: UNKNOWN },
    alertId: { own: await alert(own), foreign: await alert(foreign), unknown: UNKNOWN },
    muteId: nothing,
    webhookId: nothing,
    deliveryId: nothing,
    key: { own: 'nothing', foreign: 'nothing', unknown: 'nothing' },
    ordinal: { own: '1', foreign: '1', unknown: '1' },
    level: { own: '0', foreign: '0', unknown: '0' },
  };
}

/** The template that was made last: its name comes first in an address. */
let lastTemplate = '';

async function ignored(deviceId: string): Promise<string> {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const option = { path: '/api/ntp/servers/config', key: { hostname: lastTemplate }, option: 'enabled' };
  const body = { ...option, selector: `id:${deviceId}`, until, reason: 'it is an object' };
  return (await world.api.post<{ id: string }>(`/v1/templates/${lastTemplate}/ignored`, body)).id;
}

async function template(deviceId: string): Promise<string> {
  const name = (lastTemplate = randomUUID());
  const items = [{ path: '/api/ntp/servers/config', key: { hostname: name }, options: { enabled: '1' } }];
  await world.api.post('/v1/templates', { name, selector: `id:${deviceId}`, items });
  await world.api.post(`/v1/templates/${name}/publish`, { reason: 'it is an object' });
  return name;
}

async function artifact(deviceId: string): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into artifact (id, kind, name, sha256, bytes, device_id, created_at)
     values ($1, 'backup', 'backup.tar.gz', $2, 1, $3, now())`,
    [id, 'a'.repeat(64), deviceId],
  );
  return id;
}

/** An open alert of a device, of a rule of its own. */
async function alert(deviceId: string): Promise<string> {
  const rule = randomUUID();
  await db.query(
    `insert into alert_rule (id, name, selector, for_seconds, clear_after_seconds, severity, enabled, created_by,
                             created_by_name, created_at, version)
     values ($1, $2, 'all', 0, 0, 'info', false, 'session:x', 'x', now(), 1)`,
    [rule, rule],
  );
  const id = randomUUID();
  await db.query(
    `insert into alert (id, rule_id, device_id, state, matched_at, opened_at) values ($1, $2, $3, 'open', now(), now())`,
    [id, rule, deviceId],
  );
  return id;
}

/** The names of the parameters of a path; a name that means several things has the collection before it. */
function parametersOf(path: string): { readonly name: string; readonly known: string }[] {
  return [...path.matchAll(/([\w-]*)\/\{(\w+)\}/g)].map(([, collection, name]) => ({
    name: name!,
    known: values[name!] ? name! : `${collection}/${name}`,
  }));
}

/** Whether the object of an operation can be in the scope of one and not of another. */
const isScoped = (path: string) => parametersOf(path).some(({ name }) => name !== 'path' && name !== 'level');

/** What a route needs in its query before it judges rights. */
const QUERIES: Readonly<Record<string, string>> = { 'GET /v1/devices/{ref}/sample/history': '?metric=rsrp' };

interface Cell {
  readonly letter: string;
  /** What was answered, without what is of this request alone. */
  readonly said: string;
}

async function ask({ name, method, path, hasIfMatch }: GuardedRoute, key: string | null, place: Place): Promise<Cell> {
  let url = path;
  for (const { name: parameter, known } of parametersOf(path)) {
    const value = values[known]?.[place];
    if (value === undefined) throw new Error(`Say in \`values\` what {${parameter}} of ${name} is`);
    url = url.replace(`{${parameter}}`, typeof value === 'function' ? await value() : value);
  }
  const gone = new AbortController();
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const answer = await fetch(world.url + url + (QUERIES[name] ?? ''), {
    method,
    redirect: 'manual',
    signal: gone.signal,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(hasIfMatch ? { 'if-match': '"999999"' } : {}), // so that changes come to nothing after they were judged
      'idempotency-key': randomUUID(),
    },
    ...(hasBody ? { body: JSON.stringify(BODIES[name] ?? {}) } : {}),
  });
  const isProblem = answer.status >= 400;
  const text = isProblem ? await answer.text() : '';
  gone.abort(); // a stream of events has no end
  return { letter: letterOf(answer.status, text), said: text.replace(/"requestId":"[^"]*"/, '') };
}

function letterOf(status: number, text: string): string {
  if (status === 401) return 'U';
  if (status === 403 && text.includes('step_up_required')) return 'S';
  if (status === 403 && /"(code|section)":"forbidden"/.test(text)) return 'F';
  if (status === 403 && text === '') return 'F'; // an answer to HEAD has no body
  if (status === 404) return 'N';
  if (status === 429 || status === 423) throw new Error(`A limit or a lock was met: ${text}`);
  return 'A';
}

/** The cells of the golden file, by operation. */
function knownCells(): Map<string, string[]> {
  const lines = readGolden(GOLDEN).split('\n');
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(': ');
      return [line.slice(0, end), line.slice(end + 2).split(' ')];
    }),
  );
}

describe('the matrix of rights', () => {
  it('has what every operation answers to everybody about own, foreign and unknown objects', async () => {
    const names = Object.keys(keys);
    const lines = [
      '# A: judged and let through; F: 403 forbidden; S: 403 step_up_required; N: 404; U: 401',
      '# Three letters: an object in the scope of `narrow` and `key`, one out of it, one that is not there',
      `# ${names.join(' ')}`,
      ...Object.entries(SKIPPED).map(([name, why]) => `# not asked: ${name}: ${why}`),
    ];
    const told: string[] = [];
    const known = knownCells();
    for (const operation of operations) {
      if (operation.name in SKIPPED) continue;
      if (operation.permission === 'anonymous') {
        lines.push(`${operation.name}: open`);
        continue;
      }
      const places = isScoped(operation.path) ? PLACES : (['own'] as const);
      const cells: string[] = [];
      for (const [column, name] of names.entries()) {
        if (!ASKED.includes(name)) {
          cells.push(known.get(operation.name)?.[column] ?? '?');
          continue;
        }
        const asked: Cell[] = [];
        const wanted = name === ASKED_OF_ALL ? places.slice(0, 1) : places;
        for (const place of wanted) asked.push(await ask(operation, keys[name]!, place));
        const notAsked = places.map((_, at) => known.get(operation.name)?.[column]?.[at] ?? '?').slice(wanted.length);
        cells.push([...asked.map(({ letter }) => letter), ...notAsked].join(''));
        const [, foreign, unknown] = asked;
        if (foreign?.letter === 'N' && foreign.said !== unknown?.said) told.push(`${operation.name} as ${name}`);
      }
      lines.push(`${operation.name}: ${cells.join(' ')}`);
    }
    expect(told).toEqual([]); // what is out of scope is not there, in the same words
    expectGolden(GOLDEN, `${lines.join('\n')}\n`);
  }, 600_000);

  it('leaves out nothing that the document does not have', () => {
    const known = new Set(operations.map(({ name }) => name));
    for (const name of [...Object.keys(SKIPPED), ...Object.keys(BODIES), ...Object.keys(QUERIES)])
      expect([name, known.has(name)]).toEqual([name, true]);
  });
});
