import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../src/proxy/connections/cancellation.js';
import { Slots } from '../../../src/proxy/connections/slots.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the slots of a device', () => {
  it('are three for reads and one for a write, for each device', () => {
    const slots = new Slots();
    const taken = ['read', 'read', 'read', 'read', 'write', 'write'] as const;
    expect(taken.map((kind) => slots.tryAcquire('a', kind))).toEqual([true, true, true, false, true, false]);
    expect(slots.tryAcquire('b', 'write')).toBe(true);
  });

  it('go to callers in turn, so that a thousand calls of one do not hold up the one call of another', async () => {
    const slots = new Slots();
    slots.tryAcquire('a', 'write');
    const order: string[] = [];
    const queue = (caller: string, name: string) =>
      void slots.acquire('a', 'write', caller, new Cancellation()).then(() => order.push(name));
    for (let call = 1; call <= 3; call++) queue('script', `script ${call}`);
    queue('ada', 'ada 1');
    for (let call = 0; call < 4; call++) {
      slots.release('a', 'write');
      await settle();
    }
    expect(order).toEqual(['script 1', 'ada 1', 'script 2', 'script 3']);
  });

  it('leave nothing behind when all have left', async () => {
    const slots = new Slots();
    for (let call = 0; call < 3; call++) slots.tryAcquire('a', 'read');
    const waiting = slots.acquire('a', 'read', 'ada', new Cancellation());
    expect(slots.describe('a')).toMatchObject({ read: { taken: 3, waiting: 1 } });
    slots.release('a', 'read');
    await waiting;
    for (let call = 0; call < 3; call++) slots.release('a', 'read');
    expect(slots.describe('a')).toEqual({ read: { taken: 0, waiting: 0 }, write: { taken: 0, waiting: 0 } });
  });

  it('are not waited for by more than 2,000 calls', async () => {
    const slots = new Slots();
    slots.tryAcquire('a', 'write');
    const callers = Array.from({ length: 2_000 }, () => new Cancellation());
    const waiting = callers.map((cancellation) => slots.acquire('a', 'write', 'ada', cancellation).catch(() => 'gone'));
    await expect(slots.acquire('a', 'write', 'bob', new Cancellation())).rejects.toMatchObject({
      code: 'device_queue_full',
    });
    for (const cancellation of callers) cancellation.cancel();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['gone']));
    expect(slots.describe('a').write).toEqual({ taken: 1, waiting: 0 });
  });
});
