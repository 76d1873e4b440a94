import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type Person } from '../support/people.js';

/* A webhook carries what its author may see to a place that they chose, and nothing else. */

interface Hook {
  readonly id: string;
  readonly createdByName: string;
}
interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly message: { readonly data: { readonly name: string } };
}

let world: TestGateway;
let db: pg.Pool;
/** Manages webhooks, and sees the devices of one site. */
let narrow: Person;

beforeAll(async () => {
  world = await startTestGateway();
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
  await world.api.send('PUT', '/v1/roles/hooks-of-north', {
    rules: [
      { effect: 'allow', permissions: ['webhook.manage'] },
      { effect: 'allow', permissions: ['device.read'], selector: 'site:north' },
    ],
  });
  narrow = await addPerson(world, 'Vera', [{ role: 'hooks-of-north' }]);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

/** Where nobody listens. */
const wish = (name: string) => ({ name, url: 'http://127.0.0.1:9/hook', types: ['device.*'] });
const register = (name: string, site: string) =>
  world.api.post('/v1/devices', { name, site, baseUrl: `https://${name}.example` });
const namesOf = (items: readonly Delivery[]) =>
  items.filter(({ type }) => type === 'device.registered').map(({ message }) => message.data.name);

/** What a webhook was made to send, when it has come as far as this device. */
async function deliveriesUntil(hook: Hook, last: string): Promise<Delivery[]> {
  for (;;) {
    const { items } = await world.api.get<{ items: Delivery[] }>(`/v1/webhooks/${hook.id}/deliveries`);
    if (namesOf(items).includes(last)) return items;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a webhook', () => {
  it('acts in the rights of whoever changed it last, and takes nothing along that was for another place', async () => {
    const hook = await world.api.post<Hook>('/v1/webhooks', wish('of the administrator'));
    await register('before', 'south');
    await deliveriesUntil(hook, 'before');
    const changed = { ...wish('taken over'), url: 'http://127.0.0.1:9/mine' };
    const { body } = await narrow.api.send<Hook>('PUT', `/v1/webhooks/${hook.id}`, changed);
    expect(body.createdByName).toBe('Vera');
    await register('hidden', 'south');
    await register('seen', 'north');
    expect(namesOf(await deliveriesUntil(hook, 'seen'))).toEqual(['seen']);
    const { rows } = await db.query(`select from audit_entry where action = 'webhook.change'`);
    expect(rows).toHaveLength(1);
    await world.api.send('DELETE', `/v1/webhooks/${hook.id}`);
  });

  it('does not show what it sent to who may not see it, nor sends it anew for them', async () => {
    const hook = await world.api.post<Hook>('/v1/webhooks', wish('of all devices'));
    await register('south-1', 'south');
    await register('north-1', 'north');
    const all = await deliveriesUntil(hook, 'north-1');
    const { items } = await narrow.api.get<{ items: Delivery[] }>(`/v1/webhooks/${hook.id}/deliveries`);
    expect(namesOf(items)).toEqual(['north-1']);
    const hidden = all.find(({ message }) => message.data.name === 'south-1')!;
    const replay = (person: { post(path: string, body: object): Promise<unknown> }) =>
      person.post(`/v1/webhooks/${hook.id}/deliveries/${hidden.id}/replay`, {});
    await expect(replay(narrow.api)).rejects.toMatchObject({ code: 'webhook_delivery_not_found' });
    await expect(replay(world.api)).resolves.toBeTruthy();
    await world.api.send('DELETE', `/v1/webhooks/${hook.id}`);
  });

  it('is not made with a narrowed key, beyond which it would reach', async () => {
    const { items } = await world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators');
    const { id } = items.find(({ name }) => name === 'the operator')!;
    const key = await addKey(world, id, { permissions: ['webhook.manage'] });
    await expect(key.api.post('/v1/webhooks', wish('wider'))).rejects.toMatchObject({ code: 'rights_not_held' });
    const hook = await world.as('operator').post<Hook>('/v1/webhooks', wish('of the operator'));
    const change = key.api.send('PUT', `/v1/webhooks/${hook.id}`, wish('mine now'));
    await expect(change).rejects.toMatchObject({ code: 'rights_not_held' });
    await world.api.send('DELETE', `/v1/webhooks/${hook.id}`);
  });
});
