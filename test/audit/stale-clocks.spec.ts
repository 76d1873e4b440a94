import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenEntriesSweeper } from '../../src/audit/entries/open-entries.sweeper.js';
import { systemActor } from '../../src/platform/actor.js';
import { SystemClock } from '../../src/platform/clock.js';
import { FakeClock } from '../support/fake-clock.js';
import { openAuditWorld, type AuditWorld } from './audit-world.js';

/*
 * A host that was frozen shows the time of before until it has asked the database. What it writes until then has the time
 * of the database, and raises no alarm.
 */

const HOUR_MS = 3_600_000;

const fact = { actor: systemActor('test'), action: 'device.call_write' as const, subject: 'POST /api/x' };

let world: AuditWorld;

beforeEach(async () => {
  world = await openAuditWorld(undefined, new FakeClock(Date.now()));
});
afterEach(() => world.close());

async function grow(): Promise<void> {
  await world.act(2);
  await world.sequencer.catchUp();
}

const steps = () => world.db.query<unknown[]>(`select from audit_entry where action = 'audit.clock_set_back'`);

describe.each([-2 * HOUR_MS, 2 * HOUR_MS])('a replica whose clock is %i ms off', (offMs) => {
  const replica = () => world.replica(new SystemClock(() => Date.now() + offMs));

  it('writes entries and outcomes that raise no alarm', async () => {
    await grow();
    const { audit, db } = await replica();
    await audit.close(await audit.open(fact), 'succeeded');
    await audit.openAll([fact, fact]);
    await audit.record(db.manager, fact);
    await grow();
    await grow();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { pending: 0, entries: 10 } });
  });

  it('signs no time of its own, and notices no step of the clock', async () => {
    await grow();
    const { sequencer, audit } = await replica();
    await audit.open(fact);
    await sequencer.catchUp();
    await grow();
    await sequencer.catchUp();
    expect(await world.verify()).toMatchObject({ findings: [], summary: { clockSetBack: 0, checkpoints: 3 } });
    expect(await steps()).toEqual([]);
  });

  it('closes no entry as if it were old', async () => {
    await world.audit.open(fact);
    await grow();
    const clock = new SystemClock(() => Date.now() + offMs);
    const limits = { DEVICE_BODY_LIMIT_BYTES: 0 };
    expect(await new OpenEntriesSweeper(world.db, clock, limits).sweep()).toEqual({ closed: 0 });
    await grow();
    expect((await world.verify()).findings).toEqual([]);
  });
});

it('a clock of the database that is set back leaves an audit that holds, while a replica still shows the time before', async () => {
  world.clock.pass(2 * HOUR_MS);
  await grow();
  const late = await world.replica(new SystemClock(() => Date.now() + 2 * HOUR_MS));
  await late.sequencer.catchUp();
  await late.audit.open(fact);
  await late.sequencer.catchUp();
  world.clock.pass(-2 * HOUR_MS);
  await grow();
  await grow();
  expect(await world.verify()).toMatchObject({ findings: [], summary: { clockSetBack: 1, pending: 0 } });
  expect(await steps()).toHaveLength(1);
});
