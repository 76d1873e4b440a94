import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditQueries } from '../../src/audit/entries/audit.queries.js';
import { DeviceFilters } from '../../src/audit/entries/audit-filter.js';
import { OpenEntriesSweeper } from '../../src/audit/entries/open-entries.sweeper.js';
import { parseCheckpoint } from '../../src/merkle-log/checkpoint.js';
import { systemActor } from '../../src/platform/actor.js';
import { openAuditWorld, verifyWith, type AuditWorld } from './audit-world.js';

/* A clock that is set back alters neither what the audit proves nor the order in which it is read. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let world: AuditWorld;

beforeEach(async () => {
  world = await openAuditWorld();
});
afterEach(() => world.close());

const actor = systemActor('test');
const fact = { actor, action: 'device.call_write' as const, subject: 'POST /api/x' };

async function grow(count: number): Promise<string[]> {
  const ids = await world.act(count);
  await world.sequencer.catchUp();
  return ids;
}

/** All entries as they are listed, page by page. */
async function listed(limit: number): Promise<string[]> {
  const queries = new AuditQueries(world.db, new DeviceFilters());
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const { items, next } = await queries.list({ limit, action: 'device.*', cursor }, actor);
    ids.push(...items.map(({ id }) => id));
    if (next === null) return ids;
    cursor = next;
  }
}

const steps = () =>
  world.db.query<{ facts: unknown }[]>(`select facts from audit_entry where action = 'audit.clock_set_back'`);

describe('a clock that is set back', () => {
  it.each([6 * 60_000, HOUR_MS, 400 * DAY_MS])(
    'by %i ms leaves an audit that holds, and is an entry of it',
    async (ms) => {
      await grow(3);
      world.clock.pass(60_000);
      await grow(3);
      world.clock.pass(-ms);
      const from = new Date(world.clock.now().getTime() + ms).toISOString();
      await world.act(3);
      expect(await world.verify()).toMatchObject({ findings: [], summary: { pending: 6 } });
      await world.sequencer.pass();
      expect((await world.verify()).findings).toEqual([]);
      for (let minute = 0; minute < 3; minute++) {
        world.clock.pass(60_000);
        await grow(1);
      }
      expect(await world.verify()).toMatchObject({ findings: [], summary: { pending: 0, clockSetBack: 1 } });
      expect(await steps()).toEqual([{ facts: { from, to: new Date(Date.parse(from) - ms).toISOString() } }]);
      world.clock.pass(2 * ms);
      await grow(1);
      expect(await world.verify()).toMatchObject({ findings: [], summary: { pending: 0, clockSetBack: 1 } });
    },
  );

  it('while the gateway was down is noticed by the next process', async () => {
    await grow(3);
    world.clock.pass(-HOUR_MS);
    const next = await world.replica();
    await next.audit.open(fact);
    await next.sequencer.pass();
    await next.sequencer.catchUp();
    expect(await verifyWith(next.verifier)).toMatchObject({ findings: [], summary: { clockSetBack: 1, pending: 0 } });
    expect(await steps()).toHaveLength(1);
  });

  it.each([0, 20])('is one entry for all replicas, when another one notices it %i minutes later', async (minutes) => {
    const other = await world.replica();
    await grow(2);
    await other.sequencer.catchUp();
    world.clock.pass(60_000);
    await grow(1);
    await other.sequencer.catchUp();
    world.clock.pass(-2 * HOUR_MS);
    await grow(1);
    for (let minute = 0; minute < minutes; minute++) {
      world.clock.pass(60_000);
      await grow(1);
    }
    await other.sequencer.catchUp();
    expect(await steps()).toHaveLength(1);
    // The next step is another one, also for the replica that noticed neither.
    world.clock.pass(-HOUR_MS);
    await other.sequencer.catchUp();
    await grow(1);
    expect(await steps()).toHaveLength(2);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { clockSetBack: 2, pending: 0 } });
  });

  it('again by the replica that noticed the first step is an entry of its own', async () => {
    await grow(1);
    world.clock.pass(-2 * HOUR_MS);
    await grow(1);
    world.clock.pass(3 * HOUR_MS);
    await world.sequencer.catchUp();
    world.clock.pass(-2 * HOUR_MS);
    await grow(1);
    expect(await steps()).toHaveLength(2);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { clockSetBack: 2 } });
  });

  it('after a long rest, and after an entry that nothing was signed behind, leaves an audit that holds', async () => {
    await grow(1);
    world.clock.pass(DAY_MS);
    await world.sequencer.pass();
    await world.act(1);
    await world.sequencer.pass(HOUR_MS * 48); // placed, not signed
    world.clock.pass(-12 * HOUR_MS);
    await grow(2);
    await grow(2);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { clockSetBack: 1, pending: 0 } });
  });

  it('leaves an audit that holds when a transaction of the time before commits after it', async () => {
    await grow(1);
    const late = world.db.createQueryRunner();
    await late.startTransaction();
    await world.audit.record(late.manager, fact);
    world.clock.pass(-HOUR_MS);
    await grow(2);
    await late.commitTransaction();
    await late.release();
    world.clock.pass(60_000);
    await grow(2);
    await grow(2);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { pending: 0 } });
  });

  it('lets nobody slip in an entry of the time before both clocks', async () => {
    await grow(3);
    world.clock.pass(-HOUR_MS);
    await grow(3);
    const [forged] = await world.owner.query<{ id: string }[]>(
      `insert into audit_entry (id, opened_at, action, actor, actor_name, subject)
       values (gen_random_uuid(), $1, 'device.call_write', 'key:x', 'x', 'PUT /x') returning id`,
      [new Date(world.clock.now().getTime() - HOUR_MS)],
    );
    await grow(3);
    const { findings } = await world.verify();
    expect(findings).toMatchObject([{ kind: 'row_out_of_time', row: { id: forged!.id } }]);
  });

  it('keeps the order of the log in lists, page by page', async () => {
    const before = await grow(3);
    world.clock.pass(60_000);
    before.push(...(await grow(3)));
    world.clock.pass(-HOUR_MS);
    const after = await grow(3);
    world.clock.pass(60_000);
    after.push(...(await world.act(2)));
    world.clock.pass(-2 * HOUR_MS);
    await grow(0);
    const last = await grow(4);
    const newestFirst = [...before, ...after, ...last].toReversed();
    expect((await listed(100)).toSorted()).toEqual(newestFirst.toSorted());
    // Entries of one moment have no order by the clock: what counts is which of the three clocks they are of.
    const clockOf = (id: string) => [before, after, last].findIndex((ids) => ids.includes(id));
    for (const limit of [100, 2, 5]) expect((await listed(limit)).map(clockOf)).toEqual(newestFirst.map(clockOf));
  });

  it('holds up neither signing nor the sequencer that rests after a failure', async () => {
    await grow(1);
    world.clock.pass(-HOUR_MS);
    await world.act(1);
    await world.sequencer.sweep();
    world.clock.pass(10_000);
    await world.act(1);
    await world.sequencer.sweep();
    const notes = await world.db.query<{ note: string }[]>('select note from audit_checkpoint order by size');
    expect(notes.map(({ note }) => parseCheckpoint(note)!.checkpoint.setBackFrom !== undefined)).toEqual([
      false,
      true,
      false,
    ]);
    await world.owner.query('alter table audit_leaf rename to audit_leaf_away');
    await expect(world.sequencer.sweep()).rejects.toThrow('audit_leaf');
    await world.owner.query('alter table audit_leaf_away rename to audit_leaf');
    world.clock.pass(-DAY_MS);
    await world.act(1);
    await world.sequencer.sweep();
    expect((await world.verify()).findings).toEqual([]);
  });
});

