import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addPerson } from '../support/people.js';
import { startTemplateWorld, type TemplateWorld } from './template-world.js';
import { type TestApi } from '../support/test-api.js';

/* Templates as operators see, change and publish them. What a plan says is in template-plan.http.spec.ts. */

interface Version {
  readonly number: number;
  readonly reason: string;
  readonly items: readonly Record<string, unknown>[];
}

const TEMPLATES = '/v1/templates';
const NTP = '/api/ntp/servers/config';
const TUNNELS = '/api/wireguard/config';
const HIDDEN = { status: 404, code: 'template_not_found' };

let world: TemplateWorld;
let ofSiteA: TestApi;
let colleague: TestApi;

const server = (options: object, hostname = 'ntp.example') => ({ path: NTP, key: { hostname }, options });
const input = (more: object = {}) => ({ name: 'base', selector: 'all', items: [server({ enabled: '1' })], ...more });
const create = (more: object = {}, api = world.api) => api.post<{ version: number }>(TEMPLATES, input(more));
const put = (name: string, more: object = {}, api = world.api, headers = {}) =>
  api.send('PUT', `${TEMPLATES}/${name}`, input({ name, ...more }), headers);
const publish = (name: string, api = world.api, reason = 'why not') =>
  api.post<Version>(`${TEMPLATES}/${name}/publish`, { reason });
const names = async (api: TestApi) =>
  (await api.get<{ items: { name: string }[] }>(TEMPLATES)).items.map(({ name }) => name);
const give = async (api: TestApi) =>
  (await api.post<{ id: string }>('/v1/sealed-values', { label: 'test', value: `Canary-${randomUUID()}` })).id;
const copies = async () =>
  (await world.db.query<{ id: string }[]>('select id from sealed_value where template_id is not null')).map(
    ({ id }) => id,
  );

beforeAll(async () => {
  world = await startTemplateWorld();
  await world.add([
    { name: 'a-1', site: 'a' },
    { name: 'a-2', site: 'a' },
    { name: 'b-1', site: 'b' },
  ]);
  ofSiteA = (await addPerson(world, 'Ana', [{ role: 'operator', selector: 'site:a' }])).api;
  colleague = (await addPerson(world, 'Cora', [{ role: 'operator' }])).api;
});
afterAll(() => world.close());
afterEach(async () => {
  await world.db.query('delete from template');
  await world.db.query('delete from sealed_value');
});

