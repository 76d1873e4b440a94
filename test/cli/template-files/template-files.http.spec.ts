import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { EXIT } from '../../../src/cli/exit-codes.js';
import { canonicalBody } from '../../../src/templates/observed/sections.js';
import { ObservedBodies } from '../../../src/templates/observed/observed-bodies.js';
import { commandLine } from '../../support/cli/command-line.js';
import { openCliWorld, type CliWorld } from '../../support/cli/cli-world.js';

/* Templates as files: out, in, compared, planned. The exit code says whether anything differs. */

const NTP = '/api/ntp/servers/config';
const CANARY = 'Canary-secret-of-a-file';

let world: CliWorld;

const fleetgate = (words: string, input?: string) => world.run(words.split(' '), input === undefined ? {} : { input });
const base = (enabled: string, name = 'base') => `name: ${name}
selector: tag:pump
items:
  - path: ${NTP}
    key:
      hostname: ntp.example
    options:
      enabled: "${enabled}"
`;

beforeAll(async () => {
  world = await openCliWorld(2, { ROLE: 'api' });
});
afterAll(() => world.close());
afterEach(async () => {
  const db = world.gateway.gateway.app.get(DataSource);
  await db.query('delete from template');
  await db.query('delete from sealed_value');
  await db.query('delete from observed');
});

describe('an import', () => {
  it('makes drafts and changes them, says what it did, and publishes nothing', async () => {
    const files = `${base('1')}---\n${base('1', 'other')}`;
    const rehearsed = await fleetgate('template import - --dry-run -o json', files);
    expect(JSON.parse(rehearsed.out)).toMatchObject([{ what: 'created' }, { what: 'created' }]);
    expect(rehearsed.err).toContain('Nothing was changed');
    expect((await fleetgate('template list -o json')).out).toBe('[]\n');
    expect(JSON.parse((await fleetgate('template import - -o json', files)).out)).toEqual([
      { template: 'base', what: 'created', file: '-' },
      { template: 'other', what: 'created', file: '-' },
    ]);
    const second = await fleetgate('template import - -o json', `${base('0')}---\n${base('1', 'other')}`);
    expect(JSON.parse(second.out)).toMatchObject([{ what: 'changed' }, { what: 'unchanged' }]);
    const shown = JSON.parse((await fleetgate('template show base -o json')).out) as object;
    expect(shown).toMatchObject({ publishedNumber: null, items: [{ options: { enabled: '0' } }] });
  });

  it('takes texts that look like numbers, and refuses what is no text', async () => {
    const { code } = await fleetgate('template import -', base('1').replace('"1"', '1'));
    expect(code).toBe(EXIT.done);
    const shown = JSON.parse((await fleetgate('template show base -o json')).out) as object;
    expect(shown).toMatchObject({ items: [{ options: { enabled: '1' } }] });
  });

  it.each([
    ['a field that is none', `${base('1')}tags: a\n`, /-, line \d+: a template has no tags there/],
    ['no name', base('1').replace('name: base\n', ''), /line 1: name: it is missing/],
    ['an option twice', `${base('1')}      enabled: "0"\n`, /-, line 9: enabled is there twice/],
    ['broken YAML', `${base('1')}   x: [\n`, /-, line \d+:/],
    ['a template twice', `${base('1')}---\n${base('0')}`, /line 10: - has the template base, too/],
    ['an option that is no text', base('1').replace('"1"', '{ a: b }'), /line 8: items\.0\.options\.enabled: a text/],
    ['aliases that grow', `a: &a [x,x]\nb: &b [*a,*a]\nc: [${'*b,'.repeat(60)}*b]\n`, /line 1: .*[Aa]lias/],
    ['brackets without an end', '['.repeat(100_000), /line 1: nested deeper than 32/],
    ['marks without an end', '&a '.repeat(100_000), /line 1: more than 100 anchors/],
    ['nothing', '# nothing\n', /line 1: there is no template in it/],
    ['a service that has jobs of its own', base('1').replace(NTP, '/api/users/config'), /line 4: items\.0\.path: /],
    ['devices that it cannot choose', base('1').replace('tag:pump', 'rsrp<-100'), /line 1: .*\(invalid_selector\)/],
    ['a secret in clear', base('1').replace('enabled: "1"', 'password: hunter2hunter2'), /line \d: items\.0/],
    [
      'a secret that no one gave',
      `${base('1')}    sealed: [{ option: psk, secret: wifi }]\n`,
      /line 9: psk: no sealed/,
    ],
    ['a secret without a name', `${base('1')}    sealed: [{ option: psk }]\n`, /line 9: psk: the installation has no/],
  ])('changes nothing where a file has %s', async (_, wrong, said) => {
    const right = await world.file('right.yaml', base('1', 'right'));
    const { code, out, err } = await fleetgate(`template import ${right} -`, wrong);
    expect([code, out]).toEqual([EXIT.usage, '']);
    expect(err).toMatch(said);
    expect(err).not.toContain('hunter2');
    expect((await fleetgate('template list -o json')).out).toBe('[]\n');
  });

  it('says with its own code that the person may not do it', async () => {
    const viewer = world.environment(world.gateway.keys.viewer);
    const { code, err } = await commandLine(viewer, ['template', 'import', '-'], { input: base('1') });
    expect([code, err]).toEqual([EXIT.notPermitted, expect.stringContaining('-, line 1: ')]);
  });
});

