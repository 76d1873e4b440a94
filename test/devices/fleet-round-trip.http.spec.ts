import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { stringify } from 'csv-stringify/sync';
import { readFleetLines } from '../../src/devices/fleet-files/fleet-lines.js';
import { sizeOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';

/* What an export gives, an import takes; what a spreadsheet writes, too. Names, sites and passwords are hostile. */

let world: TestGateway;
let db: pg.Client;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});
beforeEach(() => db.query('delete from device'));

interface Answer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly encoding?: string;
    readonly created?: number;
    readonly failed?: number;
    readonly errors?: readonly { line?: number; field?: string; detail: string }[];
  };
}

async function importFile(
  body: string | Uint8Array<ArrayBuffer>,
  type = 'text/csv',
  query = '',
  key = world.keys.operator,
): Promise<Answer> {
  const answer = await fetch(`${world.url}/v1/devices/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

async function exportFile(format: 'csv' | 'ndjson'): Promise<string> {
  const headers = { authorization: `Bearer ${world.keys.operator}` };
  return (await fetch(`${world.url}/v1/devices/export?format=${format}`, { headers })).text();
}

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Mulberry32: the same numbers for the same seed, everywhere. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SEED = 20_261_123;
const random = numbers(SEED);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
const SIGNS = [...`=+-@'",;|\\<>&%{}()$#!?*^~ `, '\uff1d', '\uff0b', '\uff0d', '\uff20', '\u00a0', '\u2028', '\ufeff'];
const LETTERS = [...'aZ09éÉšİıΣσςßﬁ日本', '👩‍🔧', '\u202e', '\u0301'];
const hostile = (length: number) =>
  Array.from({ length: 1 + Math.floor(random() * length) }, () => pick(random() < 0.6 ? SIGNS : LETTERS)).join('');

/** A device with a name that no other one has, whatever its first sign. */
const device = (index: number) => ({
  name: `${hostile(12)}${index}${random() < 0.5 ? hostile(3) : ''}`.trim(),
  baseUrl: `https://10.9.${index >> 8}.${index & 255}`,
  site: Array.from({ length: Math.floor(random() * 3) }, () => hostile(6).replaceAll('/', '').trim() || 's').join('/'),
  ...(random() < 0.5 ? { serial: `${hostile(4)}${index}`.trim() } : {}),
  ...(random() < 0.5 ? { model: `${hostile(4)}M` } : {}),
  tags: random() < 0.5 ? [] : ['b', 'a'],
  sessions: pick([1, 4]),
  ...(random() < 0.3 ? { timeZone: 'Europe/Vilnius' } : {}),
  ...(random() < 0.3 ? { spareUrl: `https://10.10.${index >> 8}.${index & 255}` } : {}),
  trust: { mode: 'pin', ...(random() < 0.5 ? { pin: `sha256/${Buffer.alloc(32, index).toString('base64')}` } : {}) },
  ...(random() < 0.5 ? { credentials: { username: `${hostile(6)}${pick(['', '\r', '\n'])}`, password: 'p' } } : {}),
});

describe(`a fleet with hostile names (seed ${SEED})`, () => {
  const COUNT = sizeOf({ short: 60, long: 300 });
  const fill = async () => {
    const lines = Array.from({ length: COUNT }, (_, index) => JSON.stringify(device(index)));
    expect((await importFile(lines.join('\n'), TYPES.ndjson)).body).toMatchObject({ created: COUNT, failed: 0 });
  };
  /** Without what is learned, or another one after a registration. */
  const comparable = async () => {
    const rows = (await exportFile('ndjson')).trim().split('\n');
    const told = rows.map((row) => {
      const { id: _id, username: _username, ...rest } = JSON.parse(row) as Record<string, unknown>;
      return rest;
    });
    return told.sort((one, other) => String(one['baseUrl']).localeCompare(String(other['baseUrl'])));
  };

  it.each(['csv', 'ndjson'] as const)(
    'comes back from its %s export unchanged, and into an empty registry',
    async (format) => {
      await fill();
      const before = await comparable();
      const file = await exportFile(format);
      const same = { created: 0, updated: 0, unchanged: COUNT, failed: 0, errors: [] };
      expect((await importFile(file, TYPES[format], '?onError=skip')).body).toMatchObject(same);
      await db.query('delete from device');
      expect((await importFile(file, TYPES[format])).body).toMatchObject({ created: COUNT, failed: 0 });
      expect(await comparable()).toEqual(before);
      for (const { name } of before.slice(0, sizeOf({ short: 10, long: 40 }))) {
        const path = `/v1/devices/${encodeURIComponent(`name:${String(name)}`)}`;
        expect(await world.api.get(path)).toMatchObject({ name });
      }
    },
  );

  it('has no cell in its CSV export that a spreadsheet would run', async () => {
    await fill();
    const lines = (await exportFile('csv')).trim().split('\n').slice(1);
    expect(lines.filter((line) => /^"?[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(line))).toEqual([]);
  });
});

describe('passwords in CSV', () => {
  it('are taken letter by letter', async () => {
    const passwords = [
      `'=abc12`,
      `=abc12`,
      ' a ',
      '  ',
      `"`,
      `'`,
      `a,b;c`,
      '\uff1d1',
      ...Array.from({ length: sizeOf({ short: 100, long: 500 }) }, () => hostile(20)),
    ];
    const rows = passwords.map((password, index) => [
      `d${index}`,
      `https://10.8.${index >> 8}.${index & 255}`,
      ' u',
      password,
    ]);
    for (const options of [{ delimiter: ',' }, { delimiter: ';' }, { delimiter: '\t' }, { quoted: true }]) {
      const file = stringify([['name', 'base_url', 'username', 'password'], ...rows], options);
      const { lines, problems } = await readFleetLines(Buffer.from(file), 'csv', null);
      expect(problems).toEqual([]);
      expect(lines.map(({ input }) => input.credentials?.password)).toEqual(passwords);
      expect(new Set(lines.map(({ input }) => input.credentials?.username))).toEqual(new Set([' u']));
    }
    const bare = Buffer.from(`name,base_url,username,password\n d ,https://10.8.0.1 ,u, a b `);
    const [line] = (await readFleetLines(bare, 'csv', null)).lines;
    expect(line?.input).toMatchObject({ name: 'd', credentials: { username: 'u', password: ' a b ' } });
  });
});

describe('a CSV file as a spreadsheet writes it', () => {
  const text = 'name;base_url;site\r\nPumpe Süd;https://10.7.0.1;Köln/Werk 2\r\n;;\r\n';
  const site = async () => (await db.query<{ name: string; site: string }>('select name, site from device')).rows;
  const expected = [{ name: 'Pumpe Süd', site: 'Köln/Werk 2' }];
  const utf16 = Buffer.from(`\ufeff${text.replaceAll(';', '\t')}`, 'utf16le');

  it.each([
    ['UTF-8 with semicolons', Buffer.from(text), 'text/csv', 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), 'text/csv', 'utf-8'],
    ['Windows-1252', Buffer.from(text, 'latin1'), 'text/csv', 'windows-1252'],
    ['UTF-16 with tabs', utf16, 'text/csv', 'utf-16le'],
    ['UTF-16, big-endian', Buffer.from(utf16).swap16(), 'text/csv', 'utf-16be'],
    ['its charset', Buffer.from(text, 'latin1'), 'text/csv; charset="ISO-8859-15"', 'iso-8859-15'],
  ])('is read in %s', async (_what, bytes, type, encoding) => {
    expect((await importFile(Buffer.from(bytes), type)).body).toMatchObject({ created: 1, failed: 0, encoding });
    expect(await site()).toEqual(expected);
  });

  it('is refused with the line where it is not what it says', async () => {
    const { status, body } = await importFile(Buffer.from(text, 'latin1'), 'text/csv; charset=utf-8');
    expect({ status, code: body.code, detail: body.errors?.[0]?.detail }).toEqual({
      status: 400,
      code: 'invalid_input',
      detail: expect.stringContaining('line 2 is not UTF-8'),
    });
    expect((await importFile(text, 'text/csv; charset=klingon')).body.code).toBe('invalid_input');
  });

  it('gives no password whose letters would be a guess', async () => {
    const file = 'name;base_url;username;password\na;https://10.7.0.1;u;pässword\nb;https://10.7.0.2;u;password\n';
    const { body } = await importFile(Buffer.from(file, 'latin1'));
    expect(body).toMatchObject({ code: 'import_refused', failed: 1, errors: [{ line: 2, field: 'password' }] });
    expect(await site()).toEqual([]);
  });

  it('is refused by the line where NDJSON is not UTF-8', async () => {
    const lines = '{"name":"a","baseUrl":"https://10.7.0.1"}\n{"name":"é","baseUrl":"https://10.7.0.2"}';
    const { body } = await importFile(Buffer.from(lines, 'latin1'), TYPES.ndjson);
    expect(body.errors).toEqual([{ line: 2, field: null, code: 'invalid_input', detail: 'the line is not UTF-8' }]);
  });
});

describe('names with control characters', () => {
  it.each(['a\tb', 'a\u0000b', 'a\nb', 'a\u0085b', 'a\ud800b'])(
    'are refused at registration and import: %j',
    async (name) => {
      const line = { name, baseUrl: 'https://10.6.0.1' };
      await expect(world.api.post('/v1/devices', line)).rejects.toMatchObject({ code: 'invalid_input' });
      const { body } = await importFile(JSON.stringify(line), TYPES.ndjson);
      expect(body).toMatchObject({ code: 'import_refused', errors: [{ line: 1, field: 'name' }] });
    },
  );

  it('stay where they are, and their devices go by their ids until they are renamed', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/devices', { name: 'old', baseUrl: 'https://10.6.0.1' });
    await db.query(`update device set name = E'o\\tld' where id = $1`, [id]);
    expect(await world.api.get(`/v1/devices/${id}`)).toMatchObject({ name: 'o\tld' });
    await world.api.send('PATCH', `/v1/devices/${id}`, { site: 'x' });
    await world.api.send('PATCH', `/v1/devices/${id}`, { name: 'new' });
    expect(await world.api.get('/v1/devices/name:new')).toMatchObject({ id });
  });
});

describe('a spare address', () => {
  const fleet = async () => (await db.query<object>('select name, base_url, spare_url from device order by name')).rows;
  const HEADER = 'name,base_url,spare_url';
  const csv = (...lines: string[]) => importFile([HEADER, ...lines].join('\n'));

  it('is set and changed by a file, and stays where the cell is empty', async () => {
    await csv('a,https://10.9.0.1,https://10.10.0.1', 'b,https://10.9.0.2,');
    await csv('a,https://10.9.0.1,', 'b,https://10.9.0.2,https://10.10.0.2');
    expect(await fleet()).toEqual([
      { name: 'a', base_url: 'https://10.9.0.1', spare_url: 'https://10.10.0.1' },
      { name: 'b', base_url: 'https://10.9.0.2', spare_url: 'https://10.10.0.2' },
    ]);
    const preview = await importFile(`${HEADER}\na,https://10.9.0.1,https://10.10.0.9`, 'text/csv', '?dryRun=true');
    expect(preview.body).toMatchObject({
      changes: [{ fields: [{ field: 'spareUrl', before: 'https://10.10.0.1', after: 'https://10.10.0.9' }] }],
    });
  });

  it.each([
    ['another line', ['a,https://10.9.0.1,https://10.10.0.1', 'b,https://10.10.0.1,'], 'line 2 has the same value'],
    ['a device', ['c,https://10.9.0.3,https://10.9.0.7'], 'another device has the same value'],
    ['the spare of a device', ['c,https://10.9.0.8,'], 'another device has the same value'],
    ['the device itself', ['c,https://10.9.0.3,https://10.9.0.3'], 'it is the base URL itself'],
    ['no network that is allowed', ['c,https://10.9.0.3,https://169.254.1.1'], expect.stringMatching(/./)],
  ])('cannot be that of %s', async (_what, lines, detail) => {
    await csv('known,https://10.9.0.7,https://10.9.0.8');
    const { status, body } = await csv(...lines);
    expect([status, body.code, body.errors]).toEqual([
      422,
      'import_refused',
      [expect.objectContaining({ line: lines.length + 1, detail })],
    ]);
  });

  it('of a device changes only by who may trust it', async () => {
    await csv('a,https://10.9.0.1,https://10.10.0.1');
    const rules = [{ effect: 'allow', permissions: ['device.read', 'device.manage'] }];
    await world.api.send('PUT', '/v1/roles/keeper', { rules });
    const keeper = await addPerson(world, 'Kim', [{ role: 'keeper' }]);
    const line = `${HEADER}\na,https://10.9.0.1,https://10.10.0.2`;
    const { body } = await importFile(line, 'text/csv', '', keeper.key);
    expect(body).toMatchObject({ code: 'import_refused', errors: [{ code: 'forbidden' }] });
    expect(await fleet()).toMatchObject([{ spare_url: 'https://10.10.0.1' }]);
  });
});
