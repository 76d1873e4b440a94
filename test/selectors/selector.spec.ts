import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { matchesSelector } from '../../src/selectors/selector-match.js';
import { selectorSql } from '../../src/selectors/selector-sql.js';
import { firmwareVersion } from '../../src/device-api/firmware-version.js';
import { parseSelector, type Selector } from '../../src/selectors/selector.js';
import { freshDatabase } from '../support/database.js';

/** No selector here has a measured value. */
const NO_MEASURES = { scope: () => () => 'false' };

const text = (field: string, pattern: string, exact = false) => ({ is: 'text', field, pattern, exact });

describe('reading a selector', () => {
  it.each<[string, unknown]>([
    ['all', { is: 'all' }],
    ['tag:pump', text('tag', 'pump')],
    [' TAG : pump ', text('tag', 'pump')],
    ['site=vilnius/p1', text('site', 'vilnius/p1', true)],
    ['name:"Pump 1"', text('name', 'Pump 1', true)],
    ['name:"a \\"b\\" \\\\"', text('name', 'a "b" \\', true)],
    ['operator:"Example Mobile"', text('operator', 'Example Mobile', true)],
    ['model!=RUT200', { is: 'not', of: text('model', 'RUT200', true) }],
    ['firmware<7.14', { is: 'version', order: '<', than: [7, 14] }],
    ['firmware>=RUTX_R_00.07.14.2', { is: 'version', order: '>=', than: [7, 14, 2] }],
    ['seen<2h', { is: 'seen', order: '<', ageMs: 7_200_000 }],
    ['credentials:none', { is: 'record', name: 'credentials', word: 'none', at: 0 }],
    ['Credentials != none', { is: 'not', of: { is: 'record', name: 'credentials', word: 'none', at: 0 } }],
    ['spare:used', { is: 'record', name: 'spare', word: 'used', at: 0 }],
    ['credentials=STORED', { is: 'record', name: 'credentials', word: 'stored', at: 0 }],
    ['!job:Failed', { is: 'not', of: { is: 'record', name: 'job', word: 'failed', at: 1 } }],
    ['backup:none', { is: 'record', name: 'backup', word: 'none', at: 0 }],
    ['backup > 26h', { is: 'measure', name: 'backup', order: '>', value: 93_600, at: 0 }],
    ['certificate<30d', { is: 'measure', name: 'certificate', order: '<', value: 2_592_000, at: 0 }],
    [
      'tag:a & tag:b | tag:c',
      { is: 'or', of: [{ is: 'and', of: [text('tag', 'a'), text('tag', 'b')] }, text('tag', 'c')] },
    ],
    [
      'tag:a & (tag:b | !tag:c)',
      { is: 'and', of: [text('tag', 'a'), { is: 'or', of: [text('tag', 'b'), { is: 'not', of: text('tag', 'c') }] }] },
    ],
    ['mac:00:1e:42:*', text('mac', '00:1e:42:*')],
    ['mac:001E.42AA.BBCC', text('mac', '00:1e:42:aa:bb:cc')],
    ['mac:001E42*', text('mac', '00:1e:42*')],
    ['mac=00-1E-42-AA-BB-CC', text('mac', '00:1e:42:aa:bb:cc', true)],
    ['mac!="00 1E 42 AA BB CC"', { is: 'not', of: text('mac', '00:1e:42:aa:bb:cc', true) }],
    ['field.Rack_1:B*', { is: 'field', key: 'rack_1', pattern: 'B*', exact: false }],
    ['rsrp<-110', { is: 'measure', name: 'rsrp', order: '<', value: -110, at: 0 }],
    [
      'all & Memory.free <= 9.5',
      { is: 'and', of: [{ is: 'all' }, { is: 'measure', name: 'memory.free', order: '<=', value: 9.5, at: 6 }] },
    ],
    ['data.month>500MB', { is: 'measure', name: 'data.month', order: '>', value: 5e8, at: 0 }],
    ['data.plan>80', { is: 'measure', name: 'data.plan', order: '>', value: 80, at: 0 }],
    ['uptime<1h', { is: 'measure', name: 'uptime', order: '<', value: 3_600, at: 0 }],
    ['FIELD.rack != B7', { is: 'not', of: { is: 'field', key: 'rack', pattern: 'B7', exact: true } }],
  ])('%s', (source, tree) => {
    expect(parseSelector(source)).toEqual(tree);
  });

  it.each<[string, number]>([
    ['', 0],
    ['tag', 3],
    ['tag:', 4],
    ['tag:a &', 7],
    ['tag:a tag:b', 6],
    ['(tag:a', 6],
    ['tag:a)', 5],
    ['colour:red', 0],
    ['tag:a & colour:red', 8],
    ['name:"open', 5],
    ['site<5', 0],
    ['firmware<new', 9],
    ['firmware<7.1_7.2', 9],
    ['mac:001e42', 4],
    ['state:onlin', 6],
    ['state=on*', 6],
    ['tag:a & state != gone', 17],
    ['!trust:pinned', 7],
    ['profile:"rut os"', 8],
    ['mac = router', 6],
    ['mac:*1e42*', 4],
    ['seen:2h', 5],
    ['seen<soon', 5],
    ['credentials:admin', 12],
    ['credentials<none', 11],
    ['job:lost', 4],
    ['job<failed', 3],
    ['lock:none', 5],
    ['backup:26h', 7],
    ['backup>none', 7],
    ['certificate:none', 12],
    ['rsrp:-110', 5],
    ['rsrp<weak', 5],
    ['rsrp<', 5],
    ['uptime<3600', 7],
    ['data.month>500', 11],
    ['data.year>5GB', 0],
    ['memory<10', 0],
    ['field:a', 5],
    ['field.1:a', 5],
    ['field.rack<7', 10],
    ['field.rack:', 11],
    ["name:a'; drop table device", 6],
    ['!'.repeat(60) + 'all', 51],
    ['('.repeat(60), 51],
  ])('%p is refused at position %p', (source, position) => {
    expect(() => parseSelector(source)).toThrow(
      expect.objectContaining({ code: 'invalid_selector', facts: expect.objectContaining({ position }) }),
    );
  });

  it('is refused when it is longer than a person could write', () => {
    expect(() => parseSelector('x'.repeat(20_000))).toThrow(expect.objectContaining({ code: 'invalid_selector' }));
  });
});

