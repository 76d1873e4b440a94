import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { readFleetLines } from '../../src/devices/fleet-files/fleet-lines.js';

/** How many turns others get while a file is read to its end. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const over = new AbortController();
  const end = () => over.abort();
  const ended = work.then(end, end);
  while (!over.signal.aborted) {
    await nextTurn();
    turns++;
  }
  await ended;
  return turns;
}

const json = (line: object) => JSON.stringify({ name: 'd', baseUrl: 'https://10.1.0.1', ...line });
const csv = (rows: string) => Buffer.from(`name,base_url,tags\n${rows}`);

describe('a file of an import', () => {
  it.each([
    ['lines of NDJSON', Buffer.from(`${json({})}\n`.repeat(1_000)), 'ndjson' as const],
    ['empty lines of NDJSON', Buffer.from(`${'\n'.repeat(1_000)}${json({})}`), 'ndjson' as const],
    ['lines of CSV', csv('d,https://10.1.0.1,\n'.repeat(1_000)), 'csv' as const],
    ['empty lines of CSV', csv(`${'\n'.repeat(190_000)}d,https://10.1.0.1,\n`), 'csv' as const],
  ])('gives others their turns between %s', async (_what, file, format) => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20));
    try {
      expect(await turnsDuring(readFleetLines(file, format, null))).toBeGreaterThan(2);
    } finally {
      clock.mockRestore();
    }
  });

  it.each(['csv', 'ndjson'] as const)('has an end of its empty lines as %s', async (format) => {
    const file = Buffer.concat([csv(''), Buffer.alloc(300_000, '\n')]);
    await expect(readFleetLines(file, format, null)).rejects.toMatchObject({
      facts: { errors: [{ detail: expect.stringContaining('empty ones included') }] },
    });
  });

  it('has no cell that is longer than any field', async () => {
    const { problems } = await readFleetLines(csv(`d,https://10.1.0.1,${'x '.repeat(3_000)}`), 'csv', null);
    expect(problems).toEqual([
      { line: 2, field: 'tags', code: 'invalid_input', detail: 'longer than 4096 characters' },
    ]);
  });

  it('has no line with more problems than a person reads', async () => {
    const { problems } = await readFleetLines(Buffer.from(json({ tags: Array(20_000).fill('NO') })), 'ndjson', null);
    expect(problems).toEqual([{ line: 1, field: 'tags', code: 'invalid_input', detail: 'more than 50' }]);
    const several = await readFleetLines(Buffer.from(json({ tags: Array(50).fill('NO') })), 'ndjson', null);
    expect(several.problems).toHaveLength(10);
  });

  it('is read in Windows-1252 byte by byte', async () => {
    // What the WHATWG standard has for 0x80 to 0x9f.
    const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x22));
    const head = Buffer.from('name,base_url,username,password\nd,https://10.1.0.1,u,"');
    const file = Buffer.concat([head, bytes, Buffer.from('"')]);
    const expected = [...bytes].map((byte) => upper[byte - 0x80] ?? String.fromCharCode(byte)).join('');
    for (const charset of ['windows-1252', 'latin1']) {
      const { problems, lines, encoding } = await readFleetLines(
        Buffer.from(file.filter((byte) => byte !== 0)),
        'csv',
        charset,
      );
      expect({ problems, encoding }).toEqual({ problems: [], encoding: 'windows-1252' });
      expect(lines[0]?.input.credentials?.password).toBe(expected.slice(1));
    }
  });
});
