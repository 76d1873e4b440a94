import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarationTable } from '../../src/simulator/device/declarations/table.js';
import { sizeOf } from '../support/forms.js';
import { startWatchedWorld, type WatchedWorld } from '../support/watched-world.js';

/* Routers of several families, as they are: what is adopted from them proposes no write to them. */

const ROUTERS = sizeOf({ short: 6, long: 12, nightly: 50 });
const PATHS_OF_A_TEMPLATE = 10;

/** What every router has. Users have a kind of jobs of their own. */
const PATHS = [...declarationTable().values()]
  .filter(({ path, needs }) => needs === undefined && !path.includes('{') && !path.startsWith('users'))
  .map(({ path, kind }) => `/api/${path}/${kind === 'record' ? 'global' : 'config'}`)
  .slice(0, 50);

let world: WatchedWorld;

beforeAll(async () => {
  const sites = Array.from({ length: ROUTERS }, () => 'north');
  world = await startWatchedWorld(sites, {}, null);
  await world.api.post('/v1/watches', { name: 'all', selector: 'all', paths: PATHS, everySeconds: 86_400 });
  await world.run('all');
});
afterAll(() => world.close());

interface Adoption {
  readonly items: readonly object[];
  readonly fields: readonly { readonly field: string }[];
  readonly leftOut: readonly { readonly reason: string }[];
}

it(`of ${ROUTERS} routers proposes no write, service by service`, async () => {
  expect(PATHS.length).toBeGreaterThan(30);
  const read = await world.db.query<{ path: string }[]>(
    `select path from observed where error is null group by path having count(*) = $1`,
    [ROUTERS],
  );
  expect(read.map(({ path }) => path).toSorted()).toEqual(PATHS.toSorted());
  const all: Adoption[] = [];
  for (let at = 0; at < PATHS.length; at += PATHS_OF_A_TEMPLATE) {
    const name = `t${at}`;
    const paths = PATHS.slice(at, at + PATHS_OF_A_TEMPLATE);
    all.push(await world.api.post<Adoption>('/v1/templates/adopt', { name, selector: 'all', from: 'all', paths }));
    const plan = await world.api.post<object>(`/v1/templates/${name}/plan`, { samples: 0 });
    expect(plan).toMatchObject({ devices: ROUTERS, inSync: ROUTERS, changed: 0, newSections: 0, leftOut: [] });
  }
  const fields = all.flatMap((adoption) => adoption.fields.map(({ field }) => field));
  expect(fields).toEqual(expect.arrayContaining(['interfaces_lan_ipaddr', 'system_device_hostname']));
  expect(all.flatMap(({ items }) => items).length).toBeGreaterThan(20);
  // Only what differs between the families is left out.
  expect(new Set(all.flatMap(({ leftOut }) => leftOut.map(({ reason }) => reason)))).toEqual(new Set(['not_on_all']));
});
