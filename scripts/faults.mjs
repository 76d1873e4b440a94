/*
 * `npm run faults`: install when needed, build, break things. The build is one of its own (dist.faults), so that the files of a run
 * that takes minutes stay as they are when another command builds at the same time.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './stop-with-npm.mjs';
import './ensure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript7/bin/tsc', import.meta.url));
const options = ['-p', 'tsconfig.faults.json', '--outDir', 'dist.faults'];
const { status } = spawnSync(process.execPath, [compiler, ...options], { cwd: root, stdio: 'inherit' });
if (status !== 0) {
  process.stderr.write('The build failed; see its errors above.\n');
  process.exit(status ?? 1);
}

await import('../dist.faults/faults/main.js');
