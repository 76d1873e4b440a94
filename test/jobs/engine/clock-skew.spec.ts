import { afterAll, beforeAll, expect, it } from 'vitest';
import { pino } from 'pino';
import { ClockSweeper } from '../../../src/platform/clock.sweeper.js';
import { SystemClock } from '../../../src/platform/clock.js';
import { atDeadline } from '../../../src/jobs/rows/job-state.js';
import { makeRowsWorld, type JobWorld, type TestWorker } from '../../support/jobs/job-world.js';
import { Barrier, DangerousKind } from '../../support/jobs/dangerous-kind.js';

const MINUTE = 60_000;

let strikes: DangerousKind;
let world: JobWorld;

beforeAll(async () => {
  strikes = new DangerousKind();
  world = await makeRowsWorld(strikes.kinds);
});
afterAll(() => world.close());

/** A worker on a host whose clock is off. */
async function workerOf(aheadMs: number): Promise<TestWorker> {
  const clock = new SystemClock(() => Date.now() + aheadMs);
  await new ClockSweeper(clock, world.db, pino({ level: 'silent' })).sweep();
  return world.addWorker(clock);
}

it.each([
  ['ahead', MINUTE],
  ['behind', -MINUTE],
])(
  'a worker whose host is a minute %s takes the age of an effect from the clock of the database',
  async (_words, off) => {
    const [first, second] = [await workerOf(0), await workerOf(off)];
    const door = new Barrier();
    strikes.striking = ({ device: { id } }) => (id === deviceId ? door.pass() : Promise.resolve());
    const deviceId = await world.addDevice();
    const { id } = await world.start(deviceId, 'strike');
    const run = async ({ rows, leases, runner }: TestWorker) => {
      const dispatch = () => rows.dispatch(leases.owner, 1);
      const [ticket] = await world.eventually(dispatch, (tickets) => tickets.length > 0);
      await runner.run(ticket!, new AbortController().signal);
    };
    const lost = run(first);
    await door.reached();
    await world.db.query(`update job set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [id]);
    await world.sweeper.sweep();
    await run(second);
    const age = strikes.settlingMs.at(-1)!;
    expect(age).toBeGreaterThan(-MINUTE / 2);
    expect(age).toBeLessThan(MINUTE / 2);
    door.open();
    await lost;
    expect(strikes.sent.filter((sent) => sent === deviceId)).toHaveLength(1);
  },
);

it('a clock is not moved by differences that a question to the database explains', async () => {
  let host = 1_000_000;
  const clock = new SystemClock(
    () => host,
    () => host,
  );
  await clock.follow(() => Promise.resolve(host - 200));
  expect(clock.nowMs()).toBe(host);
  await clock.follow(() => {
    host += 5_000;
    return Promise.resolve(host - 4_000);
  });
  expect(clock.nowMs()).toBe(host);
  await clock.follow(() => Promise.resolve(host - 300));
  expect(clock.nowMs()).toBe(host - 300);
});

it('a step of the host’s clock ends no waiting job at its deadline', async () => {
  let aheadMs = 0;
  const { rows } = await world.addWorker(new SystemClock(() => Date.now() + aheadMs));
  const { id } = await world.start(await world.addDevice(), 'strike');
  await world.db.query(`update job set deadline_at = clock_timestamp() + interval '30 minutes' where id = $1`, [id]);
  aheadMs = 60 * MINUTE;
  expect(await rows.moveOverdue(atDeadline)).toBe(0);
  expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', outcome: null });
});
