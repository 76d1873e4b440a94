import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Pool } from 'pg';
import { DataSource } from 'typeorm';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Audit } from '../../src/audit/entries/audit.js';
import { type AuditAction } from '../../src/audit/entries/audit-actions.js';
import { Batching } from '../../src/database/batching.js';
import { systemActor } from '../../src/platform/actor.js';
import { pooledClients } from '../../src/database/database.js';
import { appTerms } from '../../src/database/connection/session-terms.js';
import { freshDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: DataSource;
let audit: Audit;
const clock = new FakeClock();
const fact = { actor: systemActor('test'), action: 'device.call_write' as const, subject: 'POST /api/x' };

beforeAll(async () => {
  database = await freshDatabase();
  // As the application connects: its role may not change what it wrote.
  db = await new DataSource({
    type: 'postgres',
    url: database.url,
    extra: { max: 4, ...pooledClients(appTerms()) },
  }).initialize();
  audit = new Audit(db, clock);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const outcomeOf = async (entryId: string) =>
  (await db.query<{ outcome: string }[]>('select outcome from audit_outcome where entry_id = $1', [entryId]))[0]
    ?.outcome;

describe('the audit', () => {
  it('has an entry committed when open returns, and its outcome when close returns', async () => {
    const id = await audit.open(fact);
    expect(await db.query('select action from audit_entry where id = $1', [id])).toEqual([
      { action: 'device.call_write' },
    ]);
    expect(await outcomeOf(id)).toBeUndefined();
    await audit.close(id, 'succeeded', { status: 200 });
    expect(await outcomeOf(id)).toBe('succeeded');
  });

  it('gives entries ids that grow with time, so that those of one moment are neighbours in every index', async () => {
    const [first, ...next] = [await audit.open(fact), ...(await audit.openAll([fact, fact])), await audit.open(fact)];
    await db.transaction((tx) => audit.record(tx, fact));
    const [last] = await db.query<{ id: string }[]>('select id from audit_entry order by id desc limit 1');
    const ids = [first, ...next, last!.id];
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(parseInt(first.replace('-', '').slice(0, 12), 16)).toBeGreaterThan(Date.parse('2026-01-01'));
  });

  it('keeps the first outcome', async () => {
    const id = await audit.open(fact);
    await audit.close(id, 'failed');
    await audit.close(id, 'succeeded');
    expect(await outcomeOf(id)).toBe('failed');
  });

  it('goes with the transaction of a change: rolled back together', async () => {
    const before = await db.query<unknown[]>('select from audit_entry');
    const change = db.transaction(async (tx) => {
      await audit.record(tx, { ...fact, action: 'device.change' });
      throw new Error('the change failed');
    });
    await expect(change).rejects.toThrow('the change failed');
    expect(await db.query<unknown[]>('select from audit_entry')).toHaveLength(before.length);
  });

  it.each(['audit_entry', 'audit_outcome'])('cannot be altered in %s by the role of the application', async (table) => {
    for (const statement of [
      `update ${table} set facts = '{}'`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
      `drop table ${table}`,
    ]) {
      await expect(db.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it('writes what many open at once in few statements, each entry once', async () => {
    const ids = await Promise.all(Array.from({ length: 1200 }, () => audit.open(fact)));
    const [{ count }] = (await db.query('select count(*)::int as count from audit_entry where id = any($1)', [
      ids,
    ])) as [{ count: number }];
    expect(count).toBe(1200);
  });

  it('fails the one entry that Postgres refuses, and writes those of the same moment', async () => {
    const wrong = [
      { ...fact, action: 'not an action' as AuditAction },
      { ...fact, deviceId: 'not an id' },
    ];
    const facts = Array.from({ length: 300 }, (_, place) => wrong[place - 150] ?? fact);
    const query = vi.spyOn((db.driver as PostgresDriver).master as Pool, 'query');
    const results = await Promise.allSettled(facts.map((one) => audit.open(one)));
    const statements = query.mock.calls.length;
    query.mockRestore();
    expect(results.flatMap(({ status }, place) => (status === 'rejected' ? [place] : []))).toEqual([150, 151]);
    expect(results[150]).toMatchObject({ reason: { code: '23514' } }); // not `database_unavailable`, which is tried again
    expect(statements).toBeLessThan(50);
    const ids = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(await db.query<unknown[]>('select from audit_entry where id = any($1)', [ids])).toHaveLength(298);
  });

  it('fails the one outcome that Postgres refuses, and writes those of the same moment', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => audit.open(fact)));
    const outcomes = ids.map((id, place) => audit.close(id, place === 7 ? ('no outcome' as 'failed') : 'succeeded'));
    const results = await Promise.allSettled(outcomes);
    expect(results.flatMap(({ status }, place) => (status === 'rejected' ? [place] : []))).toEqual([7]);
    expect(await outcomeOf(ids[7]!)).toBeUndefined();
    expect(await outcomeOf(ids[8]!)).toBe('succeeded');
  });

  it('opens several intents together or none of them', async () => {
    const count = async () => (await db.query<unknown[]>('select from audit_entry')).length;
    const before = await count();
    expect(await audit.openAll([fact, fact, fact])).toHaveLength(3);
    expect(await count()).toBe(before + 3);
    const one = { ...fact, action: 'not an action' as AuditAction };
    await expect(audit.openAll([fact, one])).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(await count()).toBe(before + 3);
  });
});

describe('a group commit', () => {
  it('gathers what comes while a statement is under way', async () => {
    const groups: number[][] = [];
    let release = () => {};
    const group = new Batching<number>(async (rows) => {
      groups.push(rows);
      if (groups.length === 1) await new Promise<void>((resolve) => (release = resolve));
    });
    const first = group.add(1);
    await until(() => groups.length !== 0);
    const others = [group.add(2), group.add(3)];
    release();
    await Promise.all([first, ...others]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('fails those whose statement failed, and goes on with the next', async () => {
    let fail = true;
    const group = new Batching<number>(() => (fail ? Promise.reject(new Error('away')) : Promise.resolve()));
    await expect(group.add(1)).rejects.toThrow('away');
    fail = false;
    await expect(group.add(2)).resolves.toBeUndefined();
  });

  it('does not try again in parts when the database is away', async () => {
    let tries = 0;
    const group = new Batching<number>(() => Promise.reject(new Error(`away ${++tries}`)));
    await Promise.allSettled([1, 2, 3, 4].map((row) => group.add(row)));
    expect(tries).toBe(1);
  });
});
