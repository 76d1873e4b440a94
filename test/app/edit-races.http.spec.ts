import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDocument } from '../../src/openapi/openapi.js';
import { casesOf, sizeOf } from '../support/forms.js';
import { inlined } from '../support/source/inlined.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* Every route that takes If-Match, as the document says: of editors that have read the same version, one wins. */

const EDITORS = sizeOf({ short: 4, long: 4, nightly: 8 });
const ROUNDS = sizeOf({ short: 1, long: 2, nightly: 3 });

/** None of them is the tag of a version. The short form sends the others than the first to one route alone. */
const OTHER_TAGS = ['"0"', '"false"', 'W/"1"', '1', ''];

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** An edit of a resource: the path that changes it and the one that reads it, where that is another. */
interface EditedResource {
  readonly path: string;
  readonly read?: string;
  /** The body, another one for each number. */
  readonly edit?: (number: number) => object;
  /** Whether it is over when one has won: the next round needs another resource. */
  readonly isOnce?: boolean;
}

/** Makes a resource. */
type Recipe = () => Promise<EditedResource>;

let world: TestGateway;
let edits: string[];

const made = async (path: string, body: object) => (await world.api.post<{ id: string }>(path, body)).id;
const device = async () => {
  const name = `device-${randomUUID()}`;
  return `/v1/devices/${await made('/v1/devices', { name, baseUrl: `https://${name}.example` })}`;
};
const operator = () => made('/v1/operators', { name: `operator ${randomUUID()}`, role: 'viewer' });
const role = async () => {
  const path = `/v1/roles/role-${randomUUID()}`;
  await world.api.send('PUT', path, { description: 'first', rules: [] });
  return path;
};
const selector = async () => {
  const path = `/v1/selectors/selector-${randomUUID()}`;
  await world.api.send('PUT', path, { selector: 'all', description: 'first' });
  return path;
};

const field = async () => {
  const path = `/v1/fields/f${randomUUID().replaceAll('-', '')}`;
  await world.api.send('PUT', path, { type: 'text', description: 'first' });
  return path;
};

const RECIPES: Readonly<Record<string, Recipe>> = {
  'PATCH /v1/devices/{ref}': async () => ({ path: await device(), edit: (number) => ({ site: `site-${number}` }) }),
  'POST /v1/devices/{ref}/replace': async () => {
    const read = await device();
    return { path: `${read}/replace`, read, edit: () => ({ serial: randomUUID() }) };
  },
  'DELETE /v1/devices/{ref}': async () => ({ path: await device() }),
  'PATCH /v1/operators/{operatorId}': async () => {
    const id = await operator();
    return { path: `/v1/operators/${id}`, edit: (number) => ({ name: `${id} ${number}` }) };
  },
  'PUT /v1/operators/{operatorId}/roles': async () => ({
    path: `/v1/operators/${await operator()}/roles`,
    edit: (number) => ({ roles: [{ role: 'viewer', selector: `site:site-${number}` }] }),
  }),
  'PUT /v1/roles/{name}': async () => ({
    path: await role(),
    edit: (number) => ({ description: `edit ${number}`, rules: [] }),
  }),
  'DELETE /v1/roles/{name}': async () => ({ path: await role() }),
  'PUT /v1/selectors/{name}': async () => ({
    path: await selector(),
    edit: (number) => ({ selector: 'all', description: `edit ${number}` }),
  }),
  'PUT /v1/fields/{key}': async () => ({
    path: await field(),
    edit: (number) => ({ type: 'text', description: `edit ${number}` }),
  }),
  'DELETE /v1/fields/{key}': async () => ({ path: await field() }),
  'DELETE /v1/selectors/{name}': async () => ({ path: await selector() }),
  'PUT /v1/webhooks/{webhookId}': async () => {
    const body = { name: randomUUID(), url: 'https://hooks.example/in', types: ['job.*'], enabled: false };
    const path = `/v1/webhooks/${await made('/v1/webhooks', body)}`;
    return { path, edit: (number) => ({ ...body, url: `https://hooks.example/${number}` }) };
  },
  'PUT /v1/schedules/{scheduleId}': async () => {
    const rollout = { name: 'edit', kind: 'reboot', selector: 'all', policy: { waves: [{ take: 'rest' }] } };
    const body = { name: randomUUID(), rhythm: { everySeconds: 3_600 }, rollout, enabled: false };
    const path = `/v1/schedules/${await made('/v1/schedules', body)}`;
    return { path, edit: (number) => ({ ...body, rhythm: { everySeconds: 3_600 + number } }) };
  },
  'PUT /v1/backups/policies/{policyId}': async () => {
    const body = { name: randomUUID(), selector: 'all', rhythm: { everySeconds: 3_600 }, enabled: false };
    const path = `/v1/backups/policies/${await made('/v1/backups/policies', body)}`;
    return { path, edit: (number) => ({ ...body, keepCount: number + 1 }) };
  },
  'PUT /v1/monitoring/policies/{monitoringPolicyId}': async () => {
    const body = { name: randomUUID(), selector: 'all', enabled: false };
    const path = `/v1/monitoring/policies/${await made('/v1/monitoring/policies', body)}`;
    return { path, edit: (number) => ({ ...body, budgetMb: number + 1 }) };
  },
  'PUT /v1/monitoring/rules/{ruleId}': async () => {
    const body = { name: randomUUID(), selector: 'all', enabled: false };
    const path = `/v1/monitoring/rules/${await made('/v1/monitoring/rules', body)}`;
    return { path, edit: (number) => ({ ...body, note: `edit ${number}` }) };
  },
  'PUT /v1/watches/{watchName}': async () => {
    const body = { name: randomUUID(), selector: 'all', paths: ['/api/dhcp/servers/ipv4/config'], enabled: false };
    await made('/v1/watches', body);
    return { path: `/v1/watches/${body.name}`, edit: (number) => ({ ...body, everySeconds: 3_600 + number }) };
  },
  'PUT /v1/templates/{templateName}': async () => {
    const item = { path: '/api/ntp/servers/config', key: { hostname: 'a.example' }, options: { enabled: '1' } };
    const body = { name: randomUUID(), selector: 'all', items: [item] };
    await made('/v1/templates', body);
    const edit = (number: number) => ({ ...body, items: [{ ...item, options: { note: `edit ${number}` } }] });
    return { path: `/v1/templates/${body.name}`, edit };
  },
  'POST /v1/templates/{templateName}/publish': async () => {
    const name = randomUUID();
    const item = { path: '/api/ntp/servers/config', key: { hostname: `${name}.example` }, options: { enabled: '1' } };
    await made('/v1/templates', { name, selector: 'all', items: [item] });
    const read = `/v1/templates/${name}`;
    return { path: `${read}/publish`, read, edit: () => ({ reason: 'a race' }), isOnce: true };
  },
};

