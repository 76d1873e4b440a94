import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TemplateStateSweeper } from '../../src/templates/states/template-state.sweeper.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';
import { startTemplateWorld, type TemplateWorld } from './template-world.js';

/* How devices compare with what is published, by what watches have read. */

interface State {
  readonly device: string;
  readonly state: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly since: string;
  readonly applied: number | null;
  readonly observed: number | null;
  readonly differences: readonly Record<string, unknown>[];
}

const NTP = '/api/ntp/servers/config';
const TUNNELS = '/api/wireguard/config';

let world: TemplateWorld;
let count = 0;

const server = (enabled: string) => ({ path: NTP, key: { hostname: 'ntp.example' }, options: { enabled } });
const body = (enabled: string, more: object = {}) => [{ id: '1', hostname: 'ntp.example', enabled, ...more }];

/** The gateway itself has no worker, so only this sweeps. */
const sweep = () => world.gateway.app.get(TemplateStateSweeper).sweep();

async function publish(selector: string, items: readonly object[], name = `t${++count}`): Promise<string> {
  const { api } = world;
  const { items: known } = await api.get<{ items: { name: string }[] }>('/v1/templates');
  const isNew = !known.some((one) => one.name === name);
  await api.send(isNew ? 'POST' : 'PUT', isNew ? '/v1/templates' : `/v1/templates/${name}`, { name, selector, items });
  await api.post(`/v1/templates/${name}/publish`, { reason: 'a test' });
  await sweep();
  return name;
}

const states = async (name: string, query = '', api: TestApi = world.api) =>
  (await api.get<{ items: State[] }>(`/v1/templates/${name}/devices${query}`)).items;
const syncOf = async (name: string, api: TestApi = world.api) =>
  (await api.get<{ sync: object }>(`/v1/templates/${name}`)).sync;

beforeAll(async () => {
  world = await startTemplateWorld();
  await world.add(['a', 'b', 'c', 'd', 'e'].flatMap((site) => [1, 2].map((at) => ({ name: `${site}-${at}`, site }))));
});
afterAll(() => world.close());

describe('the state of a device', () => {
  it('is judged again at once when a version is published, or an option is ignored and counts again', async () => {
    let woken = 0;
    world.gateway.app.get(TemplateStateSweeper).onWork(() => woken++);
    const name = await publish('site:a', [server('1')]);
    await until(() => woken === 1);
    const { path, key } = server('1');
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const ignored = { path, key, option: 'enabled', selector: 'site:a', reason: 'a test', until: end };
    const { id } = await world.api.post<{ id: string }>(`/v1/templates/${name}/ignored`, ignored);
    await until(() => woken === 2);
    await world.api.send('DELETE', `/v1/templates/${name}/ignored/${id}`);
    await until(() => woken === 3);
    await world.api.send('DELETE', `/v1/templates/${name}`);
    expect(await world.api.get('/v1/templates')).toEqual({ items: [] });
  });

  it('follows what was read: unread, in sync, drifted, pending, both', async () => {
    const name = await publish('site:a', [server('1')]);
    expect(await syncOf(name)).toEqual({ unread: 2 });
    await world.observe('a', NTP, body('0'));
    await sweep();
    expect(await states(name)).toMatchObject([{ device: 'a-1', state: 'pending', applied: null }, { device: 'a-2' }]);
    await world.observe('a', NTP, body('1', { note: 'of others' }));
    await sweep();
    const [before] = await states(name, '?sync=in_sync&limit=1');
    expect(before).toMatchObject({ device: 'a-1', applied: 1, observed: 1, differences: [] });
    expect(await sweep()).toEqual({ changed: 0, failed: 0 });
    await world.observe('a', NTP, body('0'));
    await sweep();
    expect(await states(name, '?sync=drifted')).toMatchObject([
      { differences: [{ path: NTP, option: 'enabled', is: 'different', wanted: '1', seen: '0' }], observed: null },
      { device: 'a-2' },
    ]);
    await world.observe('a', NTP, body('1'));
    await publish('site:a', [{ ...server('1'), options: { enabled: '1', note: 'x' } }], name);
    expect(await states(name)).toMatchObject([{ state: 'pending', applied: 1, observed: 1, desired: 2 }, {}]);
    await world.observe('a', NTP, body('0'));
    await sweep();
    expect(await states(name)).toMatchObject([{ state: 'both', observed: null }, {}]);
    expect(await syncOf(name)).toEqual({ both: 2 });
  });

  it('shows what is equal in another spelling, and is in sync with it', async () => {
    await world.observe('b', NTP, body('1', { address: '2001:db8::1' }));
    const item = { ...server('1'), options: { address: '2001:DB8:0::1' } };
    const name = await publish('site:b', [item]);
    const [first] = await states(name);
    expect(first).toMatchObject({ state: 'in_sync', differences: [{ option: 'address', is: 'normalised' }] });
  });

  it('is stored where the device has texts that Postgres has no place for, and long ones are cut', async () => {
    await world.add([{ name: 'h-1', site: 'h' }]);
    await world.observe('h', NTP, body('\0\ud800x', { note: 'y'.repeat(2_000) }));
    const name = await publish('site:h', [{ ...server('1'), options: { enabled: '1', note: 'z' } }]);
    const [{ differences }] = (await states(name)) as [State];
    expect(differences).toMatchObject([{ option: 'note' }, { option: 'enabled', seen: '\ufffdx' }]);
    expect(String(differences[0]!['seen']).length).toBeLessThan(600);
  });

  it('is left out of two templates that decide the same, once it joins both, with both names', async () => {
    await world.observe('c', NTP, body('1'));
    const one = await publish('site:c', [server('1')]);
    const other = await publish('tag:both', [server('0')]);
    expect(await syncOf(one)).toEqual({ in_sync: 2 });
    await world.db.query(`update device set tags = '{both}' where name = 'c-1'`);
    await sweep();
    const reason = { state: 'left_out', reason: 'overlap', detail: [one, other].sort().join(', ') };
    expect(await states(one)).toMatchObject([{ device: 'c-1', ...reason }, { state: 'in_sync' }]);
    expect(await states(other)).toMatchObject([{ device: 'c-1', ...reason }]);
  });

  it('names why it cannot be compared, and goes with the device that leaves', async () => {
    await world.observe('d', NTP, null, 'not_there');
    const name = await publish('site:d', [server('1')]);
    expect(await states(name)).toMatchObject([{ state: 'left_out', reason: 'not_there', detail: NTP }, {}]);
    const twice = [{ ...server('{{field.on}}') }];
    await publish('site:d', twice, name);
    expect(await states(name)).toMatchObject([{ state: 'left_out', reason: 'value_missing', detail: 'field.on' }, {}]);
    await publish('name:d-1', [server('1')], name);
    expect(await states(name)).toMatchObject([{ device: 'd-1' }]);
    const { items } = await world.api.get<{ items: State[] }>('/v1/devices/name:d-1/templates');
    expect(items).toMatchObject([{ template: name, state: 'left_out' }]);
  });

  it('shows secrets as fingerprints, and readers only devices on which they may read all paths', async () => {
    const value = `Canary-${randomUUID()}`;
    const { id } = await world.api.post<{ id: string }>('/v1/sealed-values', { label: 'psk', value });
    await world.observe('e', TUNNELS, [{ id: '1', name: 'hq', token_text: 'old-secret-in-clear' }]);
    const sealed = [{ option: 'token_text', valueId: id }];
    const name = await publish('site:e', [{ path: TUNNELS, key: { name: 'hq' }, sealed }]);
    const text = JSON.stringify(await states(name));
    expect(text).toContain('"option":"token_text"');
    expect(text).not.toContain(value);
    expect(text).not.toContain('old-secret-in-clear');
    const stored = await world.db.query<{ row: object }[]>('select to_jsonb(s) as row from template_state s');
    expect(JSON.stringify(stored)).not.toContain('Canary-');

    const { api } = await addPerson(world, 'Eva', [{ role: 'operator', selector: 'name:e-1' }]);
    expect(await states(name, '', api)).toMatchObject([{ device: 'e-1', state: 'pending' }]);
    expect(await syncOf(name, api)).toEqual({ pending: 1 });
    const pages = [await states(name, '?limit=1')];
    const { next } = await world.api.get<{ next: string }>(`/v1/templates/${name}/devices?limit=1`);
    pages.push(await states(name, `?limit=1&cursor=${next}`));
    expect(pages.flat().map(({ device }) => device)).toEqual(['e-1', 'e-2']);
  });
});

