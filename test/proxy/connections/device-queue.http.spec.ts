import { afterAll, beforeAll, expect, it } from 'vitest';
import { AnsweringDevice } from '../../support/devices/answering-device.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addKey, addWithPassword, sessionOf } from '../../support/people.js';
import { until } from '../../support/until.js';

/* Calls that wait for a device are served for each operator in turn. All operators may make keys of their own. */

/** Two keys, a narrowed key and two sessions of Ada; a key and a session of Bob. */
const CREDENTIALS = { a1: 'Ada', a2: 'Ada', narrow: 'Ada', tab1: 'Ada', tab2: 'Ada', b1: 'Bob', tab3: 'Bob' } as const;

/** Writes that wait behind another one, by their callers, and the order in which the device gets them. */
const CASES: readonly (readonly [waiting: string, served: string])[] = [
  ['a1 b1', 'a1 b1'],
  ['a1 a1 b1', 'a1 b1 a1'],
  ['a1 a2 b1', 'a1 b1 a2'],
  ['a1 a1 a2 b1', 'a1 b1 a1 a2'],
  ['a1 narrow b1', 'a1 b1 narrow'],
  ['a1 tab1 b1', 'a1 b1 tab1'],
  ['tab1 tab2 b1', 'tab1 b1 tab2'],
  ['a2 a1 tab1 narrow b1', 'a2 b1 a1 tab1 narrow'],
  ['a1 a2 b1 tab3', 'a1 b1 a2 tab3'],
  ['b1 tab3 a1 a2', 'b1 a1 tab3 a2'],
  ['a1 a2 a1 a2 tab3', 'a1 tab3 a2 a1 a2'],
];

let world: TestGateway;
let device: AnsweringDevice;
let path: string;
const headers = new Map<string, Record<string, string>>();

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  device = new AnsweringDevice();
  const id = await device.register(world.api, 'only');
  path = `/v1/devices/${id}`;
  const people = {
    Ada: await addWithPassword(world, 'Ada Q', 'administrator'),
    Bob: await addWithPassword(world, 'Bob Q', 'administrator'),
  };
  for (const [caller, name] of Object.entries(CREDENTIALS)) {
    const operator = people[name];
    const scope = caller === 'narrow' ? { permissions: ['device.*'], stepUp: true } : { stepUp: true };
    headers.set(
      caller,
      caller.startsWith('tab')
        ? { cookie: `fleetgate-loopback=${(await sessionOf(world, operator)).token}`, origin: world.url }
        : { authorization: `Bearer ${(await addKey(world, operator.id, scope)).key}` },
    );
  }
});
afterAll(async () => {
  device.close();
  await world.close();
});

async function write(caller: string, name: string): Promise<number> {
  const answer = await fetch(`${world.url}${path}/api/queue/config/${name}`, {
    method: 'PUT',
    headers: { ...headers.get(caller), 'content-type': 'application/json' },
    body: JSON.stringify({ data: { id: name } }),
  });
  await answer.text();
  return answer.status;
}

const waiting = async () =>
  (await world.api.get<{ slots: { write: { waiting: number } } }>(`${path}/session`)).slots.write.waiting;

it.each(CASES)('of %s a device gets %s', async (callers, served) => {
  let letGo = () => {};
  device.hold = new Promise((resolve) => (letGo = resolve));
  device.paths.length = 0;
  const writes = [write('b1', 'first')];
  await until(() => device.paths.length === 1);
  for (const [index, caller] of callers.split(' ').entries()) {
    writes.push(write(caller, caller));
    await until(async () => (await waiting()) === index + 1);
  }
  letGo();
  expect(new Set(await Promise.all(writes))).toEqual(new Set([200]));
  expect(device.paths.map((sent) => sent.split('/').at(-1)).join(' ')).toBe(`first ${served}`);
});
