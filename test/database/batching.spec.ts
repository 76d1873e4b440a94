import { describe, expect, it } from 'vitest';
import { Batching } from '../../src/database/batching.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Adds a pair at once, then two more, a turn of the event loop apart. @returns which rows were written together */
async function groupsOf(restMs: number, first: readonly string[]): Promise<string[][]> {
  const groups: string[][] = [];
  const commit = new Batching<string>((rows) => Promise.resolve(void groups.push(rows)), restMs);
  await Promise.all(first.map((row) => commit.add(row)));
  const third = commit.add('third');
  await turn();
  await turn();
  await Promise.all([third, commit.add('fourth')]);
  return groups;
}

describe('writers of one moment', () => {
  it('share a statement, and those of the next moment the next one', async () => {
    expect(await groupsOf(0, ['first', 'second'])).toEqual([['first', 'second'], ['third'], ['fourth']]);
  });

  it('let it rest afterwards where that was asked for, so that more share the next one', async () => {
    expect(await groupsOf(500, ['first', 'second'])).toEqual([
      ['first', 'second'],
      ['third', 'fourth'],
    ]);
  });

  it('who were alone need no rest', async () => {
    expect(await groupsOf(3_600_000, ['first'])).toEqual([['first'], ['third'], ['fourth']]);
  });

  it('need none either when the others of their group could wait', async () => {
    const groups: string[][] = [];
    const commit = new Batching<string>((rows) => Promise.resolve(void groups.push(rows)), 3_600_000);
    for (const name of ['first', 'second']) {
      await Promise.all([commit.add(`outcome before the ${name}`, true), commit.add(name)]);
    }
    expect(groups).toEqual([
      ['outcome before the first', 'first'],
      ['outcome before the second', 'second'],
    ]);
  });

  it('do not rest while more wait than one statement takes', async () => {
    const sizes: number[] = [];
    const commit = new Batching<number>((rows) => Promise.resolve(void sizes.push(rows.length)), 3_600_000);
    await Promise.all(Array.from({ length: 1_500 }, (_, row) => commit.add(row)));
    expect(sizes).toEqual([500, 500, 500]);
  });
});
