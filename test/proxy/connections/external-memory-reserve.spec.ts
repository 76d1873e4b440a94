import { expect, it } from 'vitest';
import { ExternalMemoryReserve } from '../../../src/proxy/connections/external-memory-reserve.js';

/* How much of it there is. That V8 counts it, and that it takes no memory, is in the nightly form. */

const CHUNK = 32 * 1024 * 1024;
const CONNECTIONS = 5_000;
const WHOLE = CONNECTIONS * 120 * 1024;
const NEAR = 1.6 * CHUNK;

/** Connections open or close one after the other. */
function move(reserve: ExternalMemoryReserve, from: number, to: number): void {
  const step = Math.sign(to - from);
  for (let open = from; open !== to;) reserve.balance((open += step));
}

it('is there from 500 connections on, goes as more open, comes as they close, and is gone at the end', () => {
  const reserve = new ExternalMemoryReserve(CONNECTIONS);
  const offBy = (bytes: number) => Math.abs(reserve.bytes - bytes);
  move(reserve, 0, 499);
  expect(reserve.bytes).toBe(0);
  move(reserve, 499, 500);
  expect(offBy(WHOLE * 0.9)).toBeLessThan(NEAR);
  move(reserve, 500, CONNECTIONS / 2);
  expect(offBy(WHOLE / 2)).toBeLessThan(NEAR);
  move(reserve, CONNECTIONS / 2, 2 * CONNECTIONS);
  expect(reserve.bytes).toBe(0);
  move(reserve, 2 * CONNECTIONS, 0);
  expect(offBy(WHOLE)).toBeLessThan(NEAR);
  reserve.end();
  reserve.balance(0);
  expect(reserve.bytes).toBe(0);
});

it('moves nothing for connections that come and go around a border', () => {
  const reserve = new ExternalMemoryReserve(CONNECTIONS);
  move(reserve, 0, 500);
  const whole = reserve.bytes;
  let open = 500;
  while (reserve.bytes === whole) reserve.balance(++open);
  const border = reserve.bytes;
  for (const next of [open - 1, open, open - 1]) {
    reserve.balance(next);
    expect(reserve.bytes).toBe(border);
  }
  reserve.end();
});
