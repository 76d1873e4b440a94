import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { WebhookDeliveries } from '../../src/events/webhook-deliveries.sweeper.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type Person } from '../support/people.js';
import { until } from '../support/until.js';

/* A webhook carries what its author may see to a place that they chose, and nothing else. */

interface Hook {
  readonly id: string;
  readonly createdByName: string;
}
interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly message: { readonly subject: string; readonly data: { readonly name: string } };
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
afterEach(async () => {
  const { items } = await world.api.get<{ items: Hook[] }>('/v1/webhooks');
  for (const { id } of items) await world.api.send('DELETE', `/v1/webhooks/${id}`);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

let named = 0;
/** A name that nothing has yet: a test that is tried again makes all of it anew. */
const anew = (name: string) => `${name}-${++named}`;

/** Where nobody listens. */
const wish = (name: string) => ({ name: anew(name), url: 'http://127.0.0.1:9/hook', types: ['device.*'] });
/** @returns the name that the device was given */
async function register(like: string, site: string): Promise<string> {
  const name = anew(like);
  await world.api.post('/v1/devices', { name, site, baseUrl: `https://${name}.example` });
  return name;
}
const namesOf = (items: readonly Delivery[]) =>
  items.filter(({ type }) => type === 'device.registered').map(({ message }) => message.data.name);

/** What a webhook was made to send, when it has come as far as this device. */
const deliveriesUntil = (hook: Hook, last: string) =>
  until(async () => {
    const { items } = await world.api.get<{ items: Delivery[] }>(`/v1/webhooks/${hook.id}/deliveries`);
    return namesOf(items).includes(last) && items;
  });

describe('a webhook', () => {
  it('acts in the rights of whoever changed it last, and takes nothing along that was for another place', async () => {
    const hook = await world.api.post<Hook>('/v1/webhooks', wish('of the administrator'));
    await deliveriesUntil(hook, await register('before', 'south'));
    const changed = { ...wish('taken over'), url: 'http://127.0.0.1:9/mine' };
    const { body } = await narrow.api.send<Hook>('PUT', `/v1/webhooks/${hook.id}`, changed);
    expect(body.createdByName).toBe(narrow.name);
    await register('hidden', 'south');
    const seen = await register('seen', 'north');
    expect(namesOf(await deliveriesUntil(hook, seen))).toEqual([seen]);
    const changes = `select from audit_entry where action = 'webhook.change' and subject = $1`;
    const { rows } = await db.query(changes, [`webhook:${hook.id}`]);
    expect(rows).toHaveLength(1);
  });

  it('does not show what it sent to who may not see it, nor sends it anew for them', async () => {
    const hook = await world.api.post<Hook>('/v1/webhooks', wish('of all devices'));
    const south = await register('south', 'south');
    const north = await register('north', 'north');
    const all = await deliveriesUntil(hook, north);
    const { items } = await narrow.api.get<{ items: Delivery[] }>(`/v1/webhooks/${hook.id}/deliveries`);
    expect(namesOf(items)).toEqual([north]);
    const hidden = all.find(({ message }) => message.data.name === south)!;
    const replay = (person: { post(path: string, body: object): Promise<unknown> }) =>
      person.post(`/v1/webhooks/${hook.id}/deliveries/${hidden.id}/replay`, {});
    await expect(replay(narrow.api)).rejects.toMatchObject({ code: 'webhook_delivery_not_found' });
    await expect(replay(world.api)).resolves.toMatchObject({ message: hidden.message });
  });

  it('of a revoked key or of somebody who was disabled sends nothing more, is shown as an orphan, and goes on when somebody saves it', async () => {
    const wholeKey = await addKey(world, narrow.operatorId, { stepUp: true });
    const ofKey = await wholeKey.api.post<Hook>('/v1/webhooks', wish('of a key'));
    const ofSomebody = await narrow.api.post<Hook>('/v1/webhooks', wish('of somebody'));
    const orphaned = async (hook: Hook) =>
      (await world.api.get<{ orphaned: boolean }>(`/v1/webhooks/${hook.id}`)).orphaned;
    const made = (hook: Hook) =>
      db
        .query<{ type: string }>(`select from webhook_delivery where webhook_id = $1`, [hook.id])
        .then(({ rowCount }) => rowCount);
    const sweep = () => world.gateway.app.get(WebhookDeliveries).sweep();
    expect([await orphaned(ofKey), await orphaned(ofSomebody)]).toEqual([false, false]);

    await world.api.send('DELETE', `/v1/api-keys/${wholeKey.keyId}`);
    expect([await orphaned(ofKey), await orphaned(ofSomebody)]).toEqual([true, false]);
    // No pass that began before the revocation is still at it: the second device is registered after the first was passed on,
    // so its event was passed on by a later pass.
    for (const like of ['unheard', 'unheard']) await deliveriesUntil(ofSomebody, await register(like, 'north'));
    await db.query(
      `insert into webhook_delivery (webhook_id, event_tx, event_id, type, message, due_at, created_at)
       values ($1, '1', 1, 'device.registered', '{"data":{}}', now(), now())`,
      [ofKey.id],
    );
    await deliveriesUntil(ofSomebody, await register('unheard', 'north'));
    await sweep();
    expect(await made(ofKey)).toBe(1);
    const attempts = 'select attempts, state from webhook_delivery where webhook_id = $1';
    expect((await db.query(attempts, [ofKey.id])).rows).toEqual([{ attempts: 0, state: 'waiting' }]);

    try {
      await world.api.send('PATCH', `/v1/operators/${narrow.operatorId}`, { disabled: true });
      expect(await orphaned(ofSomebody)).toBe(true);
      const { items } = await world.api.get<{ items: { id: string; orphaned: boolean }[] }>('/v1/webhooks');
      expect(
        items
          .filter((hook) => hook.orphaned)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual([ofKey.id, ofSomebody.id].toSorted());
      const before = await made(ofSomebody);
      const last = await register('unheard-too', 'north');
      await sweep();
      expect(await made(ofSomebody)).toBe(before);

      await world.api.send('PUT', `/v1/webhooks/${ofKey.id}`, wish('of a key'));
      expect(await orphaned(ofKey)).toBe(false);
      await deliveriesUntil(ofKey, last);
    } finally {
      await world.api.send('PATCH', `/v1/operators/${narrow.operatorId}`, { disabled: false });
    }
  });

  it('is shown, told to the audit and logged without what its address hides', async () => {
    const token = 'token-of-the-receiver';
    const server = createServer((request, response) => {
      received.push(request.url!);
      response.writeHead(500).end(`no such token: ${token}`);
    }).listen(0, '127.0.0.1');
    const received: string[] = [];
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://us:pass-of-the-receiver@127.0.0.1:${port}/hook?token=${token}`;
    const shown = { url: `http://127.0.0.1:${port}/hook`, urlHidesSome: true };
    const hook = await world.api.post<Hook>('/v1/webhooks', { ...wish('with a token'), url });
    expect(hook).toMatchObject(shown);
    // Sent back as it is shown, the address stays.
    const change = { ...wish('with a token'), url: shown.url, types: ['device.registered'] };
    await world.api.send('PUT', `/v1/webhooks/${hook.id}`, change);
    await register('told', 'north');
    for (;;) {
      const { items } = await world.api.get<{ items: { status: number | null; error: string }[] }>(
        `/v1/webhooks/${hook.id}/deliveries`,
      );
      if (items[0]?.status !== 500) continue;
      expect(items[0].error).toBe('no such token: …');
      break;
    }
    expect(received[0]).toBe(`/hook?token=${token}`);
    const audit = await world.api.get('/v1/audit?action=webhook.*');
    const all = [hook, await world.api.get(`/v1/webhooks/${hook.id}`), await world.api.get('/v1/webhooks'), audit];
    expect(JSON.stringify(all)).toContain(shown.url);
    expect(JSON.stringify(all)).not.toMatch(/of-the-receiver/);
    server.close();
  });

  it('tells of locks of devices as far as its author sees the devices, and so does its log', async () => {
    await world.api.send('PUT', '/v1/roles/locks-of-north', {
      rules: [
        { effect: 'allow', permissions: ['webhook.manage', 'lock.read', 'approval.read'] },
        { effect: 'allow', permissions: ['device.read'], selector: 'site:north' },
      ],
    });
    const guard = await addPerson(world, 'Gus', [{ role: 'locks-of-north' }]);
    const hook = (types: string[]) => ({ ...wish('of locks'), types: [...types, 'device.registered'] });
    const own = await guard.api.post<Hook>('/v1/webhooks', hook(['lock.*']));
    const whole = await world.api.post<Hook>('/v1/webhooks', hook(['lock.*']));
    const lock = async (site: string) => {
      const device = await world.api.get<{ id: string }>(`/v1/devices/name:${await register('locked', site)}`);
      const set = { kind: 'device', target: device.id, reason: 'for webhooks' };
      return (await world.api.post<{ id: string }>('/v1/locks', set)).id;
    };
    const [north, south] = [await lock('north'), await lock('south')];
    const last = await register('last', 'north');
    const subjects = (items: readonly Delivery[]) =>
      items.filter(({ type }) => type === 'lock.set').map(({ message }) => message.subject);
    expect(subjects(await deliveriesUntil(own, last))).toEqual([`lock:${north}`]);
    expect(subjects(await deliveriesUntil(whole, last)).toSorted()).toEqual(
      [`lock:${north}`, `lock:${south}`].toSorted(),
    );
    const { items } = await guard.api.get<{ items: Delivery[] }>(`/v1/webhooks/${whole.id}/deliveries`);
    expect(subjects(items)).toEqual([`lock:${north}`]);
    for (const id of [north, south]) await world.api.send('DELETE', `/v1/locks/${id}`);
  });

  it('is not made with a narrowed key, beyond which it would reach', async () => {
    const { items } = await world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators');
    const { id } = items.find(({ name }) => name === 'the operator')!;
    const key = await addKey(world, id, { permissions: ['webhook.manage'] });
    await expect(key.api.post('/v1/webhooks', wish('wider'))).rejects.toMatchObject({ code: 'rights_not_held' });
    const hook = await world.as('operator').post<Hook>('/v1/webhooks', wish('of the operator'));
    const change = key.api.send('PUT', `/v1/webhooks/${hook.id}`, wish('mine now'));
    await expect(change).rejects.toMatchObject({ code: 'rights_not_held' });
  });
});
