/*
 * `npm run client:pack -- [folder]`: builds the client alone, as the package @fleetgate/client, and packs it into the folder
 * (here: the root). It is compiled with the types of browsers and without those of Node, so it uses nothing of Node.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => path.join(root, ...parts);
const destination = path.resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(at('dist.client-'));

await generate();
try {
  run(process.execPath, [
    at('node_modules', 'typescript7', 'bin', 'tsc'),
    '-p',
    at('tsconfig.client.json'),
    '--outDir',
    folder,
  ]);
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(at('LICENSE'), path.join(folder, 'LICENSE'));
  copyFileSync(at('docs', 'reference', 'client.md'), path.join(folder, 'README.md'));
  run('npm', ['pack', '--silent', '--pack-destination', destination], folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function manifest() {
  const { version, license, engines, dependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  return {
    name: '@fleetgate/client',
    version,
    description: 'The typed client of the Fleetgate API, for Node and browsers.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: engines.node },
    exports: { '.': { types: './api-client.d.ts', default: './api-client.js' } },
    dependencies: { 'openapi-fetch': dependencies['openapi-fetch'] },
  };
}

function run(program, args, cwd = root) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw error ?? new Error(`${program} ended with ${status}`);
}