describe('an export', () => {
  it('has the same bytes each time, and after an import of itself', async () => {
    const odd = `name: odd
selector: 'all'
items:
  - path: /api/system/global
    options: { zonename: "no", hostname: ' a: b #c', note: "- x\\ny ", list: ["1", "~", "0x1F", "<<"], empty: "" }
  - path: ${NTP}
    mode: only
    key: { name: "1e3", hostname: b }
  - path: ${NTP}
    key: { hostname: "a", name: 'true' }
    mode: absent
    sealed: []
`;
    await fleetgate('template import -', `${odd}---\n${base('1')}`);
    const first = (await fleetgate('template export')).out;
    expect((await fleetgate('template export')).out).toBe(first);
    expect((await fleetgate('template diff -', first)).code).toBe(EXIT.done);
    await fleetgate('template remove odd --yes');
    await fleetgate('template remove base --yes');
    expect((await fleetgate('template import -', first)).code).toBe(EXIT.done);
    expect((await fleetgate('template export')).out).toBe(first);
    expect((await fleetgate('template export base')).out).toBe(base('1'));
  });

  it('writes a file for each template into a folder, which an import takes', async () => {
    await fleetgate('template import -', `${base('1')}---\n${base('1', 'other')}`);
    const folder = path.join(world.folder, 'templates');
    expect((await fleetgate(`template export --to ${folder}`)).code).toBe(EXIT.done);
    expect(await readFile(path.join(folder, 'other.yaml'), 'utf8')).toBe(base('1', 'other'));
    const again = await fleetgate(`template import ${folder} -o json`);
    expect(JSON.parse(again.out)).toMatchObject([{ what: 'unchanged' }, { what: 'unchanged' }]);
    expect((await fleetgate(`template diff ${folder}`)).code).toBe(EXIT.done);
  });

  it('names secrets, and an import keeps them', async () => {
    const file = await world.file('secret.txt', CANARY);
    await fleetgate(`sealed-value give --label wifi --value-file ${file}`);
    const asked = `${base('1')}    sealed:\n      - option: made\n        generate: 24\n      - option: psk\n        secret: wifi\n`;
    expect((await fleetgate('template import -', asked)).code).toBe(EXIT.done);
    await world.gateway.gateway.app.get(DataSource).query('delete from sealed_value where template_id is null');
    expect((await fleetgate('template export')).out).toBe(asked);
    const unnamed = asked.replace('        secret: wifi\n', '').replace('"1"', '"0"');
    expect((await fleetgate('template import -', unnamed)).code).toBe(EXIT.done);
    const exported = (await fleetgate('template export')).out;
    expect(exported).toBe(asked.replace('"1"', '"0"'));
    expect(exported).not.toMatch(/hmac:|Canary/);
  });
});

describe('a difference', () => {
  it('is named to the option, and ends with 3', async () => {
    await fleetgate('template import -', base('1'));
    const two = `${base('0').replace('tag:pump', 'all')}  - path: /api/system/global\n    options: { hostname: x }\n`;
    const { code, out } = await fleetgate('template diff - -o json', `${two}---\n${base('1', 'other')}`);
    expect(code).toBe(EXIT.someFailed);
    const section = `${NTP} hostname=ntp.example`;
    expect(JSON.parse(out)).toEqual([
      { template: 'base', section: null, field: 'selector', installation: 'tag:pump', file: 'all' },
      { template: 'base', section, field: 'options.enabled', installation: '1', file: '0' },
      { template: 'base', section: '/api/system/global', field: null, installation: null, file: 'has' },
      { template: 'other', section: null, field: null, installation: null, file: 'a template' },
    ]);
    const same = await fleetgate('template diff -', base('1').replace('"1"', '1'));
    expect([same.code, same.out]).toEqual([EXIT.done, '']);
  });

  it('of a folder that has no file is wrong use', async () => {
    const empty = path.join(world.folder, 'empty');
    await mkdir(empty, { recursive: true });
    expect(await fleetgate(`template diff ${empty}`)).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('has no .yaml or .yml file'),
    });
    expect((await fleetgate('template diff /no/such/file.yaml')).code).toBe(EXIT.usage);
  });
});

describe('a plan', () => {
  async function observe(enabled: string): Promise<void> {
    const { app } = world.gateway.gateway;
    const json = canonicalBody([{ id: '1', hostname: 'ntp.example', enabled }]);
    const digest = ObservedBodies.digestOf(json);
    const db = app.get(DataSource);
    await app.get(ObservedBodies).store(db.manager, new Map([[digest, json]]));
    await db.query('delete from observed');
    await db.query('insert into observed (device_id, path, digest, read_at) select id, $1, $2, now() from device', [
      NTP,
      digest,
    ]);
  }

  it('ends with 3 where devices would change, by names and by files', async () => {
    await fleetgate('template import -', base('1'));
    await observe('1');
    expect((await fleetgate('template plan base')).code).toBe(EXIT.done);
    await observe('0');
    const one = await fleetgate('template plan base --samples 1 -o json');
    expect(one.code).toBe(EXIT.someFailed);
    expect(JSON.parse(one.out)).toMatchObject({ changed: 2, samples: [{ changes: 1 }] });
    const byFile = await fleetgate('template plan -', base('1'));
    expect([byFile.code, byFile.out]).toEqual([EXIT.someFailed, expect.stringMatching(/base +2 +0 +2 +0 +0/)]);
    const other = await fleetgate('template plan -', base('0'));
    expect([other.code, other.err]).toEqual([EXIT.conflict, expect.stringContaining('import it first')]);
  });
});
