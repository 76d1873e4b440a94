import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TemplateStateSweeper } from '../../src/templates/states/template-state.sweeper.js';
import { FakeClock } from '../support/fake-clock.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { startTemplateWorld, type TemplateWorld } from './template-world.js';

/* Options of a template that are ignored on some devices for a time. */

const NTP = '/api/ntp/servers/config';
const GLOBAL = '/api/system/global';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const clock = new FakeClock(Date.now());
let world: TemplateWorld;
let count = 0;

interface IgnoredOption {
  readonly id: string;
  readonly selector: string | null;
  readonly orphaned: boolean;
  readonly unreadable: boolean;
}

const sweep = () => world.gateway.app.get(TemplateStateSweeper).sweep();

beforeAll(async () => {
  world = await startTemplateWorld(clock);
});
afterAll(() => world.close());

/** A published template of a site of its own, with two devices that differ in one option. */
async function publish(options: object = { enabled: '1' }, seen: object = { enabled: '0' }) {
  const site = `s${++count}`;
  const items = [{ path: NTP, key: { hostname: 'ntp.example' }, options }];
  await world.add([1, 2].map((at) => ({ name: `${site}-${at}`, site })));
  await world.observe(site, NTP, [{ id: '1', hostname: 'ntp.example', ...seen }]);
  await world.api.post('/v1/templates', { name: site, selector: `site:${site}`, items });
  await world.api.post(`/v1/templates/${site}/publish`, { reason: 'a test' });
  await sweep();
  return site;
}

const ignore = (name: string, more: object = {}, api: TestApi = world.api) =>
  api.post<IgnoredOption>(`/v1/templates/${name}/ignored`, {
    path: NTP,
    key: { hostname: 'ntp.example' },
    option: 'enabled',
    selector: `name:${name}-1`,
    until: new Date(clock.now().getTime() + DAY).toISOString(),
    reason: 'a broken switch',
    ...more,
  });
const ignored = async (name: string, api: TestApi = world.api) =>
  (await api.get<{ items: IgnoredOption[] }>(`/v1/templates/${name}/ignored`)).items;
const states = async (name: string) =>
  (await world.api.get<{ items: { state: string }[] }>(`/v1/templates/${name}/devices`)).items;
const statesOf = async (name: string) => (await states(name)).map(({ state }) => state);

/** Without a problem: `done`. */
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { problem: { code: string } }) => error.problem.code,
  );

