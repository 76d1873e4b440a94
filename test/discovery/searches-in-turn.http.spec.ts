import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Locks } from '../../src/auth/access/locks.service.js';
import { Authors } from '../../src/auth/keys/authors.service.js';
import { DiscoveryRows } from '../../src/discovery/discovery-rows.js';
import { DiscoverySweeper } from '../../src/discovery/discovery.sweeper.js';
import { Clock } from '../../src/platform/clock.js';
import { WorkMarks } from '../../src/database/work-marks.js';
import { LOG } from '../../src/platform/log.js';
import { AddressVisits } from '../../src/proxy/sessions/address-visits.js';
import { AheadClock } from '../proxy/proxy-world.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';
import { until } from '../support/until.js';

/* One operator's long searches make no other operator wait. Nothing listens at the addresses that are searched. */

const AT_ONCE = 4;
const TURN_MS = 10 * 60_000;
const SLOW = { networks: ['127.31.0.0/20'], pace: { atOnce: 1, perSecond: 5 } };
const QUICK = { networks: ['127.31.0.1/32'] };

interface Run {
  readonly id: string;
  readonly state: string;
  readonly searched: number;
}

const clock = new AheadClock();
let world: TestGateway;
let started: { id: string; by: Person }[] = [];

beforeAll(async () => {
  world = await startTestGateway({}, clock);
});
afterEach(async () => {
  const cancels = started.map(({ id, by }) => by.api.post(`/v1/discovery/${id}/cancel`, {}).catch(() => undefined));
  await Promise.all(cancels);
  started = [];
});
afterAll(() => world.close());

const person = (name: string) => addPerson(world, name, [{ role: 'operator' }]);

async function start(by: Person, wish: object): Promise<string> {
  const { id } = await by.api.post<Run>('/v1/discovery', { ports: [18_444], ...wish });
  started.push({ id, by });
  return id;
}

const get = (id: string) => world.api.get<Run>(`/v1/discovery/${id}`);
const statesOf = async (ids: readonly string[]) => (await Promise.all(ids.map(get))).map(({ state }) => state);
const untilState = (id: string, state: string) => until(async () => (await get(id)).state === state);

/** As a further worker has it. */
function otherWorker(): DiscoverySweeper {
  const { app } = world.gateway;
  return new DiscoverySweeper(
    app.get(DiscoveryRows),
    app.get(AddressVisits),
    app.get(Clock),
    app.get(WorkMarks),
    app.get(Authors),
    app.get(Locks),
    app.get(LOG),
  );
}

describe('long searches of an operator', () => {
  it('run one at a time, and make no other operator wait', async () => {
    const [ada, bob] = [await person('Ada S'), await person('Bob S')];
    const long = [await start(ada, SLOW), await start(ada, SLOW), await start(ada, SLOW)];
    await untilState(long[0]!, 'running');
    await untilState(await start(bob, QUICK), 'finished');
    await untilState(await start(bob, QUICK), 'finished');
    expect(await statesOf(long)).toEqual(['running', 'queued', 'queued']);
    await ada.api.post(`/v1/discovery/${long[0]}/cancel`, {});
    await untilState(long[1]!, 'running');
    expect(await statesOf(long)).toEqual(['cancelled', 'running', 'queued']);
  });

  it('are few at once of all operators, and give up their place after their turn', async () => {
    const people: Person[] = [];
    for (let count = 0; count <= AT_ONCE; count++) people.push(await person(`Slow ${count}`));
    const ids: string[] = [];
    for (const one of people.slice(0, AT_ONCE)) ids.push(await start(one, SLOW));
    for (const id of ids) await untilState(id, 'running');
    const waiting = await start(people[AT_ONCE]!, QUICK);
    await until(async () => (await Promise.all(ids.map(get))).every(({ searched }) => searched > 10));
    expect(await statesOf([waiting])).toEqual(['queued']);
    clock.pass(TURN_MS);
    await untilState(waiting, 'finished');
    const before = await get(ids[0]!);
    await until(async () => (await get(ids[0]!)).searched > before.searched);
    expect(await statesOf(ids)).toEqual(ids.map(() => 'running'));
  });
});

describe('a worker whose searches are all with another one', () => {
  it('begins nothing, and does not look again before its pause is over', async () => {
    const id = await start(await person('Carl'), SLOW);
    await untilState(id, 'running');
    const wake = vi.fn<() => void>();
    const other = otherWorker();
    other.onWork(wake);
    expect(await other.sweep()).toMatchObject({ started: 0 });
    await other.beforeApplicationShutdown();
    expect(wake).not.toHaveBeenCalled();
  });
});
