import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../support/forms.js';
import { programOf } from '../support/source/page-examples.js';

/* `@fleetgate/client` as it is published: packed, and used from an empty folder. */

let folder: string;
let installed: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fleetgate-client-'));
  execFileSync(process.execPath, ['scripts/client-pack.mjs', folder], { stdio: 'pipe' });
  const [archive] = readdirSync(folder);
  installed = path.join(folder, 'node_modules', '@fleetgate', 'client');
  await mkdir(installed, { recursive: true });
  execFileSync('tar', ['-xzf', path.join(folder, archive!), '--strip-components=1', '-C', installed]);
  // What npm would install with it; the test has no registry.
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    cpSync(path.join('node_modules', name), path.join(folder, 'node_modules', name), { recursive: true });
  }
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (name: string): string => readFileSync(path.join(installed, name), 'utf8');

/** @returns what the compiler says about a file of the folder; empty when it takes it */
function compile(typescript: string, text: string): string {
  writeFileSync(path.join(folder, 'usage.ts'), text);
  const tsc = path.resolve('node_modules', typescript, 'bin', 'tsc');
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: false,
    types: [],
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    target: 'ES2022',
    module: 'NodeNext',
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }));
  try {
    execFileSync(process.execPath, [tsc, '-p', '.'], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe('the package', () => {
  it('has the code of the client, its types and its page, and nothing else', () => {
    const names = readdirSync(installed);
    expect(names.filter((name) => !/\.(js|d\.ts)$/.test(name)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(names).toEqual(expect.arrayContaining(['api-client.js', 'api-client.d.ts', 'openapi.d.ts']));
    expect(JSON.parse(read('package.json'))).toMatchObject({
      name: '@fleetgate/client',
      dependencies: { 'openapi-fetch': '0.17.0' },
    });
  });

  it('uses nothing of Node', () => {
    const code = readdirSync(installed).filter((name) => name.endsWith('.js'));
    expect(code.length).toBeGreaterThan(5);
    for (const name of code)
      expect([name, /node:|\bBuffer\b|\bprocess\b|\brequire\(/.exec(read(name))]).toEqual([name, null]);
  });

  it('can be imported in an empty folder', () => {
    const program = `
      import { ApiClient, ApiError, ConnectionError } from '@fleetgate/client';
      const api = new ApiClient({ url: 'http://127.0.0.1:9/', key: 'fg_x', attempts: 1 });
      const error = await api.get('/v1/devices').catch((thrown) => thrown);
      console.log(api.url, error instanceof ConnectionError, error instanceof ApiError);`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(printed).toBe('http://127.0.0.1:9 true false\n');
  });

  it.each(['typescript', 'typescript7'])('has types that %s takes, with the examples of its page', (typescript) => {
    const declared = 'declare const process: { readonly env: Readonly<Record<string, string | undefined>> };\n';
    expect(compile(typescript, declared + programOf('docs/reference/client.md', 'ts'))).toBe('');
  });

  // What `typescript` takes is above; that it finds what `typescript7` finds is for the night: it takes half a minute.
  it.each(casesOf(['typescript7', 'typescript'], 1, 1))('has types with which %s finds mistakes', (typescript) => {
    const mistakes = [
      `api.get('/v1/device');`,
      `api.get('/v1/devices/{ref}');`,
      `api.get('/v1/devices', { params: { query: { limt: 5 } } });`,
      `api.post('/v1/devices', { body: { baseUrl: 'https://192.0.2.7' } });`,
      `api.delete('/v1/devices');`,
      `api.get('/v1/jobs').then(({ items }) => items[0]!.fase);`,
      `(async () => { for await (const { hold } of api.lines('post', '/v1/audit/export', { body: {} })) hold; });`,
      `(async () => { for await (const { nom } of api.items('/v1/devices')) nom; });`,
    ];
    const text = [`import { type ApiClient } from '@fleetgate/client';`, 'declare const api: ApiClient;', ...mistakes];
    const said = compile(typescript, text.join('\n'));
    expect(mistakes.filter((_mistake, at) => !said.includes(`usage.ts(${at + 3},`))).toEqual([]);
  });
});
