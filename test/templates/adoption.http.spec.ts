import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson } from '../support/people.js';
import { startTemplateWorld, type TemplateWorld } from './template-world.js';

/* Templates that are made of what devices have, by what watches have read. */

const LAN = '/api/interfaces/config';
const NTP = '/api/ntp/servers/config';
const SYSTEM = '/api/system/global';
const KEY = 'a'.repeat(43);

interface Adoption {
  readonly template: string | null;
  readonly devices: number;
  readonly items: readonly { readonly path: string; readonly key: object; readonly options: object }[];
  readonly fields: readonly {
    readonly field: string;
    readonly isNew: boolean;
    readonly option: string;
    readonly values: readonly object[];
  }[];
  readonly leftOut: readonly object[];
}

let world: TemplateWorld;

beforeAll(async () => {
  world = await startTemplateWorld();
  await world.add([
    { name: 'a-1', site: 'a' },
    { name: 'b-1', site: 'b' },
    { name: 'c-1', site: 'c' },
    { name: 'd-1', site: 'd' },
  ]);
  for (const [site, at] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const) {
    await world.observe(site, LAN, [
      {
        id: 'lan',
        name: 'lan',
        ipaddr: `10.0.${at}.1`,
        metric: 7,
        dns: ['1.1.1.1', '9.9.9.9'],
        key: KEY.replace('a', String(at)),
        peers: { at },
      },
      {
        id: `cfg0${at}`,
        name: 'guest',
        password: `hmac:${String(at).repeat(16)}`,
        dns: [`10.0.${at}.2`],
        note: at === 1 ? '' : 'x',
      },
      ...(at === 3 ? [{ id: 'wan', name: 'wan' }] : []),
    ]);
    await world.observe(site, SYSTEM, { timezone: 'UTC', hostname: `router-${at}` });
    await world.observe(site, NTP, [{ id: String(at), hostname: 'ntp.example', enabled: '1' }]);
  }
});
afterAll(() => world.close());

const adopt = (body: object, api = world.api) =>
  api.post<Adoption>('/v1/templates/adopt', {
    name: 'base',
    selector: 'all',
    from: 'site:a | site:b | site:c',
    paths: [LAN, SYSTEM, NTP],
    ...body,
  });

const fieldsDefined = async () =>
  (await world.api.get<{ items: { key: string }[] }>('/v1/fields')).items.map(({ key }) => key);

describe('the adoption of a template', () => {
  it('takes what is equal, makes custom fields of what differs, and says why the rest is left out', async () => {
    const found = await adopt({ dryRun: true });
    expect(found).toMatchObject({ template: null, devices: 3 });
    expect(found.items).toMatchObject([
      {
        path: LAN,
        key: { name: 'lan' },
        options: { ipaddr: '{{field.interfaces_lan_ipaddr}}', metric: '7', dns: ['1.1.1.1', '9.9.9.9'] },
      },
      { path: LAN, key: { name: 'guest' }, options: {} },
      { path: SYSTEM, key: {}, options: { timezone: 'UTC', hostname: '{{field.system_hostname}}' } },
      { path: NTP, key: { hostname: 'ntp.example' }, options: { enabled: '1' } },
    ]);
    const [address] = found.fields;
    expect(address).toMatchObject({ field: 'interfaces_lan_ipaddr', isNew: true, option: 'ipaddr' });
    expect(address!.values).toMatchObject([
      { device: 'a-1', value: '10.0.1.1' },
      { device: 'b-1' },
      { device: 'c-1', value: '10.0.3.1' },
    ]);
    const guest = { path: LAN, key: { name: 'guest' } };
    const lan = { path: LAN, key: { name: 'lan' } };
    expect(found.leftOut).toEqual([
      { path: LAN, key: { name: 'wan' }, option: null, reason: 'not_on_all' },
      { ...lan, option: 'key', reason: 'made_by_device' },
      { ...lan, option: 'peers', reason: 'not_text' },
      { ...guest, option: 'dns', reason: 'list_differs' },
      { ...guest, option: 'note', reason: 'no_field_value' },
      { ...guest, option: 'password', reason: 'secret' },
    ]);
    expect(await fieldsDefined()).not.toContain('system_hostname');
  });

  it('asks for the rights to define fields and to change devices, and adopts only what the reader may see', async () => {
    const north = await addPerson(world, 'Nora', [{ role: 'operator', selector: 'site:a | site:b' }]);
    expect(await adopt({ name: 'mine', dryRun: true }, north.api)).toMatchObject({ devices: 2 });
    await expect(adopt({ name: 'mine' }, north.api)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await fieldsDefined()).not.toContain('system_hostname');
  });

  it('is a draft by which its devices change nothing, and may be made again', async () => {
    expect(await adopt({})).toMatchObject({ template: 'base' });
    const plan = await world.api.post<object>('/v1/templates/base/plan', {});
    expect(plan).toMatchObject({
      devices: 4,
      inSync: 3,
      changed: 0,
      newSections: 0,
      leftOut: [{ reason: 'value_missing', devices: 1 }],
    });
    expect(await world.api.get('/v1/devices/name:b-1')).toMatchObject({
      fields: { interfaces_lan_ipaddr: '10.0.2.1', system_hostname: 'router-2' },
    });
    const again = await adopt({ name: 'again' });
    expect(again.fields.map(({ field, isNew }) => [field, isNew])).toEqual([
      ['interfaces_lan_ipaddr', false],
      ['system_hostname', false],
    ]);
  });

  it('changes no device where it is refused', async () => {
    const before = await world.api.get<{ fields: object }>('/v1/devices/name:b-1');
    await world.observe('b', SYSTEM, { timezone: 'UTC', hostname: 'router-other' });
    await expect(adopt({ name: 'base' })).rejects.toMatchObject({ code: 'template_exists' });
    const role = 'not-c';
    await world.api.send('PUT', `/v1/roles/${role}`, {
      rules: [
        { effect: 'allow', permissions: ['*'] },
        { effect: 'deny', permissions: ['device.manage'], selector: 'site:c' },
      ],
    });
    const { api } = await addPerson(world, 'Cleo', [{ role }]);
    await expect(adopt({ name: 'refused' }, api)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await world.api.get<{ fields: object }>('/v1/devices/name:b-1')).fields).toEqual(before.fields);
    await world.observe('b', SYSTEM, { timezone: 'UTC', hostname: 'router-2' });
  });

  it('leaves out what changes again and again by itself', async () => {
    await world.db.query(
      `insert into observed_change (device_id, path, from_digest, to_digest, since, at, options)
       select device_id, path, digest, digest, now(), now(), '{timezone}' from observed, generate_series(1, 3)
        where path = $1 and device_id = (select id from device where name = 'b-1')`,
      [SYSTEM],
    );
    const found = await adopt({ dryRun: true, paths: [SYSTEM] });
    expect(found.leftOut).toEqual([{ path: SYSTEM, key: {}, option: 'timezone', reason: 'moves' }]);
    await world.db.query('delete from observed_change');
  });

  it.each([
    [{ from: 'site:nowhere' }, { devices: 0 }],
    [{ from: 'all' }, { unread: 1, unreadIds: [expect.any(String)], device: 'd-1', path: LAN }],
    [{ paths: ['/api/wireguard/config'] }, { unread: 3, device: 'a-1' }],
  ])('is refused where nothing can be adopted: %j', async (body, facts) => {
    await expect(adopt({ name: 'no', paths: [LAN], ...body })).rejects.toMatchObject({
      code: 'adoption_impossible',
      problem: facts,
    });
  });
});

