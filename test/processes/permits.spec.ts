import { expect, it } from 'vitest';
import { type ParentProcess } from '../../src/processes/parent-process.js';
import { Permits, PermitTable } from '../../src/processes/permits.js';

/* Limits of several processes, by themselves: what each process of a machine gets, and what is left when one is gone. */

/** The permits of two processes with one parent. */
function twoProcesses() {
  const table = new PermitTable();
  const of = (id: string) => new Permits({ task: { id }, peer: { remote: () => table } } as unknown as ParentProcess);
  return { table, one: of('one'), other: of('other') };
}
const never = () => false;
const LONG_MS = 60_000;

it('are as many for all processes together as for one', async () => {
  const { one, other } = twoProcesses();
  const taken = [await one.take('a', 2), await other.take('a', 2), await one.take('a', 2), await other.take('b', 1)];
  expect(taken.map((give) => give !== null)).toEqual([true, true, false, true]);
  taken[1]!();
  expect(await one.take('a', 2)).not.toBeNull();
  expect(await other.take('a', 2)).toBeNull();
});

it('go to whoever waits longest', async () => {
  const { one, other } = twoProcesses();
  const give = await one.take('a', 1);
  const order: string[] = [];
  const waiting = [other.wait('a', 1, LONG_MS, never), one.wait('a', 1, LONG_MS, never)].map(async (wait, index) => {
    const giveBack = await wait;
    order.push(index === 0 ? 'other' : 'one');
    giveBack!();
  });
  give!();
  await Promise.all(waiting);
  expect(order).toEqual(['other', 'one']);
});

it('are free when the process that held them is gone, and it waits for none any more', async () => {
  const { table, one, other } = twoProcesses();
  await one.take('a', 1);
  const lost = one.wait('a', 1, 1, never);
  const next = other.wait('a', 1, LONG_MS, never);
  table.leave('one');
  expect(await next).not.toBeNull();
  expect(await lost).toBeNull();
});

it('are not waited for longer than asked, nor by a caller who has left', async () => {
  const { one, other } = twoProcesses();
  const give = await one.take('a', 1);
  expect(await other.wait('a', 1, 20, never)).toBeNull();
  let isOver = false;
  const left = other.wait('a', 1, LONG_MS, () => isOver);
  isOver = true;
  expect(await left).toBeNull();
  give!();
  expect(await other.take('a', 1)).not.toBeNull();
});

it('of a smaller share wait until so few are taken, while others may take the rest', async () => {
  const { one, other } = twoProcesses();
  const [first, second] = [await one.take('logins', 3), await one.take('logins', 3)];
  let granted = 0;
  const waiting = other.wait('logins', 1, LONG_MS, never).then(() => granted++);
  const third = await one.take('logins', 3);
  first!();
  second!();
  expect(granted).toBe(0);
  third!();
  await waiting;
  expect(granted).toBe(1);
});

it('of a process without a parent are its own', async () => {
  const alone = new Permits(null);
  expect(alone.isShared).toBe(false);
  const give = await alone.take('a', 1);
  expect(await alone.take('a', 1)).toBeNull();
  give!();
  expect(await alone.take('a', 1)).not.toBeNull();
});
