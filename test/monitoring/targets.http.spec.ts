import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { addPerson } from '../support/people.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

interface Group {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** More than one batch of the export. */
const MANY = 2_500;

let world: TestGateway;
beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  await world.api.send('PUT', '/v1/fields/plan_mb', { type: 'number', description: 'Megabytes of the contract' });
  const add = (device: object) => world.api.post('/v1/devices', device);
  await add({ name: 'pump', baseUrl: 'https://192.0.2.7', site: 'a/1', model: 'RUT241', fields: { plan_mb: 500 } });
  await add({ name: 'gate "north"', baseUrl: 'https://[2001:db8::7]:8443', site: 'b' });
});
afterAll(() => world.close());

const targets = (query: Record<string, string> = {}, api = world.api) =>
  api.get<Group[]>(`/v1/devices/targets?${new URLSearchParams(query).toString()}`);

describe('the registry as targets of Prometheus', () => {
  it('has an address and the labels device and site for each device', async () => {
    expect(await targets()).toEqual([
      { targets: ['192.0.2.7:443'], labels: { device: 'pump', site: 'a/1' } },
      { targets: ['[2001:db8::7]:8443'], labels: { device: 'gate "north"', site: 'b' } },
    ]);
  });

  it('has the port and the labels that are asked for; a missing value is no label', async () => {
    expect(await targets({ port: '161', label: 'model,state,field.plan_mb' })).toEqual([
      {
        targets: ['192.0.2.7:161'],
        labels: { device: 'pump', site: 'a/1', model: 'RUT241', state: 'new', field_plan_mb: '500' },
      },
      { targets: ['[2001:db8::7]:161'], labels: { device: 'gate "north"', site: 'b', state: 'new' } },
    ]);
  });

  it('has no label of a field that no device has, whatever it is called', async () => {
    expect((await targets({ label: 'field.constructor' }))[0]!.labels).toEqual({ device: 'pump', site: 'a/1' });
  });

  it('is an empty list where nothing matches, which Prometheus takes', async () => {
    expect(await targets({ selector: 'tag:none' })).toEqual([]);
  });

  it.each([
    [{ label: 'password' }, 'invalid_input'],
    [{ label: 'model,' }, 'invalid_input'],
    [{ port: '0' }, 'invalid_input'],
    [{ selector: 'tagg:x' }, 'invalid_selector'],
  ])('refuses %j', async (query, code) => {
    await expect(targets(query)).rejects.toMatchObject({ code });
  });

  it('shows a narrowed key its own devices only', async () => {
    const { api } = await addPerson(world, 'Scraper', [{ role: 'viewer', selector: 'site:a/*' }]);
    const seen = await targets({}, api);
    expect(seen.map(({ labels }) => labels['device'])).toEqual(['pump']);
  });

  it('lists a fleet of several batches, each device once', async () => {
    const db = new pg.Client({ connectionString: world.databaseUrl });
    await db.connect();
    await db.query(
      `insert into device (id, name, base_url, site, tags, created_at, updated_at)
       select gen_random_uuid(), 'many-' || n, 'https://10.9.' || n / 250 || '.' || n % 250 + 1, '', array['many'], timestamptz '2026-01-01', timestamptz '2026-01-01'
         from generate_series(1, ${MANY}) as n`,
    );
    await db.end();
    const names = (await targets({ selector: 'tag:many' })).map(({ labels }) => labels['device']);
    expect([names.length, new Set(names).size]).toEqual([MANY, MANY]);
  });
});
