import pg from 'pg';
import { expect, it } from 'vitest';
import { type AuditWorld, openAuditWorld } from './audit-world.js';
import { systemActor } from '../../src/platform/actor.js';

/* The database is away while a fleet goes on: what is known of sent writes has room, whatever was not sent. */

const write = { actor: systemActor('test'), action: 'device.call_write' as const, subject: 'POST /api/x' };

const outcomesOf = async ({ owner }: AuditWorld, ids: readonly string[]) =>
  (await owner.query<{ outcome: string }[]>('select outcome from audit_outcome where entry_id = any ($1)', [ids])).map(
    ({ outcome }) => outcome,
  );

/** Whether the database takes connections; the open ones end. */
async function takesConnections(world: AuditWorld, does: boolean): Promise<void> {
  const url = new URL(world.url);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`alter database "${name}" allow_connections ${does}`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
}

it('keeps the outcomes of sent writes, however many calls were refused without the database', async () => {
  const world = await openAuditWorld();
  const { audit } = world;
  const sent = await Promise.all(Array.from({ length: 20 }, () => audit.open(write)));
  await takesConnections(world, false);
  const refused = await Promise.allSettled(Array.from({ length: 12_500 }, () => audit.open(write)));
  expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
  const closed = await Promise.allSettled(sent.map((id) => audit.close(id, 'succeeded', { status: 200 })));
  expect(closed.filter(({ status }) => status === 'rejected')).toEqual([]);
  await takesConnections(world, true);
  await audit.closeLate();
  expect(await outcomesOf(world, sent)).toEqual(sent.map(() => 'succeeded'));
  await world.close();
});
