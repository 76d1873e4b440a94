import { describe, expect, it } from 'vitest';
import { lineErrorTexts, sentencesOf } from '../../../src/cli/errors.js';
import { UsageError } from '../../../src/cli/exit-codes.js';
import { cellOf } from '../../../src/cli/output/cells.js';
import { FORMATS, writeObject, writeRows, type OutputOptions } from '../../../src/cli/output/formats.js';
import { WorkProgress, progressLine } from '../../../src/cli/output/progress.js';
import { objectLines, Table, titleOf, type TableOptions } from '../../../src/cli/output/table.js';
import { cutTo, printable, widthOf } from '../../../src/cli/output/text.js';
import { until } from '../../support/until.js';

/* What commands write: tables, formats, progress, errors. */

const NOW = Date.parse('2026-11-23T12:00:00Z');
const ROWS = [
  { name: 'pump-1', tags: ['pump', 'north'], trust: { mode: 'pin' }, seenAt: '2026-11-23T09:00:00.000Z' },
  { name: '=cmd', tags: [], trust: { mode: 'ca' }, seenAt: null },
];
const COLUMNS = ['name', 'tags', 'trust.mode', 'seenAt'];
const OPTIONS: OutputOptions = {
  format: 'table',
  columns: COLUMNS,
  chosen: false,
  live: false,
  width: null,
  now: null,
};

async function* each<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}

async function written(options: Partial<OutputOptions>): Promise<string> {
  const texts: string[] = [];
  await writeRows(each(ROWS), { ...OPTIONS, ...options }, (text) => Promise.resolve(void texts.push(text)));
  return texts.join('');
}

