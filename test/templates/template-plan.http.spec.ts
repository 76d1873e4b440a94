import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Redactor } from '../../src/secrets/redactor.js';
import { addPerson } from '../support/people.js';
import { startTemplateWorld, type TemplateWorld } from './template-world.js';
import { type TestApi } from '../support/test-api.js';

/* What a plan says of the devices of a draft, by what watches have read. */

interface Plan {
  readonly devices: number;
  readonly inSync: number;
  readonly changed: number;
  readonly options: readonly object[];
  readonly samples: readonly { readonly name: string; readonly differences: readonly object[] }[];
  readonly leftOut: readonly { readonly reason: string; readonly devices: number }[];
  readonly overlaps: readonly object[];
}

const NTP = '/api/ntp/servers/config';
const TUNNELS = '/api/wireguard/config';
const SYSTEM = '/api/system/global';

let world: TemplateWorld;
let count = 0;

/** The plan of a template of these items. */
async function plan(items: readonly object[], more: object = {}, api: TestApi = world.api, selector = 'all') {
  const name = `t${++count}`;
  await world.api.post('/v1/templates', { name, selector, items });
  return api.post<Plan>(`/v1/templates/${name}/plan`, more);
}

beforeAll(async () => {
  world = await startTemplateWorld();
  await world.add([
    { name: 'a-1', site: 'a', fields: { vlan: 7 } },
    { name: 'a-2', site: 'a' },
    { name: 'b-1', site: 'b', fields: { vlan: 8 } },
    { name: 'c-1', site: 'c' },
  ]);
  await world.observe('a', NTP, [{ id: '1', hostname: 'ntp.example', enabled: '1' }]);
  await world.observe('b', NTP, [{ id: '4', hostname: 'NTP.example', enabled: '0' }]);
  await world.observe('c', NTP, [], 'device_refused');
});
afterAll(() => world.close());

const server = { path: NTP, key: { hostname: 'ntp.example' }, options: { enabled: '1' } };

describe('a plan', () => {
  it('counts devices by what would change, shows some, and leaves out what was not read', async () => {
    const all = await plan([server]);
    expect(all).toMatchObject({ devices: 4, inSync: 2, changed: 1, newSections: 1 });
    expect(all.options).toEqual([{ path: NTP, option: null, is: 'missing', devices: 1 }]);
    expect(all.samples).toMatchObject([{ name: 'b-1', changes: 1, differences: [{ wanted: { enabled: '1' } }] }]);
    expect(all.leftOut).toMatchObject([{ reason: 'unread', path: NTP, devices: 1, samples: [{ name: 'c-1' }] }]);
    expect(await plan([server], { selector: 'site:a', samples: 0 })).toMatchObject({ devices: 2, samples: [] });
  });

  it('fills in values of the device, and leaves out those that have none', async () => {
    const items = [{ ...server, options: { vid: '{{field.vlan}}', note: '{{device.name}}' } }];
    const { samples, leftOut } = await plan(items, { selector: 'site:a' });
    expect(samples).toMatchObject([
      { name: 'a-1', differences: [{ wanted: '7' }, { wanted: 'a-1', is: 'different' }] },
    ]);
    expect(leftOut).toMatchObject([{ reason: 'value_missing', devices: 1, samples: [{ name: 'a-2' }] }]);
  });

  it('names the risks of the changes as a guarded change does, and problems of devices', async () => {
    const path = '/api/firewall/zones/config';
    await world.observe('a', path, [
      { id: '1', name: 'lan', input: 'ACCEPT' },
      { id: '2', name: 'wan', input: 'DROP' },
      { id: '3', name: 'wan', input: 'DROP' },
    ]);
    await world.observe('b', path, null, 'not_there');
    const zone = (name: string) => ({ path, key: { name }, options: { input: 'REJECT' } });
    expect(await plan([zone('lan')], {}, world.api, 'site:a | site:b')).toMatchObject({
      changed: 2,
      risks: [{ path, devices: 2, reason: expect.stringContaining('firewall') }],
      leftOut: [{ reason: 'not_there', devices: 1 }],
    });
    expect(await plan([zone('wan')], { selector: 'site:a' })).toMatchObject({
      leftOut: [{ reason: 'key_ambiguous', path, devices: 2 }],
    });
    const many = Array.from({ length: 33 }, (_, at) => zone(`n${at}`));
    expect(await plan(many, { selector: 'site:a' })).toMatchObject({ leftOut: [], changed: 2 });
    expect(await plan([{ ...zone('lan'), key: { id: '../{{device.name}}' } }], { selector: 'site:a' })).toMatchObject({
      leftOut: [{ reason: 'spec_invalid', devices: 2 }],
    });
  });

  it('shows secrets as fingerprints, and says which are to be made', async () => {
    const value = `Canary-${randomUUID()}`;
    const print = world.gateway.app.get(Redactor, { strict: false }).redacted({ password: value }).password;
    const { id: valueId } = await world.api.post<{ id: string }>('/v1/sealed-values', { label: 'test', value });
    await world.observe('a', TUNNELS, [{ id: '1', name: 'site', private_key: print, remark: 'old-canary' }]);
    const item = (option: string) => ({ path: TUNNELS, key: { name: 'site' }, sealed: [{ option, valueId }] });
    const asked = { selector: 'site:a' };
    expect(await plan([item('private_key')], asked)).toMatchObject({ inSync: 2 });
    // Also where watches see the option in clear.
    const clear = await plan([item('remark')], asked);
    expect(clear.samples[0]!.differences).toMatchObject([{ option: 'remark', wanted: print }]);
    expect(JSON.stringify(clear)).not.toMatch(/anary/);
    const made = [{ path: TUNNELS, key: { name: 'site' }, sealed: [{ option: 'psk', generate: 24 }] }];
    expect(await plan(made, asked)).toMatchObject({ secrets: [{ option: 'psk', isGenerated: true }] });
  });

  it('names the templates with which publishing would be refused', async () => {
    await world.api.post('/v1/templates', { name: 'first', selector: 'site:a', items: [server] });
    await world.api.post('/v1/templates/first/publish', { reason: 'why not' });
    expect((await plan([server])).overlaps).toEqual([
      { template: 'first', devices: 2, path: NTP, key: server.key, option: 'enabled' },
    ]);
  });
});

describe('a reader', () => {
  it('of some devices finds no count, name or overlap of others', async () => {
    const { api } = await addPerson(world, 'Bea', [{ role: 'operator', selector: 'site:b' }]);
    const shown = await plan([server], {}, api);
    expect(shown).toMatchObject({ devices: 1, changed: 1, inSync: 0, overlaps: [], leftOut: [] });
    expect(JSON.stringify(shown)).not.toMatch(/"(a-1|a-2|c-1)"/);
  });

  it('sees nothing of a path that they may not read', async () => {
    await world.observe('a', SYSTEM, { hostname: 'seen-canary' });
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      { effect: 'deny', permissions: ['observed.read'], devices: { api: { '/system/*': ['read'] } } },
    ];
    await world.api.send('PUT', '/v1/roles/no-system', { rules });
    const { api } = await addPerson(world, 'Noa', [{ role: 'no-system' }]);
    const shown = await plan([{ path: SYSTEM, options: { hostname: 'x' } }], { selector: 'site:a' }, api);
    expect(shown).toMatchObject({ devices: 2, changed: 0, leftOut: [{ reason: 'forbidden', devices: 2 }] });
    expect(JSON.stringify(shown)).not.toContain('canary');
  });
});
