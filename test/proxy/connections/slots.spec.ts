import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../src/proxy/connections/cancellation.js';
import { Slots } from '../../../src/proxy/connections/slots.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the slots of a device', () => {
  it('are three for reads and one for a write, for each device', () => {
    const slots = new Slots();
    const taken = ['read', 'read', 'read', 'read', 'write', 'write'] as const;
    expect(taken.map((kind) => slots.tryAcquire('a', kind, 'ada'))).toEqual([true, true, true, false, true, false]);
    expect(slots.tryAcquire('b', 'write', 'ada')).toBe(true);
  });

  it('go to callers in turn, so that a thousand calls of one do not hold up the one call of another', async () => {
    const slots = new Slots();
    slots.tryAcquire('a', 'write', 'first');
    const order: string[] = [];
    const queue = (caller: string, name: string) =>
      void slots.acquire('a', 'write', caller, new Cancellation()).then(() => order.push(name));
    for (let call = 1; call <= 3; call++) queue('script', `script ${call}`);
    queue('ada', 'ada 1');
    for (const caller of ['first', 'script', 'ada', 'script']) {
      slots.release('a', 'write', caller);
      await settle();
    }
    expect(order).toEqual(['script 1', 'ada 1', 'script 2', 'script 3']);
  });

  it.each<[waiting: string, ended: string, served: string]>([
    // A panel has all three reads; its calls hang, so one of them ends for each read of others that comes next.
    ['panel ada', 'panel', 'ada'],
    ['panel panel panel ada', 'panel', 'ada'],
    ['panel ada ada ada', 'panel ada ada', 'ada ada ada'],
    ['panel ada bob', 'panel ada', 'ada bob'],
    ['panel ada bob', 'panel panel', 'ada panel'],
    ['panel ada bob', 'panel panel ada', 'ada panel bob'],
    ['panel panel ada', 'panel ada panel', 'ada panel panel'],
    ['ada panel', 'panel panel', 'ada panel'],
    ['ada ada ada bob', 'panel panel panel', 'ada bob ada'],
    ['ada ada ada bob', 'panel panel ada', 'ada bob ada'],
    ['panel panel', 'panel panel', 'panel panel'],
    ['ada panel ada', 'panel', 'ada'],
  ])('of reads let one caller have two while others wait: %s, after %s: %s', async (waiting, ended, served) => {
    const slots = new Slots();
    for (let call = 0; call < 3; call++) slots.tryAcquire('a', 'read', 'panel');
    const order: string[] = [];
    const cancellations: Cancellation[] = [];
    const calls = waiting.split(' ').map((caller) => {
      const cancellation = new Cancellation();
      cancellations.push(cancellation);
      return slots.acquire('a', 'read', caller, cancellation).then(
        () => order.push(caller),
        () => undefined,
      );
    });
    for (const caller of ended.split(' ')) {
      slots.release('a', 'read', caller);
      await settle();
    }
    expect(order.join(' ')).toBe(served);
    // Who still waits would be refused a minute later, while another file runs.
    for (const cancellation of cancellations) cancellation.cancel();
    await Promise.all(calls);
  });

  it('leave nothing behind when all have left', async () => {
    const slots = new Slots();
    for (let call = 0; call < 3; call++) slots.tryAcquire('a', 'read', 'ada');
    const waiting = slots.acquire('a', 'read', 'ada', new Cancellation());
    expect(slots.describe('a')).toMatchObject({ read: { taken: 3, waiting: 1 } });
    slots.release('a', 'read', 'ada');
    await waiting;
    for (let call = 0; call < 3; call++) slots.release('a', 'read', 'ada');
    expect(slots.describe('a')).toEqual({ read: { taken: 0, waiting: 0 }, write: { taken: 0, waiting: 0 } });
  });

  it('are not waited for by more than 2,000 calls', async () => {
    const slots = new Slots();
    slots.tryAcquire('a', 'write', 'first');
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