describe('a selector', () => {
  const named = async (selector: string, api: TestApi = world.api) => {
    const query = `fields=name&selector=${encodeURIComponent(selector)}`;
    const { items } = await api.get<{ items: { name: string }[] }>(`/v1/devices?${query}`);
    return items.map(({ name }) => name).sort();
  };

  it('names the devices of a template and of a state, where the reader may read each path', async () => {
    await world.add(['f', 'g'].map((site) => ({ name: `${site}-1`, site })));
    await world.observe('f', NTP, body('0'));
    await world.observe('g', NTP, body('1'));
    const name = await publish('site:f | site:g', [server('1')]);
    expect(await named(`template:${name}`)).toEqual(['f-1', 'g-1']);
    expect(await named(`template:${name} & !sync:${name}/in_sync`)).toEqual(['f-1']);
    expect(await named(`sync:${name}/PENDING`)).toEqual(['f-1']);
    expect(await named('sync:in_sync & (site:f | site:g)')).toEqual(['g-1']);
    expect(await named('template:nothing | sync:nothing/drifted')).toEqual([]);
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      { effect: 'deny', permissions: ['device.call_read'], devices: { api: { '/system/*': ['read'] } } },
    ];
    await world.api.send('PUT', '/v1/roles/no-system-calls', { rules });
    const { api } = await addPerson(world, 'Noa', [{ role: 'no-system-calls' }]);
    expect(await named(`template:${name}`, api)).toEqual([]);
    expect(await states(name, '', api)).toHaveLength(2);
    const ofSite = await addPerson(world, 'Gus', [{ role: 'operator', selector: 'site:g' }]);
    expect(await named(`template:${name}`, ofSite.api)).toEqual(['g-1']);
  });

  it.each(['sync:up', 'sync:a/up', 'sync:a/b/drifted', 'sync<1', 'template:*'])('is refused: %s', async (selector) => {
    await expect(named(selector)).rejects.toMatchObject({ problem: { code: 'invalid_selector' } });
  });

  it('of a template cannot depend on states', async () => {
    for (const selector of ['sync:drifted', 'template:base'])
      await expect(
        world.api.post('/v1/templates', { name: 'round', selector, items: [server('1')] }),
      ).rejects.toMatchObject({ problem: { code: 'invalid_selector' } });
  });
});