describe('a list', () => {
  it('is a table that fits a terminal, with times of its clock', () => {
    const lines = new Table(COLUMNS, { width: 43, now: NOW }).lines(ROWS);
    expect(lines).toEqual([
      'NAME    TAGS        TRUST MODE  SEEN AT UTC',
      'pump-1  pump north  pin         09:00:00',
      '=cmd                ca',
    ]);
    const narrow = new Table(COLUMNS, { width: 34, now: NOW }).lines(ROWS);
    expect(narrow.map(widthOf).every((width) => width <= 34)).toBe(true);
    expect(narrow[1]).toContain('…');
  });

  it.each([
    ['nmae', 'name'],
    ['name,stat', 'name'],
    ['trust.mod', 'trust'],
    ['trust.mode.x', 'trust'],
    ['Name', 'name'],
    ['', 'name'],
    ['name,', 'name'],
    ['tags.0x', 'tags'],
    ['.name', 'name'],
    ['trust.', 'trust'],
  ])('says that no row has one of the fields %j', async (names, known) => {
    for (const format of FORMATS) {
      const asked = written({ format, columns: names.split(','), chosen: true });
      await expect(asked).rejects.toThrow(UsageError);
      await expect(asked).rejects.toThrow(known);
    }
  });

  it.each(['name', 'trust.mode', 'seenAt', 'seenAt.day', 'fields.rack', 'tags'])(
    'takes a field that some rows have: %s',
    async (name) => {
      const rows = [{ ...ROWS[0], fields: {} }, ROWS[1]!];
      const options = { ...OPTIONS, columns: [name], chosen: true };
      await expect(writeRows(each(rows), options, () => Promise.resolve())).resolves.toBe(2);
      await expect(writeRows(each([]), options, () => Promise.resolve())).resolves.toBe(0);
    },
  );

  it('is a table of which nothing is cut, in a pipe', async () => {
    expect((await written({})).split('\n')).toEqual([
      'NAME    TAGS        TRUST MODE  SEEN AT',
      'pump-1  pump north  pin         2026-11-23T09:00:00.000Z',
      '=cmd                ca',
      '',
    ]);
  });

  it('is written in few parts, and what comes later by itself', async () => {
    const parts: string[] = [];
    const many = Array.from({ length: 1_000 }, (_, at) => ({ name: `pump-${at}` }));
    const write = (text: string) => Promise.resolve(void parts.push(text));
    expect(await writeRows(each(many), { ...OPTIONS, format: 'ndjson' }, write)).toBe(1_000);
    expect([parts.length, parts.join('').split('\n').length]).toEqual([1, 1_001]);
    const slow = async function* () {
      yield { name: 'a' };
      while (parts.length < 2) await new Promise((resolve) => setImmediate(resolve));
      yield { name: 'b' };
    };
    await writeRows(slow(), { ...OPTIONS, format: 'ndjson' }, write);
    expect(parts.slice(1)).toEqual(['{"name":"a"}\n', '{"name":"b"}\n']);
    const refused = () => Promise.reject(new Error('closed'));
    await expect(writeRows(each(many), { ...OPTIONS, format: 'csv' }, refused)).rejects.toThrow('closed');
  });

  it.each<readonly [unknown, string]>([
    [{ mode: 'pin', pin: 'sha256/A', offered: null }, 'mode pin, pin sha256/A'],
    [{ a: { b: 1, c: [1, 2] } }, 'a b 1, c 1 2'],
    [[{ role: 'viewer' }, { role: 'operator', selector: 'tag:a' }], 'role viewer; role operator, selector tag:a'],
    [['a', { b: true }], 'a; b true'],
    [{}, ''],
    [[], ''],
    [true, 'true'],
    [7, '7'],
    [{ 'x\u0007': 'y\u001b' }, 'x\\u{7} y\\u{1b}'],
    [[[1, 2], [3]], '1 2; 3'],
  ])('says %j without JSON', (value, text) => expect(cellOf(value)).toBe(text));

  it('keeps its columns when rows come one by one', async () => {
    const lines = (await written({ live: true })).split('\n');
    expect(lines[0]).toMatch(/^NAME {4}TAGS/);
    expect(lines[2]).toBe('=cmd                ca');
  });

  it('is JSON, lines, YAML or CSV, of all fields or of the chosen ones', async () => {
    expect(JSON.parse(await written({ format: 'json' }))).toEqual(ROWS);
    const chosen = { chosen: true, columns: ['trust.mode', 'seenAt'] };
    expect(await written({ format: 'ndjson', ...chosen })).toBe(
      '{"trust.mode":"pin","seenAt":"2026-11-23T09:00:00.000Z"}\n{"trust.mode":"ca","seenAt":null}\n',
    );
    expect(await written({ format: 'yaml', ...chosen })).toContain('- trust.mode: pin\n');
    expect(await written({ format: 'csv', columns: ['name', 'tags'] })).toBe("name,tags\npump-1,pump north\n'=cmd,\n");
  });

  it.each([['=cmd'], ['\uff1dcmd'], [['=cmd', 'b']]])('is CSV in which %j is no formula', async (serials) => {
    const texts: string[] = [];
    const options: OutputOptions = { ...OPTIONS, format: 'csv', columns: ['formerSerials'] };
    await writeRows(each([{ formerSerials: serials }]), options, (text) => Promise.resolve(void texts.push(text)));
    expect(texts.join('').split('\n')[1]).toMatch(/^'[=\uff1d]cmd/);
  });

  it('has all fields that are one value with `wide`', async () => {
    expect((await written({ format: 'wide', columns: ['name'] })).split('\n')[0]).toMatch(/^NAME +SEEN AT$/);
  });
});

describe('one object', () => {
  const job = { id: 'j', progress: { percent: 40 }, failure: null, log: [{ step: 'start', text: 'began' }] };

  it('has a line for each field with a value, and a table for each list', () => {
    expect(objectLines(job, { width: null, now: null }, false)).toEqual([
      'id                j',
      'progress.percent  40',
      '',
      'LOG',
      '  STEP   TEXT',
      '  start  began',
    ]);
    expect(objectLines(job, { width: null, now: null }, true)).toContain('failure           ');
  });

  it('has times of the local clock, on a terminal with their distance; with --utc they are as they come', () => {
    const value = { name: 'pump-1', seenAt: '2026-11-23T09:04:05.000Z', endedAt: '2026-11-23T09:04:06.000Z' };
    const now = Date.parse(value.seenAt) + 3_600_000;
    const timesIn = (options: TableOptions) => objectLines(value, options, false).slice(1);
    expect(timesIn({ width: 80, now })).toEqual([
      'seenAt   2026-11-23 09:04:05 UTC (1 h ago)',
      'endedAt  2026-11-23 09:04:06 (59 min ago)',
    ]);
    expect(timesIn({ width: null, now })).toEqual(['seenAt   2026-11-23 09:04:05 UTC', 'endedAt  2026-11-23 09:04:06']);
    expect(timesIn({ width: null, now: null })).toEqual([`seenAt   ${value.seenAt}`, `endedAt  ${value.endedAt}`]);
  });

  it('is written in each format', async () => {
    const texts: string[] = [];
    for (const format of ['json', 'ndjson', 'csv'] as const) {
      await writeObject({ a: 1 }, { ...OPTIONS, format }, (text) => Promise.resolve(void texts.push(text)));
    }
    expect(texts).toEqual(['{\n  "a": 1\n}\n', '{"a":1}\n', 'a\n1\n']);
  });
});

describe('text from devices', () => {
  it('cannot move the cursor or turn the direction', () => {
    expect(printable('a\u001b[2Jb\u202ec\nd')).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{a}d');
    expect(cellOf('x\u0007')).toBe('x\\u{7}');
    expect(sentencesOf(new Error('\u001b]0;title\u0007'))[0]).toBe('Error: \\u{1b}]0;title\\u{7}');
  });

  it('is as wide as a terminal shows it', () => {
    expect([widthOf('ab'), widthOf('漢字'), widthOf('e\u0301'), cutTo('漢字漢字', 5)]).toEqual([2, 4, 1, '漢字…']);
    expect(titleOf('trust.offeredPin')).toBe('TRUST OFFERED PIN');
  });
});

describe('progress', () => {
  it('says how much, how many failed, how fast, and how long it takes', () => {
    expect(progressLine('devices', { done: 120, failed: 3, total: 500 }, 5_000)).toBe(
      '120 of 500 devices, 3 failed, 24/s, 16 s left',
    );
    expect(progressLine('devices', { done: 0, failed: 0, total: null }, 0)).toBe('0 devices');
    expect(progressLine('devices', { done: 420, failed: 0, total: 500 }, 5_000, 400)).toBe(
      '420 of 500 devices, 4.0/s, 20 s left',
    );
    expect(progressLine('leaves', { done: 1, failed: 0, total: 20_000 }, 1_000)).toContain('5.6 h left');
  });

  it('changes one line on a terminal, and writes few lines in a pipe', () => {
    let now = 0;
    const [terminal, pipe]: string[][] = [[], []];
    const shownIn = (texts: string[], isTerminal: boolean) =>
      new WorkProgress('devices', { stderr: { write: (text) => texts.push(String(text)) }, isTerminal }, () => now);
    const both = [shownIn(terminal!, true), shownIn(pipe!, false)];
    for (; now < 11_000; now += 100) for (const one of both) one.update({ done: now, failed: 0, total: null });
    for (const one of both) one.end();
    expect(terminal!.at(-1)).toBe('\r\u001b[2K');
    expect(terminal!.length).toBeGreaterThan(40);
    expect(terminal!.every((text) => text.startsWith('\r\u001b[2K'))).toBe(true);
    expect(pipe!.map((text) => text.endsWith('\n'))).toEqual([true]);
  });

  it('shows the last state though no other one follows, in a line that fits', async () => {
    const texts: string[] = [];
    const terminal = { stderr: { write: (text: unknown) => texts.push(String(text)) }, isTerminal: true, columns: 20 };
    const progress = new WorkProgress('devices', terminal);
    progress.update({ done: 1, failed: 0, total: 1_000_000 });
    expect(texts).toEqual([]);
    await until(() => texts.length > 0);
    progress.end();
    expect(texts[0]).toBe('\r\u001b[2K1 of 1000000 devic…');
  });
});

it('names at most twenty wrong lines of a file', () => {
  const errors = Array.from({ length: 25 }, (_, at) => ({
    line: at + 2,
    field: 'name',
    code: 'taken',
    detail: 'is taken',
  }));
  const texts = lineErrorTexts(errors);
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([
    21,
    '  line 2, name: is taken (taken)',
    '  and 5 more lines',
  ]);
  expect(lineErrorTexts([{ pointer: '/name', detail: 'x' }])).toEqual([]);
});
