import { type Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { DeviceFilters } from '../../src/audit/entries/audit-filter.js';
import { AuditExport } from '../../src/audit/log/export.js';
import { LongAnswers, PIECE_CHARACTERS, STALLED_MS, type AnswerEnd } from '../../src/audit/log/long-answers.js';
import { systemActor } from '../../src/platform/actor.js';
import { FakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';
import { openAuditWorld, type AuditWorld } from './audit-world.js';

/* Exports and verifications whose readers stall, leave, or take their time. */

const actor = systemActor('test');

const textOf = async (answer: Readable) => (await answer.toArray()).join('');

/** Lets time pass in steps, until something is so. */
async function passUntil(clock: FakeClock, condition: () => unknown): Promise<void> {
  await until(() => {
    if (condition()) return true;
    clock.pass(5_000);
    return false;
  });
}

describe('an export', () => {
  let world: AuditWorld;
  let audit: AuditExport;
  beforeAll(async () => {
    world = await openAuditWorld();
    const { db, log, sequencer, clock } = world;
    audit = new AuditExport(db, log, world.audit, sequencer, new DeviceFilters(), clock, pino({ level: 'silent' }));
    await world.act(20);
  });
  afterAll(() => world.close());

  const ends = () =>
    world.db.query<{ outcome: string | null; facts: object }[]>(
      `select outcome.outcome, outcome.facts from audit_entry entry left join audit_outcome outcome on entry_id = entry.id
        where action = 'audit.export' order by entry.opened_at desc, entry.id desc`,
    );

  it.each([
    ['takes nothing', 'reader_stalled', 0, (answer: Readable) => passUntil(world.clock, () => answer.destroyed)],
    [
      'stops in the middle',
      'reader_stalled',
      expect.any(Number),
      async (answer: Readable) => {
        answer.once('readable', () => answer.read(1));
        await passUntil(world.clock, () => answer.destroyed);
      },
    ],
    ['leaves before the first byte', 'reader_left', 0, (answer: Readable) => void answer.destroy()],
  ])('of a reader that %s has failed, and the next one is answered', async (_what, why, leaves, leave) => {
    const answer = await audit.start({}, actor);
    await expect(audit.start({}, actor)).rejects.toMatchObject({ code: 'audit_busy' });
    await leave(answer);
    await until(async () => (await ends())[0]?.outcome === 'failed');
    expect((await ends())[0]!.facts).toEqual({ leaves, hashes: expect.any(Number), why });
    expect(await textOf(await audit.start({}, actor))).toContain('{"proof":"end"');
    await until(async () => (await ends())[0]?.outcome === 'succeeded');
  });

  it('that could not be placed in the log has failed, too', async () => {
    const { db, log, clock } = world;
    const sequencer = { place: () => Promise.reject(new Error('the log is held up')) } as never;
    const heldUp = new AuditExport(
      db,
      log,
      world.audit,
      sequencer,
      new DeviceFilters(),
      clock,
      pino({ level: 'silent' }),
    );
    for (let tries = 0; tries < 2; tries++) {
      await expect(heldUp.start({}, actor)).rejects.toThrow('the log is held up');
    }
    await until(async () => (await ends()).slice(0, 2).every(({ outcome }) => outcome === 'failed'));
  });
});

describe('a verification', () => {
  it('whose reader stalls gives its connection back, and the next one is answered', async () => {
    const world = await openAuditWorld();
    try {
      const answer = await world.verifier.start({}, actor);
      await passUntil(world.clock, () => answer.destroyed);
      expect(await textOf(await world.verifier.start({}, actor))).toContain('"type":"summary"');
    } finally {
      await world.close();
    }
  });
});

describe('a long answer', () => {
  const clock = new FakeClock();
  const piece = 'x'.repeat(PIECE_CHARACTERS);

  it('goes on while its reader takes a piece now and then', async () => {
    const answers = new LongAnswers(clock);
    const how: AnswerEnd[] = [];
    async function* pieces() {
      for (let count = 0; count < 5; count++) yield piece;
    }
    const answer = await answers.start(
      () => Promise.resolve({ pieces: pieces(), ended: (end) => void how.push(end) }),
      actor,
    );
    const reader = answer.iterator();
    for (let count = 0; count < 5; count++) {
      expect((await reader.next()).done).toBe(false);
      for (let ms = 0; ms < STALLED_MS - 10_000; ms += 5_000) {
        clock.pass(5_000);
        await new Promise(setImmediate); // the watch looks
      }
    }
    expect((await reader.next()).done).toBe(true);
    await until(() => how.length > 0);
    expect(how).toEqual(['complete']);
  });

  it('of one operator, whatever the keys, leaves room for two other operators', async () => {
    const answers = new LongAnswers(clock);
    async function* pieces() {
      yield piece;
    }
    const start = (operatorId: string, actorId = `key:${operatorId}`) =>
      answers.start(() => Promise.resolve({ pieces: pieces() }), { ...actor, operatorId, actorId });
    const slow = await start('1');
    await expect(start('1', 'key:another')).rejects.toMatchObject({ code: 'audit_busy' });
    const others = [await start('2'), await start('3')];
    await expect(start('4')).rejects.toMatchObject({ code: 'audit_busy' });
    slow.destroy();
    others.push(await until(() => start('4').catch(() => null)));
    for (const answer of others) answer.destroy();
  });

  it('is not given up while it is being made', async () => {
    let goOn = () => {};
    const made = new Promise<void>((resolve) => (goOn = resolve));
    async function* pieces() {
      await made;
      yield 'late';
    }
    const answer = await new LongAnswers(clock).start(() => Promise.resolve({ pieces: pieces() }), actor);
    const text = textOf(answer);
    for (let ms = 0; ms < 2 * STALLED_MS; ms += 5_000) {
      clock.pass(5_000);
      await new Promise(setImmediate);
    }
    goOn();
    expect(await text).toBe('late');
  });
});
