import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { withoutHidden } from '../../src/events/webhook-address.js';
import { WebhookDeliveries } from '../../src/events/webhook-deliveries.sweeper.js';
import { itInFull } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { holdEnds } from '../support/jobs/held-ends.js';
import { until } from '../support/until.js';

/* A receiver that does not come to an end is its own trouble: the others get what is theirs. */

const DELIVERY_MS = 15_000;

interface Hook {
  readonly id: string;
}
interface Delivery {
  readonly status: number | null;
  readonly error: string | null;
}

let world: TestGateway;
let db: pg.Pool;
let named = 0;
let ends: ReturnType<typeof holdEnds>;
const servers: Server[] = [];

beforeAll(async () => {
  ends = holdEnds(DELIVERY_MS);
  // It delivers nothing by itself: a pass that begins between two steps of a test would send other deliveries.
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
});
afterEach(async () => {
  ends.come();
  const { items } = await world.api.get<{ items: Hook[] }>('/v1/webhooks');
  for (const { id } of items) await world.api.send('DELETE', `/v1/webhooks/${id}`);
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(async () => {
  ends.restore();
  await db.end();
  await world.close();
});

/** A receiver and its webhook. */
async function hookTo(listener: RequestListener, at = '/hook', types = ['device.registered']): Promise<Hook> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${at}`;
  return world.api.post<Hook>('/v1/webhooks', { name: `hook ${++named}`, url, types });
}

/** Answers byte by byte, without an end. */
function drip(seen: { count: number }): RequestListener {
  return (_request, response) => {
    seen.count++;
    response.writeHead(200);
    const drops = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(drops));
  };
}

const take =
  (seen: { count: number }): RequestListener =>
  (_request, response) => {
    seen.count++;
    response.end();
  };

/** Makes an event, and waits until a pass can read it. */
async function register(): Promise<void> {
  await world.api.post('/v1/devices', { name: `device ${++named}`, baseUrl: `https://device-${named}.example` });
  await untilReadable();
}

/** An event can be read once all transactions before it have ended, those of other tests on this server included. */
async function untilReadable(): Promise<void> {
  const { rows } = await db.query<{ id: string }>('select pg_current_xact_id()::text as id');
  await until(async () => {
    const { rows: found } = await db.query<{ ended: boolean }>(
      'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as ended',
      [rows[0]!.id],
    );
    return found[0]!.ended;
  });
}

/** Makes the deliveries of all events so far, sends them, and ends when each has ended. */
const deliver = () => world.gateway.app.get(WebhookDeliveries).sweep();
const deliveries = async ({ id }: Hook) =>
  (await world.api.get<{ items: Delivery[] }>(`/v1/webhooks/${id}/deliveries`)).items;

describe('a receiver that drips', () => {
  it('is given up when its time is over, and the others get their next deliveries', async () => {
    const [slow, quick] = [{ count: 0 }, { count: 0 }];
    const dripping = await hookTo(drip(slow));
    await hookTo(take(quick));
    await register();
    const pass = deliver();
    await until(() => slow.count === 1 && quick.count === 1);
    await register();
    ends.come();
    await pass;
    const [given] = await deliveries(dripping);
    expect(given).toMatchObject({ status: null, error: 'no complete answer within 15 seconds' });
    const next = deliver();
    await until(() => slow.count === 2 && quick.count === 2);
    ends.come();
    await next;
  });

  itInFull('takes no turn from the others, however many deliveries it has waiting', async () => {
    const [slow, quick] = [{ count: 0 }, { count: 0 }];
    const dripping = await hookTo(drip(slow));
    await hookTo(take(quick));
    await db.query(
      `insert into webhook_delivery (webhook_id, event_tx, event_id, type, message, due_at, created_at)
       select $1, '1', number, 'device.registered', '{"data":{}}', now() - interval '1 hour', now()
         from generate_series(1, 400) as number`,
      [dripping.id],
    );
    const pass = deliver();
    await until(() => slow.count > 0);
    await register();
    ends.come();
    await pass;
    const next = deliver();
    await until(() => quick.count === 1);
    expect(slow.count).toBeLessThan(400);
    ends.come();
    await next;
  });
});

describe('a receiver that changes the protocol', () => {
  it('holds up nobody, and its deliveries say so', async () => {
    const [changed, quick] = [{ count: 0 }, { count: 0 }];
    const changing = await hookTo((request) => {
      changed.count++;
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    });
    await hookTo(take(quick));
    for (const round of [1, 2]) {
      await register();
      await deliver();
      expect([changed.count, quick.count]).toEqual([round, round]);
    }
    const [given] = await deliveries(changing);
    expect(given).toMatchObject({ status: null, error: 'The receiver changed the protocol of the connection' });
  });
});

describe('an address with bytes outside UTF-8', () => {
  it('is tried like any other, and the others get their deliveries', async () => {
    const [broken, quick] = [{ count: 0 }, { count: 0 }];
    const breaking = await hookTo((request) => {
      broken.count++;
      request.socket.destroy();
    }, '/hook?token=%ffsecret%20token');
    await hookTo(take(quick));
    await register();
    await deliver();
    const [given] = await deliveries(breaking);
    expect(given).toMatchObject({ status: null, error: 'socket hang up' });
    expect(quick.count).toBe(1);
  });

  it('is hidden as far as it can be read', () => {
    const said = withoutHidden('no %ffsecret token of %ffsecret%20token', {
      url: 'https://h.example/?t=%ffsecret%20token',
      format: 'cloudevents',
    });
    expect(said).toBe('no … of …');
  });

  it.each([
    ['https://ntfy.sh/alrt', 'ntfy', 'topic alrt, or "/alrt", is reserved: alrts'],
    ['https://ntfy.sh/a.b', 'ntfy', 'the topic a.b is a secret'],
    ['https://me:k3y@ntfy.sh/alrt', 'ntfy', 'no user me with k3y for alrt'],
  ] as const)('does not repeat the short topic or password of %s', (url, format, text) => {
    const words = withoutHidden(text, { url, format }).split(/[^\w.]+/);
    for (const secret of ['alrt', 'a.b', 'k3y']) expect(words).not.toContain(secret);
    expect(words.length).toBeGreaterThan(4);
  });
});

describe('a webhook that wants rare events', () => {
  it('does not read again what others wanted', async () => {
    const rare = await hookTo(take({ count: 0 }), '/hook', ['rollout.*']);
    const seen = async () =>
      (await db.query<{ tx: string }>('select seen_tx::text as tx from webhook where id = $1', [rare.id])).rows[0]!.tx;
    const before = BigInt(await seen());
    await db.query(
      'do $$ begin for number in 1..1100 loop perform pg_current_xact_id(); commit; end loop; end $$ language plpgsql',
    );
    await untilReadable();
    await deliver();
    expect(BigInt(await seen()) - before).toBeGreaterThanOrEqual(1_000n);
  });
});
