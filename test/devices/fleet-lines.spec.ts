import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { markFormula, nameInFile, readFleetLines } from '../../src/devices/fleet-files/fleet-lines.js';

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

describe('a field in an error of an import', () => {
  it.each([
    ['baseUrl', 'csv', 'base_url'],
    ['timeZone', 'csv', 'time_zone'],
    ['trust', 'csv', 'pin'],
    ['trust.pin', 'csv', 'pin'],
    ['credentials', 'csv', 'password'],
    ['credentials.username', 'csv', 'username'],
    ['credentials.password', 'csv', 'password'],
    ['name', 'csv', 'name'],
    ['tags.0', 'csv', 'tags'],
    ['fields.rack', 'csv', 'fields.rack'],
    ['constructor', 'csv', 'constructor'],
    ['baseUrl', 'ndjson', 'baseUrl'],
    ['credentials.password', 'ndjson', 'credentials.password'],
  ] as const)('%s of a %s file is %s', (field, format, name) => {
    expect(nameInFile(field, format)).toBe(name);
  });
});

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

  const HEAD = 'name,base_url,site,note';
  const read = async (text: string | Buffer) => {
    const { lines, problems, count } = await readFleetLines(Buffer.from(text as string), 'csv', null);
    return {
      names: lines.map(({ input }) => input.name),
      bad: problems.map(({ line, detail }) => [line, detail]),
      count,
    };
  };
  const fine = (name: string) => `${name},https://10.1.0.1,,`;

  it.each([
    ['192.0.2.7', 'https://192.0.2.7'],
    ['pump-1.example:8443', 'https://pump-1.example:8443'],
    ['2001:db8::7', 'https://[2001:db8::7]'],
    ['https://192.0.2.7', 'https://192.0.2.7'],
  ])('reads the address %s as %s', async (cell, baseUrl) => {
    const { lines } = await readFleetLines(Buffer.from(`name,base_url\na,${cell}`), 'csv', null);
    expect(lines.map(({ input }) => input.baseUrl)).toEqual([baseUrl]);
  });

  it.each(['admin', 'http://192.0.2.7'])('leaves %s as it is, for its own problem', async (cell) => {
    const { lines } = await readFleetLines(Buffer.from(`name,base_url\na,${cell}`), 'csv', null);
    expect(lines.map(({ input }) => input.baseUrl)).toEqual([cell]);
  });

  it.each([
    ['a short line', 'x,https://10.1.0.9', '2 cells instead of 4'],
    ['a long line', 'x,https://10.1.0.9,,,surplus', '5 cells instead of 4'],
    ['a comment', '# spare parts', 'a comment is no device'],
    ['a comment that is a full row', '#x,https://10.0.0.9,,', 'a comment is no device'],
    ['one word', 'x', '1 cells instead of 4'],
    ['a quote within a cell', 'x,https://10.1.0.9,,12" mast', 'cell 4 has a quote'],
    ['two quotes within a cell', 'x,https://10.1.0.9,,a "b" c', 'cell 4 has a quote'],
    ['text behind a closing quote', 'x,https://10.1.0.9,,"12" mast', 'text follows the closing quote of cell 4'],
    ['a space in front of a quote', 'x,https://10.1.0.9,, "mast"', 'cell 4 has a quote'],
    ['a quote that is not closed', 'x,https://10.1.0.9,,"mast', 'a quote is opened and not closed'],
    ['a quote alone', '"', 'a quote is opened and not closed'],
    ['three quotes', 'x,https://10.1.0.9,,"""', 'a quote is opened and not closed'],
    ['another separator', 'x;https://10.1.0.9;;', '1 cells instead of 4'],
    ['a line of megabytes', 'x'.repeat(2_000_000), 'longer than 150000 characters'],
    ['a line of quotes', '"'.repeat(100_001), 'a quote is opened and not closed'],
  ])('has one bad line for %s, and goes on', async (_what, bad, detail) => {
    const rows = [HEAD, fine('a'), bad, fine('b'), 'c,https://10.1.0.2,,"a ""quoted"" note"', fine('d')];
    expect(await read(rows.join('\n'))).toEqual({
      names: ['a', 'b', 'c', 'd'],
      bad: [[3, expect.stringContaining(detail)]],
      count: 5,
    });
  });

  it.each([
    ['sep=;', 'sep=;\nname;base_url\na;https://10.1.0.1'],
    ['sep=; with CRLF and a mark', '\ufeffsep=;\r\nname;base_url\r\na;https://10.1.0.1\r\n'],
    ['sep= and a tab', 'sep=\t\nname\tbase_url\na\thttps://10.1.0.1'],
    ['sep=; and delimiters', 'sep=;;;\nname;base_url\na;https://10.1.0.1'],
    ['a comment above the header', '# my fleet\nname,base_url\na,https://10.1.0.1'],
    ['a comment with delimiters above it', '#x,y;z,\n\n # b\nname,base_url\na,https://10.1.0.1'],
    ['a comment between sep=; and the header', 'sep=;\n# x\nname;base_url\na;https://10.1.0.1'],
    ['delimiters alone above the header', ',,,\n;;\nname,base_url\na,https://10.1.0.1'],
    ['SEP=,', 'SEP=,\nname,base_url\na,https://10.1.0.1'],
    ['quotes around sep=;', '"sep=;"\nname;base_url\na;https://10.1.0.1'],
    ['empty columns at the end', 'name,base_url,,,\na,https://10.1.0.1,,,'],
    ['empty columns of rows alone', 'name,base_url\na,https://10.1.0.1,,,'],
    ['semicolons', 'name;base_url\na;https://10.1.0.1'],
    ['tabs', 'name\tbase_url\na\thttps://10.1.0.1'],
    ['CR alone', 'name,base_url\ra,https://10.1.0.1\r'],
    ['empty rows', '\n\nname,base_url\n\n,,,\na,https://10.1.0.1\n,,,,,\n'],
    ['quotes around all', '"name","base_url"\r\n"a","https://10.1.0.1"\r\n'],
    ['Name and BASE_URL', 'Name, BASE_URL\na,https://10.1.0.1'],
    ['UTF-16', Buffer.from('\ufeffsep=;\r\nname;base_url\r\na;https://10.1.0.1', 'utf16le')],
  ])('may have %s', async (_what, text) => {
    expect(await read(text)).toEqual({ names: ['a'], bad: [], count: 1 });
  });

  it.each([
    ['an unknown separator', 'sep=|\nname|base_url', 'the separator is a comma, a semicolon or a tab'],
    ['a column without a name', 'name,,base_url\na,b,c', 'column 2 has no name'],
    ['a broken header', 'name,"base_url\na,b', 'the header in line 1 is not CSV'],
    ['nothing', '\n\n', 'no lines of devices'],
    ['sep=; alone', 'sep=;\n', 'no lines of devices'],
  ])('is refused for %s', async (_what, text, detail) => {
    await expect(readFleetLines(Buffer.from(text), 'csv', null)).rejects.toMatchObject({
      facts: { errors: [{ detail: expect.stringContaining(detail) }] },
    });
  });

  it('has cells over several lines, and counts them', async () => {
    const rows = [HEAD, 'a,https://10.1.0.1,,"one\r\ntwo ""2""\r\nthree"', 'short', fine('b')];
    const { lines, problems } = await readFleetLines(Buffer.from(rows.join('\r\n')), 'csv', null);
    expect(lines.map(({ line, input }) => [line, input.name, input.note])).toEqual([
      [2, 'a', 'one\ntwo "2"\nthree'],
      [6, 'b', ''],
    ]);
    expect(problems.map(({ line }) => line)).toEqual([5]);
  });

  it('has one bad line of NDJSON for one that is too long', async () => {
    const file = [json({ name: 'a' }), `"${'x'.repeat(200_000)}"`, json({ name: 'b' })].join('\n');
    const { lines, problems } = await readFleetLines(Buffer.from(file), 'ndjson', null);
    expect(lines.map(({ input }) => input.name)).toEqual(['a', 'b']);
    expect(problems).toMatchObject([{ line: 2, detail: 'longer than 150000 characters' }]);
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

describe('a name that begins like a comment', () => {
  it.each(['#1 pump', '#', "'#1", '# a, b'])('comes back from an export: %j', async (name) => {
    const cell = markFormula(name);
    const row = cell.includes(',') ? `"${cell}"` : cell;
    const file = Buffer.from(`name,base_url\n${row},https://192.0.2.1\n`);
    const { lines, problems } = await readFleetLines(file, 'csv', null);
    expect([problems, lines.map(({ input }) => input.name)]).toEqual([[], [name]]);
  });
});
