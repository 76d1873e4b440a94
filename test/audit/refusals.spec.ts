import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FastifyInstance } from 'fastify';
import pg from 'pg';
import { Refusals } from '../../src/audit/entries/refusals.js';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* Refusals are counted to the last one, also when they cannot be written at once, and when the process stops. */

let world: TestGateway;
let owner: pg.Client;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', TRUSTED_PROXIES: '127.0.0.1/32' });
  owner = new pg.Client({ connectionString: world.databaseUrl });
  await owner.connect();
});
afterEach(() => letWrite());
afterAll(async () => {
  await owner.end();
  await world.close();
});

const letNothingWrite = () =>
  owner.query(`alter table audit_entry add constraint no_refusals check (action <> 'request.refuse') not valid`);
const letWrite = () => owner.query('alter table audit_entry drop constraint if exists no_refusals');
const write = () => world.gateway.app.get(Refusals).sweep();

/** Strangers that are refused, each from an address of their own. Their sockets are spared: they would cost more than all the rest. */
async function refuse({ app }: Gateway, strangers: number, network: string): Promise<void> {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  for (let index = 0; index < strangers; index++) {
    const headers = { 'x-forwarded-for': `${network}.${Math.floor(index / 250)}.${index % 250}` };
    expect((await server.inject({ url: '/v1/devices', headers })).statusCode).toBe(401);
  }
}

/** How many requests of strangers were refused, and in how many entries they stand. */
async function written(): Promise<{ refused: number; entries: number }> {
  const { rows } = await owner.query<{ refused: number; entries: number }>(
    `select coalesce(sum((facts->>'count')::int), 0)::int as refused, count(*)::int as entries from audit_entry
      where action = 'request.refuse' and facts->>'code' = 'unauthenticated'`,
  );
  return rows[0]!;
}

describe('refusals', () => {
  it('that could not be written are written later, with those that came meanwhile, and in a bounded number of entries', async () => {
    await write();
    const before = await written();
    await letNothingWrite();
    await refuse(world.gateway, 300, '10.1');
    await expect(write()).rejects.toThrow('no_refusals');
    await refuse(world.gateway, 10, '10.1'); // known already
    await refuse(world.gateway, 400, '10.2');
    await expect(write()).rejects.toThrow('no_refusals');
    await letWrite();
    await write();
    const after = await written();
    expect(after.refused - before.refused).toBe(710);
    expect(after.entries - before.entries).toBeLessThanOrEqual(501);
    await write();
    expect(await written()).toEqual(after);
  });

  it('are no question of who is there: a page that opens without a session asks it', async () => {
    await write();
    const before = await written();
    const server: FastifyInstance = world.gateway.app.getHttpAdapter().getInstance();
    const ask = (headers: Record<string, string>) => server.inject({ url: '/v1/self', headers });
    expect((await ask({})).statusCode).toBe(401);
    await write();
    expect(await written()).toEqual(before);
    expect((await ask({ authorization: 'Bearer fg_wrong' })).statusCode).toBe(401);
    expect((await ask({ cookie: 'fleetgate_session=wrong' })).statusCode).toBe(401);
    await write();
    expect((await written()).refused - before.refused).toBe(2);
  });

  it('of the last seconds of a process are written when it stops', async () => {
    const before = await written();
    const gateway = await startGateway({ config: readConfig({ ...world.env, LOG_LEVEL: 'silent' }) });
    await refuse(gateway, 3, '10.3');
    await gateway.close();
    expect((await written()).refused - before.refused).toBe(3);
  });
});
