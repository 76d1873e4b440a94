import { describe, expect, it } from 'vitest';
import { Gone } from '../../../src/proxy/connections/gone.js';
import { Slots } from '../../../src/proxy/connections/slots.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the slots of a device', () => {
  it('are three for reads and one for a write, for each device', () => {
    const slots = new Slots();
    const taken = ['read', 'read', 'read', 'read', 'write', 'write'] as const;
    expect(taken.map((kind) => slots.tryEnter('a', kind))).toEqual([true, true, true, false, true, false]);
    expect(slots.tryEnter('b', 'write')).toBe(true);
  });

  it('go to callers in turn, so that a thousand calls of one do not hold up the one call of another', async () => {
    const slots = new Slots();
    slots.tryEnter('a', 'write');
    const order: string[] = [];
    const queue = (caller: string, name: string) =>
      void slots.enter('a', 'write', caller, new Gone()).then(() => order.push(name));
    for (let call = 1; call <= 3; call++) queue('script', `script ${call}`);
    queue('ada', 'ada 1');
    for (let call = 0; call < 4; call++) {
      slots.leave('a', 'write');
      await settle();
    }
    expect(order).toEqual(['script 1', 'ada 1', 'script 2', 'script 3']);
  });

  it('leave nothing behind when all have left', async () => {
    const slots = new Slots();
    for (let call = 0; call < 3; call++) slots.tryEnter('a', 'read');
    const waiting = slots.enter('a', 'read', 'ada', new Gone());
    expect(slots.describe('a')).toMatchObject({ read: { taken: 3, waiting: 1 } });
    slots.leave('a', 'read');
    await waiting;
    for (let call = 0; call < 3; call++) slots.leave('a', 'read');
    expect(slots.describe('a')).toEqual({ read: { taken: 0, waiting: 0 }, write: { taken: 0, waiting: 0 } });
  });

  it('are not waited for by more than 2,000 calls', async () => {
    const slots = new Slots();
    slots.tryEnter('a', 'write');
    const callers = Array.from({ length: 2_000 }, () => new Gone());
    const waiting = callers.map((gone) => slots.enter('a', 'write', 'ada', gone).catch(() => 'gone'));
    await expect(slots.enter('a', 'write', 'bob', new Gone())).rejects.toMatchObject({ code: 'device_queue_full' });
    for (const gone of callers) gone.happen();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['gone']));
    expect(slots.describe('a').write).toEqual({ taken: 1, waiting: 0 });
  });
});
