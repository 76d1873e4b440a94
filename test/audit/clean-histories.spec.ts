import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenEntriesSweeper } from '../../src/audit/entries/open-entries.sweeper.js';
import { systemActor } from '../../src/platform/actor.js';
import { casesOf, itInFull } from '../support/forms.js';
import { until } from '../support/until.js';
import { openAuditWorld, verifyWith, type AuditReplica, type AuditWorld } from './audit-world.js';

/* What happens to an honest gateway raises no alarm: crashes, lost outcomes, late commits, connections cut anywhere. */

let world: AuditWorld;

beforeEach(async () => {
  world = await openAuditWorld();
});
afterEach(() => world.close());

const fact = { actor: systemActor('test'), action: 'device.call_write' as const, subject: 'POST /api/x' };

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Cuts all connections of the application at once, as when every process is killed. */
const killAll = () =>
  world.owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );

describe('a history', () => {
  it.each(casesOf([1, 2, 3, 4, 5], 1, 2))('full of crashes (%i) is proved without a finding', async (seed) => {
    const next = numbers(seed);
    let replica: AuditReplica = await world.replica();
    const late = [];
    for (let step = 0; step < 40; step++) {
      world.clock.pass(next(60_000));
      const under = Promise.allSettled(
        Array.from({ length: 1 + next(20) }, async () => {
          const id = await replica.audit.open(fact);
          if (next(3) > 0) await replica.audit.close(id, 'succeeded'); // a third loses its outcome
        }),
      );
      const passes = Promise.allSettled([replica.sequencer.pass(), world.sequencer.pass()]);
      if (next(6) === 0) await killAll();
      await Promise.all([under, passes]);
      if (next(8) === 0) replica = await world.replica(); // a process that was started anew
      // Each of them keeps a connection: fewer than a pool has.
      if (next(8) === 0 && late.length < 4) {
        const runner = replica.db.createQueryRunner();
        await runner.startTransaction().catch(() => undefined);
        await replica.audit.record(runner.manager, fact).catch(() => undefined);
        late.push(runner);
      }
    }
    for (const runner of late) {
      await (next(2) === 0 ? runner.commitTransaction() : runner.rollbackTransaction()).catch(() => undefined);
      await runner.release().catch(() => undefined);
    }
    const early = await verifyWith(replica.verifier);
    expect(early.findings).toEqual([]);
    await until(async () => (await replica.sequencer.pass(0)) === 'done'); // a backend that was cut frees its lock late
    const { findings, summary } = await verifyWith(replica.verifier);
    expect(findings).toEqual([]);
    expect(summary.pending).toBe(0);
    expect(summary.entries).toBeGreaterThan(summary.outcomes);
    expect(summary.leaves).toBe(summary.entries + summary.outcomes);
  });

  it('with entries that a sweeper closed an hour later, and a gateway that stood still for a week', async () => {
    for (let index = 0; index < 5; index++) await world.audit.open(fact);
    await world.sequencer.catchUp();
    world.clock.pass(2 * 3_600_000);
    const limits = { DEVICE_BODY_LIMIT_BYTES: 0 };
    await new OpenEntriesSweeper(world.db, world.clock, limits).sweep();
    await world.audit.open(fact); // committed, and nobody was there to place it
    world.clock.pass(7 * 24 * 3_600_000);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { pending: 6 } });
    await world.sequencer.catchUp();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { pending: 0, leaves: 11 } });
  });

  itInFull('is proved while it grows', async () => {
    const growth = { isOver: false };
    const growing = (async () => {
      for (let round = 0; round < 10; round++) {
        await world.act(10);
        await world.sequencer.pass();
      }
      growth.isOver = true;
    })();
    while (!growth.isOver) expect((await world.verify()).findings).toEqual([]);
    await growing;
  });
});
