import { describe, expect, it } from '@jest/globals';
import { Turns } from '../../src/jobs/turns.js';

describe('turns of the event loop', () => {
  it('are shared by few at a time, in the order in which they came', async () => {
    const turns = new Turns();
    const order: number[] = [];
    for (let place = 0; place < 40; place++) void turns.take().then(() => order.push(place));
    const sizes: number[] = [];
    while (order.length < 40) {
      await new Promise(setImmediate);
      sizes.push(order.length);
    }
    expect(sizes).toEqual([32, 40]);
    expect(order).toEqual(Array.from({ length: 40 }, (_, place) => place));
  });

  it('hold up nobody who comes alone', async () => {
    const turns = new Turns();
    for (let count = 0; count < 100; count++) {
      let isThere = false;
      void turns.take().then(() => (isThere = true));
      await Promise.resolve();
      expect(isThere).toBe(true);
      await new Promise(setImmediate);
    }
  });

  it('begin fewer while turns are long, never none, and more again when they are short', async () => {
    let nowMs = 0;
    const turns = new Turns(() => nowMs);
    let begun = 0;
    for (let place = 0; place < 400; place++) void turns.take().then(() => begun++);
    const sizesOf = async (count: number, turnMs: number) => {
      const sizes: number[] = [];
      for (let turn = 0; turn < count; turn++) {
        const before = begun;
        nowMs += turnMs;
        await new Promise(setImmediate);
        sizes.push(begun - before);
      }
      return sizes;
    };
    await Promise.resolve();
    begun = 0;
    expect(await sizesOf(6, 30)).toEqual([8, 4, 2, 1, 1, 1]);
    expect(await sizesOf(4, 7)).toEqual([1, 1, 1, 1]);
    expect(await sizesOf(5, 1)).toEqual([2, 3, 4, 5, 6]);
  });
});
