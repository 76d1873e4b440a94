import { describe, expect, it } from 'vitest';
import { WakeUpThrottle } from '../../../src/jobs/engine/wake-up-throttle.js';

describe('turns of the event loop', () => {
  it('are shared by few at a time, in the order in which they came', async () => {
    const turns = new WakeUpThrottle();
    const order: number[] = [];
    for (let place = 0; place < 40; place++) void turns.take(false).then(() => order.push(place));
    const sizes: number[] = [];
    while (order.length < 40) {
      await new Promise(setImmediate);
      sizes.push(order.length);
    }
    expect(sizes).toEqual([32, 40]);
    expect(order).toEqual(Array.from({ length: 40 }, (_, place) => place));
  });

  it('hold up nobody who comes alone', async () => {
    const turns = new WakeUpThrottle();
    for (let count = 0; count < 100; count++) {
      let isThere = false;
      void turns.take(false).then(() => (isThere = true));
      await Promise.resolve();
      expect(isThere).toBe(true);
      await new Promise(setImmediate);
    }
  });

  it('are given to jobs that have begun first, but for one of those that begin', async () => {
    const turns = new WakeUpThrottle();
    const order: string[] = [];
    for (let place = 0; place < 16; place++) void turns.take(true); // this turn is full
    for (let place = 0; place < 20; place++) void turns.take(true).then(() => order.push('fresh'));
    for (let place = 0; place < 20; place++) void turns.take(false).then(() => order.push('begun'));
    while (order.length < 40) await new Promise(setImmediate);
    const runs = order.join(' ').match(/(fresh ?)+|(begun ?)+/g)!;
    expect(runs.map((run) => [run.trim().split(' ')[0], run.trim().split(' ').length])).toEqual([
      ['begun', 15],
      ['fresh', 1],
      ['begun', 5],
      ['fresh', 19],
    ]);
  });
});
