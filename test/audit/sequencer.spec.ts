import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemActor } from '../../src/platform/actor.js';
import { openCheckpoint } from '../../src/merkle-log/checkpoint.js';
import { isConsistent } from '../../src/merkle-log/merkle.js';
import { MerkleStore } from '../../src/audit/log/merkle-store.js';
import { sizeOf } from '../support/forms.js';
import { until } from '../support/until.js';
import { openAuditWorld, verifyWith, type AuditWorld } from './audit-world.js';

/* Each committed row gets one place in the log, whoever comes late, dies or is there twice. */

let world: AuditWorld;

beforeEach(async () => {
  world = await openAuditWorld();
});
afterEach(() => world.close());

const fact = { actor: systemActor('test'), action: 'device.call_write' as const, subject: 'POST /api/x' };

const leaves = () =>
  world.db.query<{ sequence: string; kind: number; row_id: string }[]>(
    'select sequence, kind, row_id from audit_leaf order by sequence',
  );

const checkpoints = async () => {
  const { verifier } = await world.log.key();
  const rows = await world.db.query<{ note: string }[]>('select note from audit_checkpoint order by size');
  return rows.map(({ note }) => openCheckpoint(note, verifier)!);
};

describe('the sequencer', () => {
  it('places entries and outcomes in one pass, and signs the whole', async () => {
    const ids = await world.act(3);
    await world.sequencer.sweep();
    const placed = await leaves();
    expect(placed.map(({ sequence }) => Number(sequence))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(placed.map(({ row_id }) => row_id).sort()).toEqual([...ids, ...ids].sort());
    expect(await checkpoints()).toMatchObject([{ origin: 'fleetgate/audit/test', size: 6 }]);
    expect(await world.verify()).toMatchObject({
      findings: [],
      summary: { holds: true, leaves: 6, entries: 3, outcomes: 3, pending: 0, checkpoints: 1 },
    });
  });

  it('gives nobody a second place, and signs nothing twice', async () => {
    await world.act(2);
    for (let pass = 0; pass < 3; pass++) await world.sequencer.catchUp();
    expect(await leaves()).toHaveLength(4);
    expect(await checkpoints()).toHaveLength(1);
  });

  it('places a row whose transaction commits after younger ones, once it is there', async () => {
    const late = world.db.createQueryRunner();
    await late.startTransaction();
    await world.audit.record(late.manager, { ...fact, subject: 'late' });
    await world.act(2);
    await world.sequencer.sweep();
    expect(await leaves()).toHaveLength(4);
    await world.act(1);
    await world.sequencer.sweep();
    expect(await leaves()).toHaveLength(6);
    await late.commitTransaction();
    await late.release();
    await world.sequencer.sweep();
    const placed = await leaves();
    expect(placed).toHaveLength(8);
    expect(new Set(placed.map(({ kind, row_id }) => `${kind} ${row_id}`)).size).toBe(8);
    await world.sequencer.catchUp();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: 8, pending: 0 } });
  });

  it('does not hold the log to what it signed in a pass whose commit failed', async () => {
    await world.sequencer.catchUp(); // finds where to begin
    await world.owner.query(`
      create function fail_at_commit() returns trigger language plpgsql as $$ begin raise 'the commit fails'; end $$;
      create constraint trigger fails_at_commit after insert on audit_checkpoint
        deferrable initially deferred for each row execute function fail_at_commit()`);
    const late = world.db.createQueryRunner();
    await late.startTransaction();
    await world.audit.record(late.manager, { ...fact, subject: 'late' });
    await world.act(2);
    await expect(world.sequencer.pass(0)).rejects.toThrow('the commit fails');
    await world.owner.query('drop trigger fails_at_commit on audit_checkpoint');
    // It is older than what was placed and rolled back, so it goes before that now.
    await late.commitTransaction();
    await late.release();
    await world.sequencer.catchUp();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: 6, pending: 0, checkpoints: 1 } });
  });

  it('is not broken off, however much it must look through', async () => {
    await world.sequencer.catchUp();
    await world.owner.query(`
      create function needs_time() returns trigger language plpgsql as $$ begin
        if current_setting('statement_timeout') <> '0' then raise 'this pass has a time limit'; end if;
        return new;
      end $$;
      create trigger needs_time before insert on audit_leaf for each row execute function needs_time()`);
    await world.act(1);
    await world.sequencer.catchUp();
    expect(await leaves()).toHaveLength(2);
  });

  it('leaves nothing of a pass whose process died in it, and the next one takes up all', async () => {
    await world.act(4);
    const other = await world.replica();
    const inTheMiddle = other.db.createQueryRunner();
    await inTheMiddle.startTransaction();
    await inTheMiddle.query('select pg_advisory_xact_lock(4711202615)');
    await inTheMiddle.query(
      `insert into audit_leaf select 0, 0, id, sha256('x'), decode(repeat('00', 16), 'hex') from audit_entry limit 1`,
    );
    expect(await world.sequencer.pass()).toBe('busy');
    const [{ pid }] = (await inTheMiddle.query('select pg_backend_pid() as pid')) as [{ pid: number }];
    await world.owner.query('select pg_terminate_backend($1)', [pid]);
    await expect(inTheMiddle.query('select 1')).rejects.toThrow(/terminat|closed|released|Connection/i);
    await inTheMiddle.release().catch(() => undefined);
    await until(async () => (await world.sequencer.pass()) !== 'busy'); // a backend frees its lock after it has said its end
    await world.sequencer.sweep();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: 8, pending: 0 } });
  });

  it('is led by one of two replicas at a time, and each row has one place', async () => {
    const other = await world.replica();
    const writes = world.act(60);
    const writing = { isOver: false };
    void writes.finally(() => (writing.isOver = true));
    while (!writing.isOver) await Promise.all([world.sequencer.pass(), other.sequencer.pass()]);
    await other.sequencer.catchUp();
    expect(await verifyWith(other.verifier)).toMatchObject({ findings: [], summary: { leaves: 120, pending: 0 } });
    const { verifier } = await other.log.key();
    expect(verifier).toEqual((await world.log.key()).verifier);
  });

  it('goes on when transaction numbers go back, as after a restore into another server', async () => {
    await world.act(2);
    await world.sequencer.catchUp();
    await world.owner.query(`update audit_log set watermark = '9223372036854775807'`);
    await world.act(2);
    await world.sequencer.catchUp();
    await world.act(1);
    await world.sequencer.catchUp();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: 10, pending: 0 } });
  });

  /** Entries as a backlog would hold them, without outcomes. @param writtenIn the transaction that they name, SQL */
  const backlog = (count: number, writtenIn: string) =>
    world.owner.query(
      `insert into audit_entry (id, opened_at, action, actor, actor_name, subject, facts, written_in)
       select gen_random_uuid(), (select coalesce(max(opened_at), now()) from audit_entry), 'test.do', 'system:test', 'test',
              'backlog', '{}', ${writtenIn}::xid8
         from generate_series(1, $1::int)`,
      [count],
    );

  const watermark = async () =>
    (await world.db.query<{ watermark: string | null }[]>('select watermark::text from audit_log'))[0]!.watermark;

  it('reads everything once where it has no number to begin with, and goes on from the last row that it placed', async () => {
    await backlog(20_010, `'3'`);
    const own = await world.act(1);
    expect(await world.sequencer.pass()).toBe('more');
    expect(await leaves()).toHaveLength(20_000);
    expect(await watermark()).toBe('3');
    expect(await checkpoints()).toEqual([]); // a signature on the way would be younger than the rows behind it
    await world.sequencer.catchUp();
    const placed = await leaves();
    expect(placed).toHaveLength(20_012);
    expect(placed.slice(-2).map(({ row_id }) => row_id)).toEqual([...own, ...own]);
    expect(Number(await watermark())).toBeGreaterThan(3);
  });

  it('places rows from before the log in the order of their times', async () => {
    await world.owner.query(
      `with old as (
         insert into audit_entry (id, opened_at, action, actor, actor_name, subject, written_in)
         select gen_random_uuid(), $1::timestamptz - number * interval '1 hour', 'test.do', 'key:x', 'x', 'PUT /x', null
           from generate_series(1, 50) as number returning id, opened_at)
       insert into audit_outcome (entry_id, closed_at, outcome, written_in) select id, opened_at, 'succeeded', null from old`,
      [world.clock.now()],
    );
    await world.act(1);
    await world.sequencer.catchUp();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: 102 } });
  });

  it('looks at everything again as long as there are rows whose number says nothing', async () => {
    await backlog(20_010, 'null');
    await world.act(1);
    expect(await world.sequencer.pass()).toBe('more');
    expect(await watermark()).toBeNull();
    await world.sequencer.catchUp();
    expect(await leaves()).toHaveLength(20_012);
    expect(await watermark()).not.toBeNull();
  });

  it('places rows whose numbers say nothing before its own: those from before the log, then those of another server', async () => {
    const [elsewhere, ago, own] = [await world.act(1), await world.act(1), await world.act(1)];
    for (const table of ['audit_entry', 'audit_outcome']) {
      const id = table === 'audit_entry' ? 'id' : 'entry_id';
      await world.owner.query(`update ${table} set written_in = '9223372036854775000' where ${id} = $1`, elsewhere);
      await world.owner.query(`update ${table} set written_in = null where ${id} = $1`, ago);
    }
    await world.sequencer.catchUp();
    const placed = await leaves();
    expect(placed.map(({ row_id }) => row_id)).toEqual([...ago, ...ago, ...elsewhere, ...elsewhere, ...own, ...own]);
  });

  it('looks at everything in a database that was restored into a server whose numbers are between those of the other one', async () => {
    await world.act(1);
    await world.sequencer.catchUp();
    await backlog(2, `'9223372036854775000'`);
    await world.act(1);
    // All that was written lies below the other server's watermark, which says nothing here: it still has its time.
    await world.owner.query(`update audit_log set server_id = '7000000000000000000', watermark = pg_current_xact_id()`);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: 2, pending: 4 } });
    await world.sequencer.catchUp();
    expect(await leaves()).toHaveLength(6);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: 6, pending: 0 } });
  });

  it('signs at most every ten seconds while it places at once', async () => {
    await world.act(1);
    await world.sequencer.sweep();
    await world.act(1);
    await world.sequencer.sweep();
    expect([(await leaves()).length, (await checkpoints()).length]).toEqual([4, 1]);
    world.clock.pass(10_000);
    await world.sequencer.sweep();
    expect(await checkpoints()).toMatchObject([{ size: 2 }, { size: 4 }]);
  });

  it('signs nothing that does not contain what it signed before', async () => {
    await world.act(4);
    await world.sequencer.catchUp();
    // Their rows lie below the watermark also where a transaction in another database holds it back: they would get the
    // same places again, and nothing would be missing.
    await world.owner.query('update audit_log set watermark = pg_current_xact_id()');
    await world.owner.query('delete from audit_leaf where sequence >= 5');
    await world.act(4);
    world.clock.pass(10_000);
    await expect(world.sequencer.sweep()).rejects.toThrow(/no longer contains what was signed at 8 leaves/);
    expect(await checkpoints()).toHaveLength(1);
  });

  it('remembers what it signed when the database is rolled back under it', async () => {
    await world.act(2);
    await world.sequencer.catchUp();
    await world.act(2);
    await world.sequencer.catchUp();
    await world.owner.query('delete from audit_leaf where sequence >= 4');
    await world.owner.query('delete from audit_checkpoint where size > 4');
    await world.owner.query(
      `delete from audit_entry where not exists (select from audit_leaf where row_id = id);
       delete from audit_outcome where not exists (select from audit_leaf where row_id = entry_id)`,
    );
    await expect(world.sequencer.catchUp()).rejects.toThrow(/no longer contains what was signed at 8 leaves/);
  });

  it('proves by its stored hashes that each checkpoint begins the next, beyond 256 leaves (and 65,536 in the nightly form)', async () => {
    const rows = sizeOf({ short: 1_000, long: 1_000, nightly: 66_000 });
    await world.owner.query(
      `insert into audit_entry (id, opened_at, action, actor, actor_name, subject)
       select gen_random_uuid(), $1, 'device.call_write', 'key:x', 'x', 'PUT /x' from generate_series(1, $2::int)`,
      [world.clock.now(), rows],
    );
    for (const size of [200, 300, 700]) {
      await world.act(size / 100);
      await world.sequencer.catchUp();
    }
    const made = await checkpoints();
    const { size, root } = made.at(-1)!;
    expect(size).toBeGreaterThan(rows);
    const store = new MerkleStore(world.db.manager);
    for (const old of [
      ...made,
      { size: 255, root: await store.root(255) },
      { size: rows - 400, root: await store.root(rows - 400) },
    ]) {
      expect(isConsistent(old, { size, root }, await store.consistency(old.size, size))).toBe(true);
    }
    expect(await world.verify()).toMatchObject({ findings: [], summary: { leaves: size } });
  });
});
