import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api-client/api-error.js';
import { TestApi } from '../support/test-api.js';
import { startProxyWorld, type ProxyWorld } from '../proxy/proxy-world.js';
import { nullWhenBusy } from '../support/gateway.js';
import { until } from '../support/until.js';
import { addKey, addPerson, type Person } from '../support/people.js';

/* Rights through HTTP: two devices, of which one is in the scope of a person and the other is not. */

let world: ProxyWorld;
let inner: string;
let outer: string;
let narrow: Person;
/** Makes names of its own for a test that is tried again. */
let count = 0;

const UNKNOWN = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const WIREGUARD = '/api/wireguard/config';

beforeAll(async () => {
  world = await startProxyWorld({ devices: 2, profile: 'rutos', timeScale: 200 }, { ROLE: 'all' });
  [inner, outer] = world.ids as [string, string];
  const { api } = world.world;
  await api.send('PATCH', `/v1/devices/${inner}`, { site: 'vilnius/1', tags: ['pump'] });
  await api.send('PATCH', `/v1/devices/${outer}`, { site: 'kaunas/1', tags: ['gate'] });
  narrow = await addPerson(world.world, 'Nora', [{ role: 'operator', selector: 'site:vilnius/*' }]);
});
afterAll(() => world.close());

/** The problem that a request ends with, without what is its own. */
async function refusal(request: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  const { requestId: _requestId, ...problem } = (error as ApiError).problem;
  return problem;
}

