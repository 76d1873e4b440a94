import { describe, expect, it } from 'vitest';
import { SlotQueue } from '../../src/platform/limits/slot-queue.js';

/** `a` asks for a slot for key a, `-a` releases the oldest of key a. */
type Step = string;

const LONG_MS = 60_000;

/** The requests that got a slot, in the order in which they got it: the key and its how manieth request. */
const cases: Record<
  string,
  [limits: [number, number, number], steps: readonly Step[], served: string, refused: string]
> = {
  'a free slot is taken at once': [[2, 1, 4], ['a', 'b'], 'a1 b1', ''],
  'a key with its share waits': [[4, 2, 4], ['a', 'a', 'a'], 'a1 a2', ''],
  'a waiting request gets the slot of its own key': [[4, 2, 4], ['a', 'a', 'a', '-a'], 'a1 a2 a3', ''],
  'keys are served in turn': [[1, 1, 4], ['a', 'a', 'a', 'b', 'b', '-a', '-a', '-b', '-a'], 'a1 a2 b1 a3 b2', ''],
  'a key with one request passes one with many': [[1, 1, 9], ['a', 'a', 'a', 'a', 'b', '-a', '-a'], 'a1 a2 b1', ''],
  'requests of a key are served in their order': [[1, 1, 4], ['a', 'a', 'a', '-a', '-a'], 'a1 a2 a3', ''],
  'too many waiting requests of a key are refused': [[1, 1, 2], ['a', 'a', 'a', 'a', 'a'], 'a1', 'a4 a5'],
  'a refusal of one key is none of another': [[1, 1, 1], ['a', 'a', 'a', 'b'], 'a1', 'a3'],
  'the place of a served request can be taken': [[1, 1, 1], ['a', 'a', '-a', 'a'], 'a1 a2', ''],
  'a key never waits for the last slot as its second': [[2, 2, 4], ['a', 'a', 'b'], 'a1 b1', ''],
  'a full share of others leaves a slot for a new key': [[3, 2, 4], ['a', 'a', 'a', 'b'], 'a1 a2 b1', ''],
  'no waiting at all': [[1, 1, 0], ['a', 'b', '-a', 'b'], 'a1 b2', 'b1'],
};

describe('a queue for slots', () => {
  it.each(Object.entries(cases))('%s', async (_name, [[total, perKey, waitingPerKey], steps, served, refused]) => {
    const queue = new SlotQueue({ total, perKey, waitingPerKey });
    const held = new Map<string, (() => void)[]>();
    const asked = new Map<string, number>();
    const [got, refusals]: [string[], string[]] = [[], []];
    for (const step of steps) {
      if (step.startsWith('-')) held.get(step.slice(1))!.shift()!();
      else {
        const number = (asked.get(step) ?? 0) + 1;
        asked.set(step, number);
        void queue.take(step, { waitMs: LONG_MS }).then((release) => {
          (release ? got : refusals).push(`${step}${number}`);
          if (release) held.set(step, [...(held.get(step) ?? []), release]);
        });
      }
      await new Promise(setImmediate);
    }
    expect([got.join(' '), refusals.join(' ')]).toEqual([served, refused]);
  });

  it('gives the place of a caller that has left to another one', async () => {
    const queue = new SlotQueue({ total: 1, perKey: 1, waitingPerKey: 1 });
    const release = await queue.take('a', { waitMs: LONG_MS });
    const leaving = new AbortController();
    const left = queue.take('a', { waitMs: LONG_MS, gone: leaving.signal });
    expect(await queue.take('a', { waitMs: LONG_MS })).toBeNull();
    leaving.abort();
    expect(await left).toBeNull();
    const patient = queue.take('a', { waitMs: LONG_MS });
    release!();
    expect(await patient).not.toBeNull();
    expect(await queue.take('b', { waitMs: LONG_MS, gone: leaving.signal })).toBeNull();
  });

  it('does not count a caller that leaves after its turn began', async () => {
    const queue = new SlotQueue({ total: 1, perKey: 1, waitingPerKey: 1 });
    const release = await queue.take('a', { waitMs: LONG_MS });
    const leaving = new AbortController();
    const served = queue.take('a', { waitMs: LONG_MS, gone: leaving.signal });
    release!();
    const second = await served;
    leaving.abort();
    expect(await queue.take('b', { waitMs: 1 })).toBeNull();
    second!();
    expect(await queue.take('b', { waitMs: 1 })).not.toBeNull();
  });

  it('ends a wait that is too long, and serves the next one', async () => {
    const queue = new SlotQueue({ total: 1, perKey: 1, waitingPerKey: 2 });
    const release = await queue.take('a', { waitMs: LONG_MS });
    const patient = queue.take('a', { waitMs: LONG_MS });
    expect(await queue.take('a', { waitMs: 1 })).toBeNull();
    expect(await queue.take('b', { waitMs: 1 })).toBeNull();
    release!();
    expect(await patient).not.toBeNull();
  });
});

/** Work that goes on until it is ended. */
function openWork(turns: SlotQueue) {
  const begun: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const start = (key: string, name: string) => {
    const work = () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(name))));
    };
    return turns.run(key, work);
  };
  return { begun, ends, start };
}

const settled = () => new Promise(setImmediate);

describe('work in turn, of any number of keys', () => {
  it('begin in order, as many at once as allowed, and hold up no other key', async () => {
    const { begun, ends, start } = openWork(new SlotQueue({ perKey: 2 }));
    const results = ['1', '2', '3', '4'].map((name) => start('a', name));
    results.push(start('b', 'other'));
    await settled();
    expect(begun).toEqual(['1', '2', 'other']);
    ends[1]!();
    await settled();
    expect(begun).toEqual(['1', '2', 'other', '3']);
    for (let index = 0; index < results.length; index++) {
      ends[index]?.();
      await settled();
    }
    ends.at(-1)!();
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4', 'other']);
  });

  it('are given on by work that fails', async () => {
    const { begun, ends, start } = openWork(new SlotQueue({ perKey: 1 }));
    const [first, second] = [start('a', '1'), start('a', '2')];
    await settled();
    ends[0]!(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    await settled();
    expect(begun).toEqual(['1', '2']);
    ends[1]!();
    expect(await second).toBe('2');
  });
});
