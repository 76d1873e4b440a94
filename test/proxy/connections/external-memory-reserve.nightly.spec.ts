import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExternalMemoryReserve } from '../../../src/proxy/connections/external-memory-reserve.js';

/* As much as connections count outside of V8's heap when they open is thrown off, and taken in again when they close. */

const MB = 1024 * 1024;
const CHUNK_MB = 32;
const CONNECTIONS = 5_000;
const FIRST = 500;
const WHOLE_MB = (CONNECTIONS * 120) / 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What V8 compares with its limit; what the reserve gave up leaves it in the next turn. */
const countedMb = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  return process.memoryUsage().external / MB - without;
};
const residentMb = () => process.memoryUsage.rss() / MB;

let without = 0;
let reserve: ExternalMemoryReserve;
beforeEach(async () => {
  // What specs before this one left in the process goes by and by; freed later it would be missing from the sums below.
  let before: number;
  do {
    before = without;
    without = 0;
    collect();
    without = await countedMb();
  } while (Math.abs(before - without) > 1);
});
afterEach(() => reserve.end());

const NEAR = 1.6 * CHUNK_MB;
const offBy = async (mb: number) => Math.abs((await countedMb()) - mb);

/** Connections open or close one after the other. */
const move = (from: number, to: number) => {
  const step = Math.sign(to - from);
  for (let open = from; open !== to;) reserve.balance((open += step));
};

it('is there from 500 connections on, goes as more open, comes as they close, and is gone at the end', async () => {
  reserve = new ExternalMemoryReserve(CONNECTIONS);
  move(0, FIRST - 1);
  expect(await offBy(0)).toBeLessThan(1);
  move(FIRST - 1, FIRST);
  expect(await offBy(WHOLE_MB * (1 - FIRST / CONNECTIONS))).toBeLessThan(NEAR);
  move(FIRST, CONNECTIONS / 2);
  expect(await offBy(WHOLE_MB / 2)).toBeLessThan(NEAR);
  move(CONNECTIONS / 2, 2 * CONNECTIONS);
  expect(await offBy(0)).toBeLessThan(NEAR);
  move(2 * CONNECTIONS, 0);
  expect(await offBy(WHOLE_MB)).toBeLessThan(NEAR);
  reserve.end();
  reserve.balance(0);
  expect(await offBy(0)).toBeLessThan(NEAR);
});

it('takes no memory, however often it went and came', async () => {
  const before = residentMb();
  reserve = new ExternalMemoryReserve(CONNECTIONS);
  for (let round = 0; round < 3; round++) {
    move(0, CONNECTIONS);
    expect(await offBy(0)).toBeLessThan(NEAR);
    move(CONNECTIONS, 0);
    expect(await offBy(WHOLE_MB)).toBeLessThan(NEAR);
  }
  expect(residentMb() - before).toBeLessThan(WHOLE_MB / 2);
});

it('moves nothing for connections that come and go around a border', async () => {
  reserve = new ExternalMemoryReserve(CONNECTIONS);
  move(0, FIRST);
  const whole = await countedMb();
  let open = FIRST;
  while ((await countedMb()) > whole - CHUNK_MB / 2) reserve.balance(++open);
  const border = await countedMb();
  for (const next of [open - 1, open, open - 1]) {
    reserve.balance(next);
    expect(Math.abs((await countedMb()) - border)).toBeLessThan(CHUNK_MB / 2);
  }
});