/** The lines of a fan-out. */
async function fanOut(api: TestApi, body: object, headers: Record<string, string> = {}) {
  const { body: text } = await api.send<string>('POST', '/v1/fan-out', body, headers);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('somebody whose role is narrowed to some devices', () => {
  it('finds only those in lists, exports and fan-outs', async () => {
    const { items } = await narrow.api.get<{ items: { id: string }[] }>('/v1/devices');
    expect(items.map(({ id }) => id)).toEqual([inner]);
    const { body: csv } = await narrow.api.send<string>('GET', '/v1/devices/export?format=csv&selector=all');
    expect(csv.trim().split('\n')).toHaveLength(2); // with its header
    const call = { selector: 'all', request: { method: 'GET', path: '/api/system/device/status' } };
    const lines = await fanOut(narrow.api, call);
    expect(lines.filter(({ type }) => type === 'result').map(({ deviceId }) => deviceId)).toEqual([inner]);
  });

  it('is told of others what is told of those that are not there, word for word', async () => {
    const requests: [string, string, unknown?][] = [
      ['GET', ''],
      ['GET', '/history'],
      ['GET', '/session'],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['PUT', '/credentials', { username: 'a', password: 'b' }],
      ['PUT', '/trust', { mode: 'pin' }],
      ['POST', '/session/reset'],
      ['POST', '/jobs', { kind: 'backup' }],
      ['GET', WIREGUARD],
      ['POST', WIREGUARD, { data: { id: 'x' } }],
    ];
    for (const [method, path, body] of requests) {
      const ask = (id: string) => refusal(narrow.api.send(method, `/v1/devices/${id}${path}`, body));
      const foreign = await ask(outer);
      expect([method, path, foreign]).toEqual([method, path, await ask(UNKNOWN)]);
      expect(foreign).toMatchObject({ status: 404, code: 'device_not_found' });
    }
    expect(world.fleet.devices[1]!.name).toBeDefined();
  });

  it('does not find jobs, artifacts and audit entries of others', async () => {
    const { api } = world.world;
    const job = (id: string) => api.post<{ id: string }>(`/v1/devices/${id}/jobs`, { kind: 'backup' });
    const [own, foreign] = [await job(inner), await job(outer)];
    for (const { id } of [own, foreign]) {
      await until(
        async () => (await api.get<{ phase: string }>(`/v1/jobs/${id}`).catch(nullWhenBusy))?.phase === 'ended',
      );
    }
    const ids = async (path: string) =>
      (await narrow.api.get<{ items: { id: string }[] }>(path)).items.map(({ id }) => id);
    const jobs = await ids('/v1/jobs');
    expect(jobs).toContain(own.id);
    expect(jobs).not.toContain(foreign.id);
    const artifacts = (await api.get<{ items: { id: string; deviceId: string }[] }>('/v1/artifacts')).items;
    const [ownArtifact, foreignArtifact] = [inner, outer].map((id) =>
      artifacts.find(({ deviceId }) => deviceId === id)!,
    );
    const found = await ids('/v1/artifacts');
    expect(found).toContain(ownArtifact!.id);
    expect(found).not.toContain(foreignArtifact!.id);
    expect(await refusal(narrow.api.get(`/v1/jobs/${foreign.id}`))).toEqual(
      await refusal(narrow.api.get(`/v1/jobs/${UNKNOWN}`)),
    );
    expect(await refusal(narrow.api.post(`/v1/jobs/${foreign.id}/cancel`))).toMatchObject({ code: 'job_not_found' });
    for (const path of ['', '/content']) {
      expect(await refusal(narrow.api.get(`/v1/artifacts/${foreignArtifact!.id}${path}`))).toEqual(
        await refusal(narrow.api.get(`/v1/artifacts/${UNKNOWN}${path}`)),
      );
    }
    const entries = (await narrow.api.get<{ items: { deviceId: string | null }[] }>('/v1/audit?limit=1000')).items;
    expect(new Set(entries.map(({ deviceId }) => deviceId))).toEqual(new Set([inner]));
    const [entry] = (await api.get<{ items: { id: string }[] }>(`/v1/audit?deviceId=${outer}`)).items;
    expect(await refusal(narrow.api.get(`/v1/audit/${entry!.id}`))).toMatchObject({ code: 'audit_entry_not_found' });
  });

  it('sees the saved selectors that name no other devices', async () => {
    const { api } = world.world;
    for (const [name, selector] of [
      ['pumps', 'tag:pump'],
      ['gates', 'tag:gate'],
      ['both', 'tag:pump | tag:gate'],
    ]) {
      await api.send('PUT', `/v1/selectors/${name}`, { selector });
    }
    const { items } = await narrow.api.get<{ items: { name: string }[] }>('/v1/selectors');
    expect(items.map(({ name }) => name)).toEqual(['pumps']);
    expect(await refusal(narrow.api.get('/v1/selectors/gates'))).toEqual(
      await refusal(narrow.api.get('/v1/selectors/nothing')),
    );
    expect(await refusal(narrow.api.get('/v1/devices?selector=@both'))).toMatchObject({ code: 'invalid_selector' });
    expect(await refusal(narrow.api.send('PUT', '/v1/selectors/mine', { selector: 'all' }))).toMatchObject({
      code: 'forbidden',
    });
  });

  it.each([
    ['to another site', { site: 'kaunas/1' }],
    ['to no site', { site: '' }],
  ])('is told of a move %s that the device would leave what they may manage', async (_where, change) => {
    expect(await refusal(narrow.api.send('PATCH', `/v1/devices/${inner}`, change))).toMatchObject({
      code: 'forbidden',
      permission: 'device.manage',
      reason: 'after this change the device would be outside of what you may manage',
    });
  });

  it('neither takes a device out of its scope nor registers one outside of it', async () => {
    for (const change of [{ site: 'kaunas/1' }, { site: '' }]) {
      expect(await refusal(narrow.api.send('PATCH', `/v1/devices/${inner}`, change))).toMatchObject({
        code: 'forbidden',
      });
    }
    const name = `new-${++count}`;
    const at = (host: number) => `https://192.0.2.${host}:${8_000 + count}`;
    const device = { name, baseUrl: at(7), site: 'kaunas/2' };
    expect(await refusal(narrow.api.post('/v1/devices', device))).toMatchObject({ code: 'forbidden' });
    await narrow.api.post('/v1/devices', { ...device, site: 'vilnius/2' });
    const lines = `name,base_url,site\n${name}-2,${at(8)},kaunas/2\n${name}-3,${at(9)},vilnius/3\n`;
    const { body } = await importCsv(narrow.key, lines);
    expect(body).toMatchObject({ created: 1, failed: 1, errors: [{ line: 2, code: 'forbidden' }] });
    const moved = `name,base_url,site\n${name},${at(7)},kaunas/9\n`;
    expect((await importCsv(narrow.key, moved)).body).toMatchObject({ failed: 1, errors: [{ code: 'forbidden' }] });
  });

  it('lists exactly what it finds one by one, whatever its rules allow and deny', async () => {
    const { api } = world.world;
    const own = `odd${++count}`;
    await api.send('PUT', '/v1/roles/odd', {
      rules: [
        { effect: 'allow', permissions: ['device.read'], selector: `tag:${own} | site:${own}/*` },
        { effect: 'deny', permissions: ['device.*'], selector: `tag:dark & !name:${own}-4` },
      ],
    });
    const odd = await addPerson(world.world, 'Odd', [
      { role: 'odd', selector: `name:${own}-*` },
      { role: 'odd', selector: `site:${own}/x` },
    ]);
    const devices = [
      [`${own}-1`, '', [own]], [`${own}-2`, `${own}/1`, []],
      [`${own}-3`, `${own}/1`, ['dark']], [`${own}-4`, `${own}/1`, ['dark']],
      [`not-${own}-5`, `${own}/1`, [own]], [`not-${own}-6`, `${own}/x`, []],
      [`not-${own}-7`, `${own}/x`, ['dark']], [`${own}-8`, '', []],
    ] as const; // prettier-ignore
    const found: string[] = [];
    for (const [index, [name, site, tags]] of devices.entries()) {
      await api.post('/v1/devices', { name, site, tags, baseUrl: `https://192.0.2.${100 + index}:${8_000 + count}` });
      const isFound = await odd.api.get(`/v1/devices/name:${name}`).then(
        () => true,
        () => false,
      );
      if (isFound) found.push(name);
    }
    expect(found).toEqual([`${own}-1`, `${own}-2`, `${own}-4`, `not-${own}-6`]);
    const { items } = await odd.api.get<{ items: { name: string }[] }>('/v1/devices');
    expect(items.map(({ name }) => name)).toEqual(found);
  });

  it('tags what it may, and is not told of the rest', async () => {
    const tags = { selector: 'all', add: ['seen'], remove: [] };
    expect(await narrow.api.post('/v1/devices/tags', { ...tags, dryRun: true })).toMatchObject({ forbidden: 0 });
    await narrow.api.post('/v1/devices/tags', tags);
    expect((await world.world.api.get<{ tags: string[] }>(`/v1/devices/${outer}`)).tags).toEqual(['gate']);
  });

  it('has no rights about the gateway as a whole', async () => {
    for (const path of ['/v1/operators', '/v1/api-keys', '/v1/roles', '/v1/locks']) {
      expect(await refusal(narrow.api.get(path))).toMatchObject({ code: 'forbidden' });
    }
  });

  it('is at the façade before those devices alone', async () => {
    const login = (id: string) =>
      fetch(`${world.world.url}/d/${id}/api/login`, {
        method: 'POST',
        body: JSON.stringify({ username: 'x', password: narrow.key }),
      }).then((answer) => answer.status);
    expect([await login(inner), await login(outer), await login(UNKNOWN)]).toEqual([200, 404, 404]);
  });
});

/** Sends a file to the import. */
async function importCsv(key: string, csv: string) {
  const answer = await fetch(`${world.world.url}/v1/devices/import?onError=skip`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: csv,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe('a role of one’s own', () => {
  const rules = [
    { effect: 'allow', permissions: ['device.read', 'device.call_read', 'job.read'] },
    { effect: 'allow', permissions: ['device.call_write'], devices: { api: { '/wireguard/*': ['write'] } } },
    { effect: 'deny', permissions: ['*'], devices: { api: { '/wireguard/config/secret': ['read', 'write'] } } },
  ];
  let person: Person;

  beforeAll(async () => {
    await world.world.api.send('PUT', '/v1/roles/wireguarder', { description: 'Tunnels', rules });
    person = await addPerson(world.world, 'Wim', [{ role: 'wireguarder' }]);
  });

  it('allows calls at its paths, version prefix or not, and no others', async () => {
    const at = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
      person.api.send(method, `/v1/devices/${inner}${path}`, body).then(
        ({ status }) => status,
        (error: ApiError) => error.problem['path'] ?? error.code,
      );
    expect(await at('POST', WIREGUARD, { data: { id: `wg${++count}` } })).toBe(201);
    expect(await at('POST', '/api/v1/wireguard/config', { data: { id: `wg${++count}` } })).toBe(201);
    expect(await at('GET', '/api/system/device/status')).toBe(200);
    expect(await at('POST', '/api/users/config', { data: {} })).toBe('/api/users/config');
    expect(await at('GET', '/api/wireguard/config/secret')).toBe('/api/wireguard/config/secret');
    expect(await at('DELETE', '/api/v1/wireguard/config/SECRET')).toBe('/api/wireguard/config/SECRET');
  });

  it('is asked for each item of a bulk request', async () => {
    const bulk = (items: object[]) =>
      person.api.send('POST', `/v1/devices/${inner}/api/bulk`, { data: items }).then(
        ({ status }) => status,
        (error: ApiError) => error.problem['path'] ?? error.code,
      );
    const good = { endpoint: '/api/wireguard/config', method: 'GET', data: {} };
    expect(await bulk([good])).toBe(207);
    expect(await bulk([good, { endpoint: '/users/config', method: 'POST', data: {} }])).toBe('/api/users/config');
    expect(await bulk([good, { endpoint: '/v1/wireguard/config/secret', method: 'GET', data: {} }])).toBe(
      '/api/wireguard/config/secret',
    );
  });

  it('is skipped by name in a fan-out where it does not reach', async () => {
    await world.world.api.send('PUT', '/v1/roles/half', {
      rules: [
        { effect: 'allow', permissions: ['device.read'] },
        { effect: 'allow', permissions: ['device.call_read'], selector: 'site:vilnius/1' },
      ],
    });
    const half = await addPerson(world.world, 'Hal', [{ role: 'half' }]);
    const call = {
      selector: `id:${inner} | id:${outer}`,
      request: { method: 'GET', path: '/api/system/device/status' },
    };
    const lines = await fanOut(half.api, call);
    const of = (id: string) => lines.find(({ deviceId }) => deviceId === id);
    expect(of(inner)).toMatchObject({ outcome: 'succeeded' });
    expect(of(outer)).toMatchObject({ outcome: 'skipped', reason: 'forbidden' });
    expect(await refusal(half.api.get(`/v1/devices/${outer}/api/system/device/status`))).toMatchObject({
      code: 'forbidden',
    });
  });

  it('does not start a durable call that its path forbids', async () => {
    await world.world.api.send('PUT', '/v1/roles/wireguarder', {
      rules: [...rules, { effect: 'allow', permissions: ['job.*'] }],
    });
    const start = (path: string) =>
      person.api.post(`/v1/devices/${inner}/jobs`, { kind: 'call', spec: { method: 'PUT', path, data: {} } });
    expect(await refusal(start('/api/users/config/1'))).toMatchObject({
      code: 'forbidden',
      path: '/api/users/config/1',
    });
    await start('/api/wireguard/config/wg1');
  });

  it('is in force for all who have it as soon as it is saved, with an ETag against two authors', async () => {
    const { headers } = await world.world.api.send('GET', '/v1/roles/wireguarder');
    const only = { rules: [{ effect: 'allow', permissions: ['device.read'] }] };
    const save = (ifMatch: string) =>
      world.world.api.send('PUT', '/v1/roles/wireguarder', only, { 'if-match': ifMatch });
    expect(await refusal(save('"1"'))).toMatchObject({ code: 'version_changed' });
    await save(headers['etag']!);
    expect(await refusal(person.api.get(`/v1/devices/${inner}${WIREGUARD}`))).toMatchObject({ code: 'forbidden' });
  });

  it('cannot be removed while somebody has it, nor can a built-in one be changed', async () => {
    const { api } = world.world;
    await api.send('PUT', '/v1/roles/spare', { rules });
    const one = await addPerson(world.world, 'Sam', [{ role: 'spare' }]);
    expect(await refusal(api.send('DELETE', '/v1/roles/spare'))).toMatchObject({ code: 'role_in_use' });
    await api.send('PUT', `/v1/operators/${one.operatorId}/roles`, { roles: [] });
    await api.send('DELETE', '/v1/roles/spare');
    expect(await refusal(api.get('/v1/roles/spare'))).toMatchObject({ code: 'role_not_found' });
    expect(await refusal(api.send('PUT', '/v1/roles/viewer', { rules: [] }))).toMatchObject({ code: 'role_built_in' });
    expect(await refusal(api.send('DELETE', '/v1/roles/viewer'))).toMatchObject({ code: 'role_built_in' });
  });

  it.each([
    ['a permission that is not there', { permissions: ['device.fly'] }],
    ['a path that is none', { permissions: ['*'], devices: { api: { '/../x': ['read'] } } }],
    ['an action that is none', { permissions: ['*'], devices: { api: { '/x': ['fly'] } } }],
  ])('is refused with %s', async (_what, rule) => {
    const role = { rules: [{ effect: 'allow', ...rule }] };
    expect(await refusal(world.world.api.send('PUT', '/v1/roles/odd', role))).toMatchObject({ code: 'invalid_input' });
  });
});

describe('nobody', () => {
  it('gives rights that they do not hold: by a role, an assignment, an operator, or a key', async () => {
    await world.world.api.send('PUT', '/v1/roles/people', {
      rules: [
        { effect: 'allow', permissions: ['role.*', 'operator.*', 'key.manage', 'device.read', 'lock.read'] },
        { effect: 'allow', permissions: ['device.call_read'], selector: 'tag:pump' },
      ],
    });
    const boss = await addPerson(world.world, 'Petra', [{ role: 'people' }]);
    const other = await addPerson(world.world, 'Otto', [{ role: 'viewer' }]);
    const ada = (await world.world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators')).items.find(
      ({ name }) => name === 'Ada',
    )!;
    const save = (rule: object) => boss.api.send('PUT', '/v1/roles/made', { rules: [{ effect: 'allow', ...rule }] });
    expect(await refusal(save({ permissions: ['*'] }))).toMatchObject({ code: 'rights_not_held' });
    expect(await refusal(save({ permissions: ['device.call_read'] }))).toMatchObject({
      code: 'rights_not_held',
      permission: 'device.call_read',
    });
    await save({ permissions: ['device.call_read', 'device.read'], selector: 'tag:pump' });
    const roles = (id: string, role: string) =>
      boss.api.send('PUT', `/v1/operators/${id}/roles`, { roles: [{ role }] });
    expect(await refusal(roles(boss.operatorId, 'administrator'))).toMatchObject({ code: 'rights_not_held' });
    expect(await refusal(roles(ada.id, 'made'))).toMatchObject({ code: 'rights_not_held' });
    expect(await refusal(roles(other.operatorId, 'made'))).toMatchObject({ code: 'rights_not_held' });
    expect(await refusal(boss.api.post('/v1/operators', { name: 'Eve', role: 'administrator' }))).toMatchObject({
      code: 'rights_not_held',
    });
    expect(await refusal(boss.api.post('/v1/api-keys', { operatorId: ada.id, name: 'mine' }))).toMatchObject({
      code: 'rights_not_held',
    });
    await boss.api.post('/v1/operators', { name: `Eve ${++count}`, role: 'made' });
  });

  it('takes a denial out of a role that denies them something, or changes a role that allows more than they may', async () => {
    const denial = { effect: 'deny', permissions: ['device.read_secrets'] };
    const atPath = { effect: 'deny', permissions: ['*'], devices: { api: { '/users/*': ['read', 'write'] } } };
    await world.world.api.send('PUT', '/v1/roles/no-secrets', { rules: [denial, atPath] });
    await world.world.api.send('PUT', '/v1/roles/all', { rules: [{ effect: 'allow', permissions: ['*'] }] });
    const max = await addPerson(world.world, 'Max', [{ role: 'administrator' }, { role: 'no-secrets' }]);
    const save = (name: string, rules: object[]) => max.api.send('PUT', `/v1/roles/${name}`, { rules });
    const narrower = { ...denial, selector: 'tag:pump' };
    for (const rules of [[], [atPath], [denial], [narrower, atPath]]) {
      expect(await refusal(save('no-secrets', rules))).toMatchObject({ code: 'rights_not_held' });
    }
    expect(await refusal(save('all', []))).toMatchObject({ code: 'rights_not_held' });
    const secrets = await max.api.get<{ allowed: boolean }>('/v1/rights/explain?action=device.read_secrets');
    expect(secrets.allowed).toBe(false);
    await save('no-secrets', [atPath, { effect: 'deny', permissions: ['audit.export'] }, denial]);
    await world.world.api.send('PUT', '/v1/roles/no-secrets', { rules: [] });
    await world.world.api.send('PATCH', `/v1/operators/${max.operatorId}`, { disabled: true });
  });

  it('lays hands on a disabled operator who will have rights that they do not hold', async () => {
    await world.world.api.send('PUT', '/v1/roles/doorkeeper', {
      rules: [{ effect: 'allow', permissions: ['operator.*', 'key.manage'] }],
    });
    const boss = await addPerson(world.world, 'Quinn', [{ role: 'doorkeeper' }]);
    const rested = await addPerson(world.world, 'Rosa', [{ role: 'administrator' }]);
    const place = `/v1/operators/${rested.operatorId}`;
    await world.world.api.send('PATCH', place, { disabled: true });
    for (const request of [
      () => boss.api.post('/v1/api-keys', { operatorId: rested.operatorId, name: 'mine' }),
      () => boss.api.post(`/v1/api-keys/${rested.keyId}/rotate`, {}),
      () => boss.api.send('PATCH', place, { disabled: false }),
      () => boss.api.post(`${place}/invitation`),
      () => boss.api.send('DELETE', `${place}/totp`),
    ]) {
      expect(await refusal(request())).toMatchObject({ code: 'rights_not_held' });
    }
  });

  it('grows with somebody whose key or invitation they have handed out', async () => {
    const { api, url } = world.world;
    const helping = { effect: 'allow', permissions: ['operator.*', 'key.manage'] };
    await api.send('PUT', '/v1/roles/helpdesk', { rules: [helping] });
    const hanna = await addPerson(world.world, 'Hanna', [{ role: 'helpdesk' }, { role: 'viewer' }]);
    const bob = await addPerson(world.world, 'Bob', [{ role: 'viewer' }]);
    const handOut = async (giver: TestApi, path: string, scope: object) =>
      giver.post<{ id: string; key: string }>(path, { name: 'handed', scope, operatorId: bob.operatorId });
    const kept = await handOut(hanna.api, '/v1/api-keys', { stepUp: true });
    const child = await new TestApi({ url, key: kept.key }).post<{ key: string }>('/v1/self/api-keys', { name: 'x' });
    const narrowed = await handOut(hanna.api, '/v1/api-keys', { permissions: ['device.read'] });
    const { token } = await hanna.api.post<{ token: string }>(`/v1/operators/${bob.operatorId}/invitation`);

    await api.send('PUT', `/v1/operators/${bob.operatorId}/roles`, { roles: [{ role: 'administrator' }] });
    const selfOf = (key: string) => new TestApi({ url, key }).get('/v1/self');
    for (const { key } of [kept, child]) {
      expect(await refusal(selfOf(key))).toMatchObject({ code: 'unauthenticated' });
    }
    for (const { key } of [narrowed, bob]) expect(await selfOf(key)).toMatchObject({ name: bob.name });
    const accept = new TestApi({ url, key: '' }).post('/v1/invitations/accept', {
      token,
      password: 'a long strange one',
    });
    expect(await refusal(accept)).toMatchObject({ code: 'invitation_refused' });
    const { items } = await api.get<{ items: { subject: string }[] }>('/v1/audit?action=api_key.revoke');
    expect(items.map(({ subject }) => subject)).toContain(`api_key:${kept.id}`);
    await api.send('PATCH', `/v1/operators/${bob.operatorId}`, { disabled: true });
  });

  it('grows with a role of somebody whose key they have handed out', async () => {
    const { api, url } = world.world;
    await api.send('PUT', '/v1/roles/grower', { rules: [{ effect: 'allow', permissions: ['device.read'] }] });
    const hugo = await addPerson(world.world, 'Hugo', [{ role: 'helpdesk' }, { role: 'viewer' }]);
    const carl = await addPerson(world.world, 'Carl', [{ role: 'grower' }]);
    const wish = { operatorId: carl.operatorId, name: 'handed' };
    const { key } = await hugo.api.post<{ key: string }>('/v1/api-keys', wish);
    const save = (permissions: string[]) =>
      api.send('PUT', '/v1/roles/grower', { rules: [{ effect: 'allow', permissions }] });
    await save(['device.read', 'job.read']);
    expect(await new TestApi({ url, key }).get('/v1/self')).toMatchObject({ name: carl.name });
    await save(['device.read', 'key.*', 'device.call_write']);
    expect(await refusal(new TestApi({ url, key }).get('/v1/self'))).toMatchObject({ code: 'unauthenticated' });
    expect(await carl.api.get('/v1/self')).toMatchObject({ name: carl.name });
  });

  it('takes the last administrator away', async () => {
    const ada = (await world.world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators')).items.find(
      ({ name }) => name === 'Ada',
    )!;
    for (const roles of [[], [{ role: 'viewer' }], [{ role: 'administrator', selector: 'tag:pump' }]]) {
      expect(await refusal(world.world.api.send('PUT', `/v1/operators/${ada.id}/roles`, { roles }))).toMatchObject({
        code: 'last_administrator',
      });
    }
  });
});

describe('an access list with a version prefix', () => {
  it('denies the path in whatever version it is called', async () => {
    const rules = [
      { effect: 'allow', permissions: ['device.*'] },
      { effect: 'deny', permissions: ['*'], devices: { api: { '/v1/wireguard/*': ['read', 'write'] } } },
    ];
    await world.world.api.send('PUT', '/v1/roles/versioned', { rules });
    const person = await addPerson(world.world, 'Vera', [{ role: 'versioned' }]);
    for (const path of [WIREGUARD, '/api/v1/wireguard/config', '/api/v2/wireguard/config']) {
      expect(await refusal(person.api.get(`/v1/devices/${inner}${path}`))).toMatchObject({ code: 'forbidden' });
    }
    expect(await person.api.get(`/v1/devices/${inner}/api/system/device/status`)).toMatchObject({ success: true });
  });
});

describe('a key with a scope', () => {
  it('does what both its owner and its scope allow', async () => {
    const key = await addKey(world.world, narrow.operatorId, {
      permissions: ['device.read', 'device.call_read'],
      devices: { api: { '/system/*': ['read'] } },
    });
    const status = (path: string) =>
      key.api.send('GET', path).then(
        ({ status }) => status,
        (error: ApiError) => error.code,
      );
    expect(await status(`/v1/devices/${inner}`)).toBe(200);
    expect(await status(`/v1/devices/${inner}/api/system/device/status`)).toBe(200);
    expect(await status(`/v1/devices/${inner}${WIREGUARD}`)).toBe('forbidden');
    expect(await status(`/v1/devices/${outer}`)).toBe('device_not_found');
    expect(await status('/v1/jobs')).toBe('forbidden');
  });
});

describe('the explanation of a right', () => {
  it('answers for the time after a role is given, and names the device', async () => {
    const person = await addPerson(world.world, `Olga ${count++}`, [{ role: 'viewer' }]);
    const ask = (more: string, api = world.world.api) =>
      api.get<{ allowed: boolean; because: string }>(
        `/v1/rights/explain?operator=${person.operatorId}&action=job.start&device=${inner}${more}`,
      );
    const { name } = await world.world.api.get<{ name: string }>(`/v1/devices/${inner}`);
    const present = await ask('');
    expect(present).toMatchObject({ allowed: false, because: expect.stringContaining(`on device ${name} `) as string });
    expect(present.because).not.toContain(inner);
    expect(await ask('&withRole=operator&withSelector=tag:pump')).toMatchObject({ allowed: true });
    expect(await ask('&withRole=operator&withSelector=tag:gate')).toMatchObject({ allowed: false });
    expect(await ask('')).toMatchObject({ allowed: false }); // nothing was given
    expect(await refusal(ask('&withRole=nosuch'))).toMatchObject({ code: 'role_not_found' });
    expect(await refusal(ask('&withRole=operator&withSelector=tag'))).toMatchObject({ code: 'invalid_selector' });
    expect(await refusal(ask('&withRole=operator', person.api))).toMatchObject({
      code: 'forbidden',
      permission: 'role.read',
    });
  });

  it('names the rule, of one’s own rights for everybody, of others’ for those who may', async () => {
    const ask = (api: TestApi, query: string) =>
      api.get<{ allowed: boolean; because: string; rules: object[] }>(`/v1/rights/explain?${query}`);
    expect(await ask(narrow.api, `action=device.manage&device=${inner}`)).toMatchObject({
      allowed: true,
      rules: [{ role: 'operator', effect: 'allow', selectors: ['site:vilnius/*'] }],
    });
    expect(await ask(narrow.api, `method=POST&path=/wireguard/config&device=${inner}`)).toMatchObject({
      allowed: true,
      permission: 'device.call_write',
    });
    expect((await ask(narrow.api, `path=/api/v1/wireguard/config?x=1&device=${inner}`)).because).toContain(
      'at /api/wireguard/config is allowed',
    );
    expect(await ask(narrow.api, 'action=key.manage')).toMatchObject({ allowed: false, rules: [] });
    expect(await refusal(ask(narrow.api, `device=${outer}`))).toMatchObject({ code: 'device_not_found' });
    expect(await ask(world.world.api, `operator=${narrow.operatorId}&device=${outer}`)).toMatchObject({
      allowed: false,
    });
    const viewer = await addPerson(world.world, 'Vera', [{ role: 'viewer' }]);
    expect(await refusal(ask(viewer.api, `operator=${narrow.operatorId}`))).toMatchObject({ code: 'forbidden' });
    expect(await refusal(ask(world.world.api, `operator=${UNKNOWN}`))).toMatchObject({ code: 'operator_not_found' });
    expect(await refusal(ask(world.world.api, 'action=device.fly'))).toMatchObject({ code: 'invalid_input' });
  });
});
