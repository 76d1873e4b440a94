import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/* The build of the console ends with an error where `tooLarge` names a part. */

const KB = 1000;

let folder: string;
let tooLarge: (folder: string) => string[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-sizes-'));
  mkdirSync(path.join(folder, '.vite'));
  const script = new URL('../../../../scripts/console-sizes.mjs', import.meta.url).href;
  ({ tooLarge } = (await import(script)) as { tooLarge: typeof tooLarge });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A build whose entry imports a shared part, and has one screen; random bytes do not become smaller by gzip. */
function build(kB: Readonly<Record<'entry' | 'shared' | 'screen' | 'styles', number>>): void {
  const manifest = {
    'main.tsx': { file: 'entry', isEntry: true, imports: ['_shared'], css: ['styles'] },
    _shared: { file: 'shared' },
    'screen.tsx': { file: 'screen', isDynamicEntry: true, imports: ['_shared'] },
  };
  writeFileSync(path.join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));
  for (const [file, size] of Object.entries(kB)) writeFileSync(path.join(folder, file), randomBytes(size * KB));
}

it('lets a build pass whose parts are within their limits', () => {
  build({ entry: 100, shared: 79, screen: 59, styles: 29 });
  expect(tooLarge(folder)).toEqual([]);
});

it.each([
  ['scripts of the first load', { entry: 100, shared: 81, screen: 1, styles: 1 }],
  ['styles of the first load', { entry: 1, shared: 1, screen: 1, styles: 31 }],
  ['screen.tsx', { entry: 1, shared: 100, screen: 61, styles: 1 }],
])('names %s above its limit', (name, sizes) => {
  build(sizes);
  expect(tooLarge(folder)).toEqual([expect.stringMatching(new RegExp(`^${name}: .* kB, at most`))]);
});
