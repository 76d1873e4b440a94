import { describe, expect, it } from 'vitest';
import { KeyedTurns } from '../../src/platform/limits/keyed-turns.js';

/** Work that goes on until it is ended. */
function openWork(turns: KeyedTurns) {
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

describe('turns of a key', () => {
  it('begin in order, as many at once as allowed, and hold up no other key', async () => {
    const { begun, ends, start } = openWork(new KeyedTurns(2));
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
    const { begun, ends, start } = openWork(new KeyedTurns(1));
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