/** The tag is read in one place for all routes. */
const FULLY_TRIED = 'PATCH /v1/devices/{ref}';

/** What can be edited here can be removed, too. */
const REMOVED: Readonly<Record<string, Recipe>> = Object.fromEntries(
  [
    'webhooks/{webhookId}',
    'schedules/{scheduleId}',
    'backups/policies/{policyId}',
    'monitoring/policies/{monitoringPolicyId}',
    'monitoring/rules/{ruleId}',
    'watches/{watchName}',
    'templates/{templateName}',
  ].map((path) => [`DELETE /v1/${path}`, async () => ({ path: (await RECIPES[`PUT /v1/${path}`]!()).path })]),
);

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', DATABASE_POOL_SIZE: '16' });
  const document = inlined(buildDocument(world.gateway.app)) as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };
  edits = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.parameters?.some(({ name }) => name.toLowerCase() === 'if-match'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
});
afterAll(() => world.close());

const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.keys.administrator}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function race(method: string, { path, read = path, edit }: EditedResource, from: number) {
  const etag = (await call('GET', read, {})).headers.get('etag')!;
  const answers = await Promise.all(
    Array.from({ length: EDITORS }, (_, index) => call(method, path, { 'if-match': etag }, edit?.(from + index))),
  );
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}

it('is known of every route that takes If-Match how it is edited', () => {
  expect(edits.toSorted()).toEqual(Object.keys({ ...RECIPES, ...REMOVED }).toSorted());
});

it.each(Object.entries({ ...RECIPES, ...REMOVED }))(
  '%s is refused with a tag of another version',
  async (route, recipe) => {
    const method = route.split(' ')[0]!;
    const { path, read = path, edit } = await recipe();
    const before = (await call('GET', read, {})).headers.get('etag');
    const tags = route === FULLY_TRIED ? OTHER_TAGS : casesOf(OTHER_TAGS, 1);
    for (const tag of tags) {
      expect([tag, (await call(method, path, { 'if-match': tag }, edit?.(1))).status]).toEqual([tag, 412]);
    }
    const after = await call('GET', read, {});
    expect([after.status, after.headers.get('etag')]).toEqual([200, before]);
  },
);

it('of a resource without a tag is refused with any, and goes on with *', async () => {
  const { id } = await world.api.post<{ id: string }>('/v1/api-keys', { name: 'no tag' });
  const lock = { kind: 'writes', reason: 'no tag' };
  const somewhere = randomUUID();
  const routes: [string, string, object?][] = [
    ['DELETE', `/v1/api-keys/${id}`],
    ['DELETE', `/v1/self/api-keys/${id}`],
    ['DELETE', `/v1/locks/${somewhere}`],
    ['DELETE', `/v1/artifacts/${somewhere}`],
    ['DELETE', `/v1/sealed-values/${somewhere}`],
    ['DELETE', `/v1/sessions/${somewhere}`],
    ['DELETE', `/v1/operators/${somewhere}/totp`],
    ['PUT', `/v1/devices/${somewhere}/trust`, { mode: 'insecure' }],
    ['POST', '/v1/locks', lock],
    ['POST', '/v1/operators', { name: 'no tag', role: 'viewer' }],
    ['POST', '/v1/schedules', {}],
  ];
  for (const [method, path, body] of routes) {
    const { status } = await call(method, path, { 'if-match': '"1"' }, body);
    expect([method, path, status]).toEqual([method, path, 412]);
  }
  expect((await call('DELETE', `/v1/api-keys/${id}`, { 'if-match': '*' })).status).toBe(204);
});

it.each(Object.entries({ ...RECIPES, ...REMOVED }))(
  '%s lets one of several editors of a version win',
  async (route, recipe) => {
    const method = route.split(' ')[0]!;
    const isRemoval = method === 'DELETE';
    let edited = await recipe();
    for (let round = 0; round < ROUNDS; round++) {
      if ((isRemoval || edited.isOnce) && round > 0) edited = await recipe();
      const [winner, ...losers] = await race(method, edited, 1 + round * EDITORS);
      expect([winner, losers.length]).toEqual([isRemoval ? 204 : 200, EDITORS - 1]);
      // What was removed is not there for the others.
      for (const status of losers) expect(isRemoval ? [404, 412] : [412]).toContain(status);
    }
  },
);
