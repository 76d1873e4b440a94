import { describe, expect, it } from 'vitest';
import { KeyedSlots } from '../../src/platform/limits/keyed-slots.js';

/** `a` takes a slot for key a, `-a` releases the latest of key a. */
type Step = string;

const cases: Record<string, [total: number, perKey: number, steps: readonly Step[], refused: readonly number[]]> = {
  'one key takes one': [4, 2, ['a'], []],
  'one key takes what it may, and no more': [4, 2, ['a', 'a', 'a'], [2]],
  'one key never takes the last slot as its second': [2, 2, ['a', 'a', 'b'], [1]],
  'a key with all that it may leaves room for others': [4, 2, ['a', 'a', 'a', 'b', 'c'], [2]],
  'a second key gets one slot beside a full first': [4, 2, ['a', 'a', 'b', 'b', 'c'], [3]],
  'a third key gets the last slot': [3, 1, ['a', 'b', 'c'], []],
  'a fourth key waits': [3, 1, ['a', 'b', 'c', 'd'], [3]],
  'a released slot is free for its key': [3, 1, ['a', 'a', '-a', 'a'], [1]],
  'a released slot is free for another key': [2, 1, ['a', 'b', 'c', '-a', 'c'], [2]],
  'a refusal takes nothing': [2, 1, ['a', 'a', 'a', 'b'], [1, 2]],
  'one slot for one key': [1, 1, ['a', 'b', '-a', 'b'], [1]],
  'keys that differ by a space are two': [2, 1, ['a', 'a '], []],
  'names of objects are keys': [3, 1, ['__proto__', 'constructor', '__proto__'], [2]],
};

describe('slots by key', () => {
  it.each(Object.entries(cases))('%s', (_name, [total, perKey, steps, refused]) => {
    const slots = new KeyedSlots({ total, perKey });
    const held = new Map<string, (() => void)[]>();
    const seen = steps.flatMap((step, index) => {
      if (step.startsWith('-')) {
        const release = held.get(step.slice(1))!.pop()!;
        release();
        release(); // once is enough
        return [];
      }
      const release = slots.take(step);
      if (!release) return [index];
      held.set(step, [...(held.get(step) ?? []), release]);
      return [];
    });
    expect(seen).toEqual(refused);
  });
});