/* A small fleet with every oddity, and selectors made at random: SQL and memory must name the same devices. */
describe('a selector in SQL and in memory', () => {
  const now = new Date('2026-03-02T08:00:00Z');
  const seed = 20261121;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: pg.Client;
  let devices: Parameters<typeof matchesSelector>[1][];

  /** Mulberry32: the same numbers for the same seed, everywhere. */
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

  const values: Record<string, string[]> = {
    tag: ['pump', 'roof', 'p*', '*o*', 'Pump', 'a_b', '"a%b"'],
    site: ['vilnius/p1', 'vilnius/*', 'VILNIUS/P2', '*', 'oslo', '*p1'],
    name: ['r1', 'R*', '*1*', 'r_2', '"r%3"', '"a*"'],
    model: ['RUTX50', 'RUT2*', 'rutx*', '*'],
    operator: ['"Example Mobile"', '*MOB*', 'n_t', '*'],
    serial: ['100', '1*0'],
    state: ['new', 'online', 'o*line'],
    profile: ['rutos', 'spec'],
    'field.rack': ['B7', 'b*', '*7', '7.5', '-0.000001', '999999999999999', 'true', '*'],
    'field.toString': ['*'],
  };

  function randomSelector(depth: number): string {
    const roll = random();
    if (depth > 0 && roll < 0.2) return `!${randomSelector(depth - 1)}`;
    if (depth > 0 && roll < 0.6)
      return `(${randomSelector(depth - 1)} ${pick(['&', '|'])} ${randomSelector(depth - 1)})`;
    if (roll < 0.7) return `firmware${pick(['<', '<=', '>', '>='])}${pick(['7', '7.14', '7.14.0', '7.14.2', '0'])}`;
    if (roll < 0.8) return `seen${pick(['<', '<=', '>', '>='])}${pick(['30m', '2h', '7d'])}`;
    if (roll < 0.83) return 'all';
    const field = pick(Object.keys(values));
    return `${field}${pick([':', '=', '!='])}${pick(values[field]!)}`;
  }

  beforeAll(async () => {
    database = await freshDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    for (let index = 0; index < 60; index++) {
      await db.query(
        `insert into device (id, name, base_url, serial, model, firmware, site, tags, profile, state, seen_at, created_at, updated_at, fields,
           network_operator)
         values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)`,
        [
          `${pick(['r1', 'R1', 'r_2', 'r%3', 'a*', 'rx2'])}-${index}`,
          `https://10.0.0.${index}`,
          pick([null, String(100 + index * 10)]),
          pick([null, 'RUTX50', 'RUT241', 'rut200']),
          pick([null, 'RUTX_R_00.07.14.2_hotfix1', 'RUT9_R_00.07.06.20', '7.14 (build 2041)', 'beta 3', 'X_07.14.0']),
          pick(['', 'vilnius/p1', 'vilnius/p2', 'oslo']),
          pick([[], ['pump'], ['pump', 'roof'], ['a_b'], ['a%b', 'axb']]),
          pick(['rutos', 'spec', 'unknown']),
          pick(['new', 'online', 'offline']),
          pick([
            null,
            new Date(now.getTime() - 60_000),
            new Date(now.getTime() - 7_200_000),
            new Date(now.getTime() - 864_000_000),
          ]),
          now,
          pick([{}, { rack: 'B7' }, { rack: 7.5 }, { rack: -0.000001 }, { rack: 999_999_999_999_999 }, { rack: true }]),
          pick([null, 'Example Mobile', 'example mobile 2', 'n_t', 'net']),
        ],
      );
    }
    const { rows } = await db.query(
      'select *, seen_at as "seenAt", network_operator as "networkOperator" from device order by id',
    );
    devices = rows as typeof devices;
  });
  afterAll(async () => {
    await db.end();
    await database.drop();
  });

  it(`names the same devices, for 400 random selectors (seed ${seed})`, async () => {
    const sizes = new Set<number>();
    for (let round = 0; round < 400; round++) {
      const source = randomSelector(4);
      const tree: Selector = parseSelector(source, true);
      const parameters: unknown[] = [];
      const { rows } = await db.query<{ id: string }>(
        `select id from device where ${selectorSql(tree, parameters, now, NO_MEASURES)} order by id`,
        parameters,
      );
      const inMemory = devices.filter((device) => matchesSelector(tree, device, now)).map(({ id }) => id);
      expect([source, rows.map(({ id }) => id)]).toEqual([source, inMemory]);
      sizes.add(inMemory.length);
    }
    expect(sizes.size).toBeGreaterThan(20); // the selectors did tell devices apart
  });

  it.each([
    'name:R*|name:*1*',
    'name:R*|name:*2|name:a*|name:"*%*"',
    'name:R*|name:R*',
    '!(name:R*|name:*1*)',
    'serial:1*|serial:2*',
    '!(serial:1*|serial:2*)',
    'name:*1*|site:vilnius/*|name:r_*|site:*2',
    'name:*1*|name:r1-2|name=r*|name:x*',
    'name:*1*|tag:p*|name:*2*|tag:*o*',
    '(name:*1*|name:*2*)&(model:RUT*|model:*50)',
    'name:*1*|(name:*2*|name:*3*)|firmware<7.14',
    'name:*_*|name:x*|name:*nothing*',
  ])('names the same devices by alternatives with open patterns: %s', async (source) => {
    const tree = parseSelector(source);
    const parameters: unknown[] = [];
    const sql = selectorSql(tree, parameters, now, NO_MEASURES);
    const { rows } = await db.query<{ id: string }>(`select id from device where ${sql} order by id`, parameters);
    expect(rows.map(({ id }) => id)).toEqual(
      devices.filter((device) => matchesSelector(tree, device, now)).map(({ id }) => id),
    );
  });

  it('gives the open patterns of a column to the statement as one value', () => {
    const parameters: unknown[] = [];
    const names = Array.from({ length: 1_000 }, (_, index) => `name:*${index}*`);
    selectorSql(parseSelector(names.join('|')), parameters, now, NO_MEASURES);
    expect(parameters).toHaveLength(1);
  });

  it.each([
    ['name:a|name:b|name:c', 1],
    ['name=a*|name=b*', 1],
    ['tag:a|tag:b|tag:c', 1],
    ['firmware=7.1|firmware=7.2|firmware=7.3', 1],
    ['name:a|name:*b*|name:c|name:*d*', 2],
    ['name:a|serial:b|name:c|serial:d', 2],
    ['tag:a|tag:*b*|tag:c|tag:*d*', 3],
    ['name:a|(name:b|name:c)', 2],
    ['name:a|tag:b', 2],
    ['!(id:a|id:b)', 1],
  ])('gives the texts of a column to the statement as one value: %s', (text, count) => {
    const values: unknown[] = [];
    selectorSql(parseSelector(text), values, new Date(), NO_MEASURES);
    expect(values).toHaveLength(count);
  });

  it('tell the same version of a firmware, for 2,000 names made at random', async () => {
    const pieces = [
      'RUTX_R_',
      '00.',
      '07.',
      '16',
      '.3',
      '7.',
      '2041',
      '_hotfix1',
      '-rc2',
      ' (build ',
      ')',
      '+',
      '_',
      'RUT9_',
      '000000007.1',
      '1234567890.1',
      'é_',
      'v',
      '0.9.1',
      '00.0',
      '.x',
      '.*',
      '2025.09.19',
      '20250919',
      '.99999999999',
      'V7.1',
      ' ',
      'r16279-5cc',
      '.',
      '0',
      '٣',
      '🙂',
      'x'.repeat(130),
    ];
    const names = Array.from({ length: 2_000 }, () =>
      Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(pieces)).join(''),
    );
    const { rows } = await db.query<{ parts: number[] | null }>(
      'select firmware_version(name) as parts from unnest($1::text[]) with ordinality as names (name, place) order by place',
      [names],
    );
    expect(rows.map(({ parts }, at) => [names[at], parts])).toEqual(
      names.map((name) => [name, firmwareVersion(name)?.parts ?? null]),
    );
    expect(new Set(rows.map(({ parts }) => String(parts))).size).toBeGreaterThan(20);
  });

  it('takes every value as a value', async () => {
    const parameters: unknown[] = [];
    const sql = selectorSql(parseSelector('name:"x\' or true --"'), parameters, now, NO_MEASURES);
    expect(sql).not.toContain('true');
    expect((await db.query(`select from device where ${sql}`, parameters)).rowCount).toBe(0);
  });
});