describe('a template', () => {
  it('is a draft, which is changed with its version, and recorded in the audit', async () => {
    const made = await create();
    expect(made).toMatchObject({ publishedNumber: null, items: [{ mode: 'has', sealed: [] }] });
    await expect(create()).rejects.toMatchObject({ code: 'template_exists' });
    await expect(put('base', {}, world.api, { 'if-match': '"9"' })).rejects.toMatchObject({ code: 'version_changed' });
    await put('base', { items: [server({ enabled: '0' })] }, world.api, { 'if-match': '"1"' });
    expect(await world.api.get(`${TEMPLATES}/base`)).toMatchObject({ items: [{ options: { enabled: '0' } }] });
    await world.api.send('DELETE', `${TEMPLATES}/base`);
    await expect(world.api.get(`${TEMPLATES}/base`)).rejects.toMatchObject(HIDDEN);
    const entries = await world.db.query<{ action: string }[]>(
      `select action from audit_entry where action like 'template.%' order by opened_at, id`,
    );
    expect(entries.map(({ action }) => action)).toEqual(['template.create', 'template.change', 'template.remove']);
  });

  it.each([
    ['an account', [{ path: '/api/users/config', key: { username: 'x' } }]],
    ['a certificate', [{ path: '/api/certificates/config', key: { name: 'x' } }]],
    ['a path with a version', [{ path: '/api/v1/ntp/servers/config', key: { hostname: 'x' } }]],
    ['a way around', [{ path: '/api/x/../users/config', key: { username: 'x' } }]],
    ['a secret in clear', [server({ password: 'in-clear-1' })]],
    ['no item', []],
    ['51 items', Array.from({ length: 51 }, (_, at) => server({ enabled: '1' }, `n${at}`))],
    ['a long text', [server({ note: 'x'.repeat(5_000) })]],
    ['a deep value', [server({ note: { deep: 'x' } })]],
    ['an unknown placeholder', [server({ note: '{{device.password}}' })]],
    ['two items that decide the same', [server({ enabled: '1' }), server({ enabled: '0' })]],
    ['more than it can hold', [server({ note: Array.from({ length: 200 }, () => 'x'.repeat(4_000)) })]],
  ])('cannot have %s', async (_, items) => {
    await expect(create({ items })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('cannot choose devices by what was measured or read on them', async () => {
    for (const selector of ['rsrp<-100', 'observed:failed', 'nothing:x'])
      await expect(create({ selector })).rejects.toMatchObject({ code: 'invalid_selector' });
  });
});

describe('publishing', () => {
  it('makes versions that never change, also not in the database', async () => {
    await create();
    expect(await publish('base', world.api, 'first')).toMatchObject({ number: 1, reason: 'first' });
    expect(await publish('base', world.api, 'again')).toMatchObject({ number: 1, reason: 'first' });
    await put('base', { items: [server({ enabled: '0' })] });
    expect(await world.api.get(`${TEMPLATES}/base/versions/1`)).toMatchObject({
      items: [{ options: { enabled: '1' } }],
    });
    expect(await publish('base', world.api, 'second')).toMatchObject({ number: 2 });
    const { items } = await world.api.get<{ items: Version[] }>(`${TEMPLATES}/base/versions`);
    expect(items.map(({ number, reason }) => [number, reason])).toEqual([
      [2, 'second'],
      [1, 'first'],
    ]);
    expect(await world.api.get(`${TEMPLATES}/base`)).toMatchObject({ publishedNumber: 2 });
    await expect(world.api.get(`${TEMPLATES}/base/versions/3`)).rejects.toMatchObject({
      code: 'template_version_not_found',
    });
    for (const sql of ['update template_version set number = 9', 'delete from template_version'])
      await expect(world.db.query(sql)).rejects.toThrow(/permission denied/);
    const [entry] = await world.db.query<[{ facts: object }]>(
      `select facts from audit_entry where action = 'template.publish' order by opened_at desc, id desc limit 1`,
    );
    expect(entry.facts).toMatchObject({ name: 'base', number: 2, before: 1, reason: 'second', paths: [NTP] });
  });

  it('refuses what another template decides on the same devices, with both names and their number', async () => {
    await create({ selector: 'site:a' });
    await publish('base');
    await create({ name: 'other', items: [server({ enabled: '0' })] });
    await expect(publish('other')).rejects.toMatchObject({
      code: 'template_overlaps',
      problem: { template: 'other', other: 'base', devices: 2, path: NTP, option: 'enabled', more: 0 },
    });
    // Neither other options, nor other devices, nor other sections meet.
    await put('other', { items: [server({ note: 'x' })] });
    await publish('other');
    await put('other', { selector: 'site:b' });
    await publish('other');
    await put('other', { items: [server({ enabled: '0' }, 'b.example')] });
    await publish('other');
    // A value of the device may be any text.
    await put('other', { items: [server({ enabled: '0' }, '{{field.server}}')] });
    await expect(publish('other')).rejects.toMatchObject({ code: 'template_overlaps' });
  });

  it('finds an overlap also when both are published at once', async () => {
    await create();
    await create({ name: 'other', items: [server({ enabled: '0' })] });
    const outcomes = await Promise.allSettled([publish('base'), publish('other')]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('an operator of some devices', () => {
  it('sees templates that reach one of theirs, and may change only those that reach no others', async () => {
    await create({ name: 'everywhere' });
    await create({ name: 'here', selector: 'site:a' });
    await create({ name: 'elsewhere', selector: 'site:b' });
    await create({ name: 'named', selector: 'name:a-1 | name:b-1' });
    expect(await names(ofSiteA)).toEqual(['everywhere', 'here', 'named']);
    expect(await ofSiteA.get(`${TEMPLATES}/named`)).toMatchObject({ selector: null });
    for (const path of ['elsewhere', 'elsewhere/versions', 'elsewhere/versions/1'])
      await expect(ofSiteA.get(`${TEMPLATES}/${path}`)).rejects.toMatchObject(HIDDEN);
    await expect(ofSiteA.post(`${TEMPLATES}/elsewhere/plan`, {})).rejects.toMatchObject(HIDDEN);
    await expect(put('everywhere', { selector: 'site:a' }, ofSiteA)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(publish('everywhere', ofSiteA)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(ofSiteA.send('DELETE', `${TEMPLATES}/everywhere`)).rejects.toMatchObject({ code: 'forbidden' });
    await put('here', { selector: 'site:a', items: [server({ enabled: '0' })] }, ofSiteA);
    expect(await publish('here', ofSiteA)).toMatchObject({ number: 1 });
  });

  it('cannot take over a template by a draft of their own devices while it reaches others', async () => {
    await create({ selector: 'all' });
    await publish('base');
    await put('base', { selector: 'site:a' });
    await expect(put('base', { selector: 'site:a' }, ofSiteA)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(publish('base', ofSiteA)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('neither meets nor learns of templates that reach only devices of others, and is in nobody’s way there', async () => {
    await create({ name: 'elsewhere', selector: 'site:b' });
    await publish('elsewhere');
    await create({ name: 'mine', selector: 'all' }, ofSiteA);
    expect(await publish('mine', ofSiteA)).toMatchObject({ number: 1 });
    expect(await ofSiteA.post(`${TEMPLATES}/mine/plan`, {})).toMatchObject({ devices: 2, overlaps: [] });
    await create({ name: 'all-of-them' });
    await expect(publish('all-of-them')).rejects.toMatchObject({
      problem: { other: 'elsewhere', devices: 1, more: 1 },
    });
    await expect(publish('mine', world.api)).rejects.toMatchObject({ code: 'template_overlaps' });
  });

  it('needs the rights at each path, and a key that is not narrowed', async () => {
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      {
        effect: 'deny',
        permissions: ['template.edit', 'template.read'],
        devices: { api: { '/ntp/*': ['read', 'write'] } },
      },
    ];
    await world.api.send('PUT', '/v1/roles/no-ntp', { rules });
    const { api } = await addPerson(world, 'Noa', [{ role: 'no-ntp' }]);
    await expect(create({}, api)).rejects.toMatchObject({ code: 'forbidden' });
    await create();
    expect(await names(api)).toEqual([]);
    const narrow = (await addPerson(world, 'Nils', [{ role: 'operator' }], { selector: 'site:a' })).api;
    await expect(create({ name: 'narrow' }, narrow)).rejects.toMatchObject({ code: 'rights_not_held' });
  });
});

describe('a secret of a template', () => {
  const tunnel = (valueId: string, option = 'private_key', name = 'site') => ({
    path: TUNNELS,
    key: { name },
    sealed: [{ option, valueId }],
  });

  it('is a copy that no job may name, and goes with the template', async () => {
    const given = await give(world.api);
    await create({ items: [tunnel(given)] });
    const [copy] = await copies();
    expect(await world.api.get(`${TEMPLATES}/base`)).toMatchObject({ items: [tunnel(copy!)] });
    const change = { action: 'update', path: `${TUNNELS}/site`, sealed: [{ option: 'private_key', valueId: copy }] };
    const job = { kind: 'configure', spec: { changes: [change] } };
    await expect(world.api.post('/v1/devices/name:a-1/jobs', job)).rejects.toMatchObject({
      code: 'sealed_value_not_found',
    });
    await publish('base');
    await put('base', { items: [tunnel(copy!), tunnel(await give(world.api), 'preshared_key', 'other')] });
    expect(await copies()).toHaveLength(2);
    await put('base', { items: [server({ enabled: '1' })] });
    expect(await copies()).toEqual([copy]); // the version names it
    await world.api.send('DELETE', `${TEMPLATES}/base`);
    expect(await copies()).toEqual([]);
  });

  it('is moved by the one who saved it last, or one who may open it', async () => {
    await expect(create({ items: [tunnel(await give(colleague))] })).rejects.toMatchObject({
      code: 'sealed_value_not_found',
    });
    await create({ items: [tunnel(await give(colleague))] }, colleague);
    const [copy] = await copies();
    await put('base', { items: [tunnel(copy!, 'note')] }, colleague);
    const other = (await addPerson(world, 'Ola', [{ role: 'operator' }])).api;
    await expect(put('base', { items: [tunnel(copy!, 'description')] }, other)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await publish('base', colleague);
    // Nor by a detour over a draft of their own.
    await put('base', { items: [server({ enabled: '1' })] }, other);
    await expect(put('base', { items: [tunnel(copy!, 'description')] }, other)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await put('base', { items: [tunnel(copy!)] }); // an administrator may open it
  });
});
