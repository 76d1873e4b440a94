import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Audit } from '../../src/audit/audit.js';
import { GroupCommit } from '../../src/platform/group-commit.js';
import { OpenEntriesSweeper } from '../../src/audit/open-entries.sweeper.js';
import { systemActor } from '../../src/platform/actor.js';
import { connectionOptions } from '../../src/platform/database.js';
import { type SweeperRunner } from '../../src/platform/sweeper.js';
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
    extra: { max: 4, options: connectionOptions() },
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

  it('opens several intents together or none of them', async () => {
    const count = async () => (await db.query<unknown[]>('select from audit_entry')).length;
    const before = await count();
    expect(await audit.openAll([fact, fact, fact])).toHaveLength(3);
    expect(await count()).toBe(before + 3);
    const one = { ...fact, action: 'not an action' as 'a.b' };
    await expect(audit.openAll([fact, one])).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(await count()).toBe(before + 3);
  });

  it('closes as unknown what a process left open, after an hour and not before', async () => {
    const id = await audit.open(fact);
    const sweeper = new OpenEntriesSweeper(db, clock, {} as SweeperRunner, { DEVICE_BODY_LIMIT_BYTES: 0 });
    clock.pass(59 * 60_000);
    await sweeper.sweep();
    expect(await outcomeOf(id)).toBeUndefined();
    clock.pass(2 * 60_000);
    // A pass takes a thousand at the most; the entries of the test above are open too.
    for (let closed = Infinity; closed > 0;) closed = (await sweeper.sweep())['closed'] ?? 0;
    expect(await outcomeOf(id)).toBe('unknown');
    expect(await sweeper.sweep()).toEqual({ closed: 0 });
  });
});

describe('a group commit', () => {
  it('gathers what comes while a statement is under way', async () => {
    const groups: number[][] = [];
    let release = () => {};
    const group = new GroupCommit<number>(async (rows) => {
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
    const group = new GroupCommit<number>(() => (fail ? Promise.reject(new Error('away')) : Promise.resolve()));
    await expect(group.add(1)).rejects.toThrow('away');
    fail = false;
    await expect(group.add(2)).resolves.toBeUndefined();
  });
});