describe('an entry that a process left open', () => {
  const sweeper = () => new OpenEntriesSweeper(world.db, world.clock, { DEVICE_BODY_LIMIT_BYTES: 0 });
  const outcomes = async () =>
    (await world.db.query<{ outcome: string }[]>('select outcome from audit_outcome')).map(({ outcome }) => outcome);

  it('is closed as unknown after an hour, and not before', async () => {
    const id = await world.audit.open(fact);
    await world.sequencer.catchUp();
    world.clock.pass(59 * 60_000);
    expect(await sweeper().sweep()).toEqual({ closed: 0 });
    world.clock.pass(2 * 60_000);
    expect(await sweeper().sweep()).toEqual({ closed: 1 });
    expect(await world.db.query('select entry_id as id from audit_outcome')).toEqual([{ id }]);
    expect(await sweeper().sweep()).toEqual({ closed: 0 });
  });

  it('is closed after a downtime of any length', async () => {
    await world.audit.open(fact);
    await world.sequencer.catchUp();
    world.clock.pass(20 * DAY_MS);
    expect(await sweeper().sweep()).toEqual({ closed: 1 });
    expect(await outcomes()).toEqual(['unknown']);
  });

  it('is closed after a downtime also when it had no place in the log before', async () => {
    await world.audit.open(fact);
    world.clock.pass(20 * DAY_MS);
    await world.sequencer.catchUp();
    expect(await sweeper().sweep()).toEqual({ closed: 0 });
    world.clock.pass(61 * 60_000);
    expect(await sweeper().sweep()).toEqual({ closed: 1 });
  });

  it('is closed an hour after the clock was set back, on either side of that', async () => {
    await world.audit.open(fact);
    await world.sequencer.catchUp();
    world.clock.pass(-400 * DAY_MS);
    await world.audit.open(fact);
    await world.sequencer.catchUp();
    expect(await sweeper().sweep()).toEqual({ closed: 0 });
    world.clock.pass(61 * 60_000);
    expect(await sweeper().sweep()).toEqual({ closed: 2 });
  });

  it('stays open while it is under way and the clock is set forward, and is closed an hour later', async () => {
    const running = sweeper();
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute++) {
        world.clock.pass(60_000);
        await running.sweep();
      }
    };
    const [underWay] = [await world.audit.open(fact), await world.audit.open(fact)];
    await world.sequencer.catchUp();
    await minutes(2);
    world.clock.pass(3 * HOUR_MS);
    await minutes(58);
    await world.audit.close(underWay, 'succeeded');
    expect(await outcomes()).toEqual(['succeeded']);
    world.clock.pass(-3 * HOUR_MS); // was wrong, and is put right
    await minutes(65);
    expect((await outcomes()).toSorted()).toEqual(['succeeded', 'unknown']);
  });

  it('is not searched for again in what has no open one', async () => {
    await world.audit.open(fact);
    await grow(5);
    world.clock.pass(2 * HOUR_MS);
    await sweeper().sweep();
    expect(await world.db.query('select closed_through::int as "through" from audit_log')).toEqual([{ through: 11 }]);
    await grow(5);
    expect(await sweeper().sweep()).toEqual({ closed: 0 });
  });
});