describe('what a device has', () => {
  const accept = (body: object, api = world.api) =>
    api.post('/v1/templates/kept/accept', { device: 'name:a-1', path: NTP, key: { hostname: 'ntp.example' }, ...body });
  const draft = () => world.api.get<{ items: { options: object }[] }>('/v1/templates/kept');

  beforeAll(async () => {
    await world.api.send('PUT', '/v1/fields/kept_name', { type: 'text' });
    const items = [
      { path: NTP, key: { hostname: 'ntp.example' }, options: { enabled: '0' } },
      { path: SYSTEM, options: { hostname: '{{field.kept_name}}', timezone: 'CET' } },
      { path: LAN, key: { name: 'guest' }, options: { dns: ['10.0.9.9'] } },
    ];
    await world.api.post('/v1/templates', { name: 'kept', selector: 'site:a', items });
  });

  it('is taken into the draft, where the option is its own', async () => {
    expect(await accept({ option: 'enabled' })).toEqual({ field: null, value: '1' });
    expect(await accept({ path: LAN, key: { name: 'guest' }, option: 'dns' })).toEqual({
      field: null,
      value: ['10.0.1.2'],
    });
    expect((await draft()).items.map(({ options }) => options)).toEqual([
      { enabled: '1' },
      { hostname: '{{field.kept_name}}', timezone: 'CET' },
      { dns: ['10.0.1.2'] },
    ]);
  });

  it('is taken into the custom field of the device, where the option is one', async () => {
    expect(await accept({ path: SYSTEM, key: {}, option: 'hostname' })).toEqual({
      field: 'kept_name',
      value: 'router-1',
    });
    expect(await world.api.get('/v1/devices/name:a-1')).toMatchObject({ fields: { kept_name: 'router-1' } });
    expect((await draft()).items[1]).toMatchObject({ options: { hostname: '{{field.kept_name}}' } });
    const plan = await world.api.post<object>('/v1/templates/kept/plan', {});
    expect(plan).toMatchObject({ changed: 1, samples: [{ differences: [{ option: 'timezone', seen: 'UTC' }] }] });
  });

  it.each([
    { option: 'prefer' },
    { key: { hostname: 'other' }, option: 'enabled' },
    { device: 'name:d-1', option: 'enabled' },
    { path: LAN, key: { name: 'guest' }, option: 'password' },
  ])('is not there to be taken: %j', async (body) => {
    await expect(accept(body)).rejects.toMatchObject({ status: 404, code: 'difference_not_found' });
  });

  it('is not for those who may not see the device, or not change the template', async () => {
    const other = await addPerson(world, 'Otto', [{ role: 'operator', selector: 'site:b' }]);
    await expect(accept({ option: 'enabled' }, other.api)).rejects.toMatchObject({ status: 404 });
    const reader = await addPerson(world, 'Rita', [{ role: 'viewer' }]);
    await expect(accept({ option: 'enabled' }, reader.api)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('an adoption of a hostile device', () => {
  it('leaves out what Postgres has no place for', async () => {
    await world.add([{ name: 'odd-1', site: 'odd' }]);
    await world.observe('odd', NTP, [
      { id: '1', hostname: 'ntp.example', enabled: '1', note: 'x\0', list: ['\ud800'], 'a\0': '1' },
      { id: '2', hostname: 'ntp\0.example', enabled: '1' },
    ]);
    const found = await adopt({ name: 'odd', selector: 'site:odd', from: 'site:odd', paths: [NTP] });
    expect(found.items).toMatchObject([{ key: { hostname: 'ntp.example' }, options: { enabled: '1' } }]);
    expect(Object.keys(found.items[0]!.options)).toEqual(['enabled']);
    expect(found.leftOut).toHaveLength(5);
  });
});
