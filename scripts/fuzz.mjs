/*
 * `npm run fuzz`: install when needed, build, read hostile bodies. The build is one of its own (dist.fuzz), so that the files of a run
 * that takes minutes stay as they are when somebody builds meanwhile.
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
