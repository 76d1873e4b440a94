import { describe, expect, it } from 'vitest';
import {
  badCell,
  badLinesFile,
  decoded,
  readCsv,
  shownCells,
  TEMPLATE,
} from '../../../../console/src/screens/devices/import/csv-file.js';

/* A file of devices as the console shows it. */

describe('a CSV file', () => {
  it.each([
    ['name;base_url\nd;https://10.1.0.1', ['name', 'base_url'], [[2, 'd;https://10.1.0.1']]],
    [
      '# devices\r\n\r\nName,Base_URL\r\nd,x\r\n,\r\ne,y\r\n',
      ['name', 'base_url'],
      [
        [4, 'd,x'],
        [6, 'e,y'],
      ],
    ],
    ['sep=;\nname;note\nd;a,b', ['name', 'note'], [[3, 'd;a,b']]],
    [
      'name,note\nd,"two\nlines"\ne,x',
      ['name', 'note'],
      [
        [2, 'd,"two\nlines"'],
        [4, 'e,x'],
      ],
    ],
    [
      'name,note\nd,"open\ne,x',
      ['name', 'note'],
      [
        [2, 'd,"open'],
        [3, 'e,x'],
      ],
    ],
    [
      'name\rd\re',
      ['name'],
      [
        [2, 'd'],
        [3, 'e'],
      ],
    ],
  ])('%j has its columns, and its lines by their numbers', (text, names, lines) => {
    const file = readCsv(text)!;
    expect(file.names).toEqual(names);
    expect(file.lines.map(({ line, text: said }) => [line, said])).toEqual(lines);
  });

  it('without a header is none', () => {
    expect(readCsv('\n# nothing\n')).toBeNull();
  });

  it('shows no password, and the cell that a problem is about', () => {
    const file = readCsv('name,password,note\nd,"s3""cret","a ""b"""\ne,,\n"f"g,"",h"i')!;
    expect(file.lines.map((line) => shownCells(file, line))).toEqual([
      ['d', '••••••', 'a "b"'],
      ['e', '', ''],
      ['fg', '', 'h"i'],
    ]);
    expect(badCell(file, 2, 'note')).toBe('a "b"');
    expect(badCell(file, 2, 'password')).toBe('••••••');
    expect(badCell(file, 3, 'note')).toBe('');
    expect(badCell(file, 2, null)).toBeNull();
    expect(badCell(file, 9, 'name')).toBeNull();
  });

  it('shows the beginning of a cell that would hold up the page', () => {
    const file = readCsv(`name,note\n${'x'.repeat(301)},${'y'.repeat(300)}`)!;
    expect(shownCells(file, file.lines[0]!)).toEqual([`${'x'.repeat(300)}…`, 'y'.repeat(300)]);
  });

  it('reads no more of a line than it shows, so that megabytes take no time', () => {
    const columns = Array.from({ length: 201 }, (_, at) => `c${at}`);
    const file = readCsv(`${columns.join()}\n"${'""'.repeat(1_000_000)}",${'x,'.repeat(1_000_000)}`)!;
    const cells = shownCells(file, file.lines[0]!);
    expect(file.names).toHaveLength(200);
    expect(cells).toHaveLength(200);
    expect(cells.slice(0, 2)).toEqual([`${'"'.repeat(300)}…`, 'x']);
  });

  it('gives its bad lines as a file with the problems above the header', () => {
    const file = readCsv('name,note\nd,x\ne,"two\nlines"\nf,y')!;
    const problems = [{ line: 3, field: 'note', detail: 'is\nlong' }];
    const text = badLinesFile(file, problems);
    expect(text).toBe('# Line 3, note: is long\r\nname,note\r\ne,"two\nlines"\r\n');
    expect(readCsv(text)?.names).toEqual(['name', 'note']);
  });

  it('is read as UTF-8, by its mark, or as a spreadsheet of Western Europe writes it', () => {
    expect(decoded(Buffer.from('\uFEFFé'))).toBe('é');
    expect(decoded(Buffer.from('\uFEFFé', 'utf16le'))).toBe('é');
    expect(decoded(Buffer.from([0x63, 0xe9]))).toBe('cé');
  });

  it('has a template with a line below its header', () => {
    expect(readCsv(TEMPLATE)!.lines).toHaveLength(1);
  });
});
