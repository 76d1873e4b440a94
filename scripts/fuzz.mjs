/*
 * `npm run fuzz`: install when needed, build, read hostile bodies. It has a separate build (dist.fuzz), so that the files
 * of a run that takes minutes do not change when another build runs.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './stop-with-npm.mjs';
import './ensure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript7/bin/tsc', import.meta.url));
const options = ['-p', 'tsconfig.fuzz.json', '--outDir', 'dist.fuzz'];
const { status } = spawnSync(process.execPath, [compiler, ...options], { cwd: root, stdio: 'inherit' });
if (status !== 0) {
  process.stderr.write('The build failed; see its errors above.\n');
  process.exit(status ?? 1);
}

await import('../dist.fuzz/fuzz/main.js');