describe('an ignored option', () => {
  it('is no difference on its devices until its end, and then counts again by itself', async () => {
    const name = await publish();
    expect(await statesOf(name)).toEqual(['pending', 'pending']);
    const until = new Date(clock.now().getTime() + DAY).toISOString();
    expect(await ignore(name)).toMatchObject({ option: 'enabled', until, reason: 'a broken switch', orphaned: false });
    await sweep();
    const about = { by: expect.any(String), reason: 'a broken switch', until };
    const left = { option: 'enabled', is: 'ignored', wanted: '1', seen: '0', ignored: about };
    expect(await states(name)).toMatchObject([
      { state: 'in_sync', differences: [left] },
      { state: 'pending', differences: [{ is: 'different' }] },
    ]);
    expect(await world.api.post(`/v1/templates/${name}/plan`, {})).toMatchObject({ inSync: 1, changed: 1 });
    expect(await sweep()).toMatchObject({ changed: 0 });
    clock.pass(DAY);
    await sweep();
    expect(await statesOf(name)).toEqual(['pending', 'pending']);
    expect(await ignored(name)).toEqual([]);
  });

  it('leaves what was applied before as it was, so that its end finds a drift', async () => {
    const name = await publish({ enabled: '1' }, { enabled: '1' });
    expect(await statesOf(name)).toEqual(['in_sync', 'in_sync']);
    await world.observe(name, NTP, [{ id: '1', hostname: 'ntp.example', enabled: '0' }]);
    const { id } = await ignore(name);
    await sweep();
    expect(await statesOf(name)).toEqual(['in_sync', 'drifted']);
    await world.api.send('DELETE', `/v1/templates/${name}/ignored/${id}`);
    await sweep();
    expect(await statesOf(name)).toEqual(['drifted', 'drifted']);
  });

  it('leaves the other options as they are', async () => {
    const name = await publish({ enabled: '1', note: 'x' }, { enabled: '0', note: 'y' });
    await ignore(name, { selector: 'all' });
    await sweep();
    expect(await statesOf(name)).toEqual(['pending', 'pending']);
    const plan = await world.api.post<{ options: object[] }>(`/v1/templates/${name}/plan`, {});
    expect(plan.options).toMatchObject([
      { option: 'note', is: 'different', devices: 2 },
      { option: 'enabled', is: 'ignored', devices: 2 },
    ]);
  });

  it('is of an item with a value of each device, by either form of its key', async () => {
    await world.add([{ name: 'key-1', site: 'keys' }]);
    await world.observe('keys', NTP, [{ id: '1', hostname: 'key-1', enabled: '0' }]);
    const items = [{ path: NTP, key: { hostname: '{{device.name}}' }, options: { enabled: '1' } }];
    await world.api.post('/v1/templates', { name: 'keys', selector: 'site:keys', items });
    await world.api.post('/v1/templates/keys/publish', { reason: 'a test' });
    for (const hostname of ['{{device.name}}', 'key-1']) {
      const { id } = await ignore('keys', { key: { hostname }, selector: 'site:keys' });
      await sweep();
      expect(await statesOf('keys')).toEqual(['in_sync']);
      await world.api.send('DELETE', `/v1/templates/keys/ignored/${id}`);
      await sweep();
      expect(await statesOf('keys')).toEqual(['pending']);
    }
  });

  it('needs an option that the template says, a selector, an end and a reason', async () => {
    const name = await publish();
    const inDays = (days: number) => ({ until: new Date(clock.now().getTime() + days * DAY).toISOString() });
    for (const wrong of [
      { option: 'note' },
      { path: GLOBAL, key: {} },
      { key: { hostname: 'another' } },
      { reason: ' ' },
      { until: undefined },
      inDays(0),
      inDays(91),
    ])
      expect([wrong, await codeOf(ignore(name, wrong))]).toEqual([wrong, 'invalid_input']);
    for (const selector of ['site:(', 'sync:drifted', `template:${name}`])
      expect(await codeOf(ignore(name, { selector }))).toBe('invalid_selector');
    expect(await codeOf(ignore('nothing'))).toBe('template_not_found');
    expect(await ignored(name)).toEqual([]);
    await ignore(name, inDays(90));
  });

  it('is one of at most 100 of its template, of those that have not ended', async () => {
    const name = await publish();
    const { id } = await ignore(name);
    await world.db.query(
      `insert into template_ignored select (jsonb_populate_record(row, jsonb_build_object('id', gen_random_uuid()))).*
         from template_ignored row, generate_series(1, 99) where row.id = $1`,
      [id],
    );
    expect(await codeOf(ignore(name))).toBe('too_many_ignored');
    expect(await ignored(name)).toHaveLength(100);
    clock.pass(DAY);
    expect(await codeOf(ignore(name))).toBe('done');
    const rows = await world.db.query<object[]>(
      'select from template_ignored where template_id = (select id from template where name = $1)',
      [name],
    );
    expect(rows).toHaveLength(1);
  });

  it('is in the audit, as its end is, and goes with its template', async () => {
    const name = await publish();
    const { id } = await ignore(name);
    await ignore(name);
    await world.api.send('DELETE', `/v1/templates/${name}/ignored/${id}`);
    expect(await codeOf(world.api.send('DELETE', `/v1/templates/${name}/ignored/${id}`))).toBe('ignored_not_found');
    const { items } = await world.api.get<{ items: object[] }>('/v1/audit?limit=3');
    const facts = { name, path: NTP, option: 'enabled', selector: `name:${name}-1`, reason: 'a broken switch' };
    expect(items).toMatchObject([
      { action: 'template.ignore_end', facts },
      { action: 'template.ignore', facts },
      { action: 'template.ignore', facts },
    ]);
    await world.api.send('DELETE', `/v1/templates/${name}`);
    expect(await world.db.query('select from template_ignored where selector = $1', [`name:${name}-1`])).toEqual([]);
  });
});

