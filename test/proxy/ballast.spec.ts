import { afterEach, expect, it } from '@jest/globals';
import { Ballast } from '../../src/proxy/ballast.js';
import { until } from '../support/until.js';

/* As much as connections count outside of V8's heap when they open is thrown off, and taken in again when they close. */

const MB = 1024 * 1024;
const CONNECTIONS = 5_000;
const WHOLE_MB = (CONNECTIONS * 120) / 1024;
const BUT_FOR_MB = 48; // two chunks, and what else a process does

const allCountedMb = () => process.memoryUsage().arrayBuffers / MB;
const without = allCountedMb();
const countedMb = () => allCountedMb() - without;
const residentMb = () => process.memoryUsage.rss() / MB;
const settlesAt = (mb: number) => until(() => Math.abs(countedMb() - mb) < BUT_FOR_MB);

let ballast: Ballast;
afterEach(async () => {
  ballast.end();
  await settlesAt(0);
});

it('is counted, and takes no memory', () => {
  const resident = residentMb();
  ballast = new Ballast(CONNECTIONS);
  expect(Math.abs(countedMb() - WHOLE_MB)).toBeLessThan(BUT_FOR_MB);
  expect(residentMb() - resident).toBeLessThan(WHOLE_MB / 2);
});

it('goes as connections open, comes as they close, and is gone at the end', async () => {
  ballast = new Ballast(CONNECTIONS);
  for (let open = 1; open <= CONNECTIONS / 2; open += 1) ballast.balance(open);
  await settlesAt(WHOLE_MB / 2);
  for (let open = CONNECTIONS / 2; open <= 2 * CONNECTIONS; open += 1) ballast.balance(open);
  await settlesAt(0);
  for (let open = 2 * CONNECTIONS; open >= 0; open -= 1) ballast.balance(open);
  await settlesAt(WHOLE_MB);
  ballast.end();
  ballast.balance(0);
  expect(await settlesAt(0)).toBe(true);
});

it('moves nothing for connections that come and go', () => {
  ballast = new Ballast(CONNECTIONS);
  ballast.balance(1);
  const counted = countedMb();
  for (let round = 0; round < 1_000; round += 1) {
    ballast.balance(2);
    ballast.balance(1);
  }
  expect(Math.abs(countedMb() - counted)).toBeLessThan(8);
});
