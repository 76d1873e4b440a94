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
});