describe('a saved selector that is removed', () => {
  const template = (name: string) => world.api.get<{ unreadable: boolean }>(`/v1/templates/${name}`);

  it('leaves an ignored option and a template without devices, and both say so', async () => {
    const name = await publish();
    await world.api.send('PUT', '/v1/selectors/both', { selector: `site:${name}` });
    expect(await ignore(name, { selector: '@both' })).toMatchObject({ unreadable: false });
    const { items } = await world.api.get<{ items: object[] }>(`/v1/templates/${name}`);
    await world.api.post('/v1/templates', { name: 'by-saved', selector: '@both', items });
    expect(await template('by-saved')).toMatchObject({ unreadable: false });
    await world.api.send('DELETE', '/v1/selectors/both');
    expect(await ignored(name)).toMatchObject([{ selector: '@both', unreadable: true, orphaned: false }]);
    expect(await template('by-saved')).toMatchObject({ unreadable: true, orphaned: false });
    expect(await template(name)).toMatchObject({ unreadable: false });
  });

  it('is told of the version in force, whatever its draft says', async () => {
    const name = await publish();
    await world.api.send('PUT', '/v1/selectors/site', { selector: `site:${name}` });
    const { items } = await world.api.get<{ items: object[] }>(`/v1/templates/${name}`);
    await world.api.send('PUT', `/v1/templates/${name}`, { name, selector: '@site', items });
    await world.api.post(`/v1/templates/${name}/publish`, { reason: 'by a saved selector' });
    await world.api.send('PUT', `/v1/templates/${name}`, { name, selector: 'all', items });
    await world.api.send('DELETE', '/v1/selectors/site');
    expect(await template(name)).toMatchObject({ selector: 'all', unreadable: true });
  });
});

describe('the right to ignore', () => {
  it('reaches the devices on which its author may publish, as long as they may', async () => {
    const name = await publish();
    const { api, operatorId } = await addPerson(world, 'Eva', [{ role: 'operator', selector: `name:${name}-1` }]);
    const { id } = await ignore(name, { selector: 'all' }, api);
    await sweep();
    expect(await statesOf(name)).toEqual(['in_sync', 'pending']);
    await world.api.send('PATCH', `/v1/operators/${operatorId}`, { disabled: true });
    await sweep();
    expect(await statesOf(name)).toEqual(['pending', 'pending']);
    expect(await ignored(name)).toMatchObject([{ id, orphaned: true }]);
    await world.api.send('DELETE', `/v1/templates/${name}/ignored/${id}`);
  });

  it('is needed on all devices to end one, and shows those that reach a device of the reader', async () => {
    const name = await publish();
    const { id } = await ignore(name, { selector: `site:${name}` });
    await ignore(name);
    const second = { role: 'operator', selector: `name:${name}-2` };
    const { api } = await addPerson(world, 'Ida', [second]);
    expect(await ignored(name, api)).toMatchObject([{ id, selector: `site:${name}` }]);
    expect(await codeOf(api.send('DELETE', `/v1/templates/${name}/ignored/${id}`))).toBe('forbidden');
    const viewer = await addPerson(world, 'Vera', [{ role: 'viewer' }]);
    expect(await ignored(name, viewer.api)).toHaveLength(2);
    expect(await codeOf(ignore(name, {}, viewer.api))).toBe('forbidden');
    expect(await ignored(name)).toHaveLength(2);
  });
});
