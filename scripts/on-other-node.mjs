/*
 * Runs commands on the other Node of 20 and 24, in a clean clone of the last commit, one after the other:
 * `node scripts/on-other-node.mjs 'npm ci' 'npm test -- test/proxy'`. npm's registry has Node as a package. Nothing of it stays.
 * Ends with the exit code of the first command that failed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const version = process.versions.node.startsWith('24.') ? '20' : '24';
const name = `node-${process.platform}-${process.arch}`;
const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-node-'));
const clone = path.join(folder, 'clone');

chmodSync(folder, 0o711); // as root the embedded database runs as another user, who has to get there
try {
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', folder, ...options, `${name}@${version}`], { stdio: 'inherit' });
  execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  const programs = path.join(folder, 'node_modules', name, 'bin');
  const env = {
    ...process.env,
    PATH: `${programs}${path.delimiter}${process.env.PATH}`,
    DATA_DIR: path.join(folder, 'data'),
  };
  console.log(`Node ${execFileSync(path.join(programs, 'node'), ['--version'], { encoding: 'utf8' }).trim()}`);
  for (const command of process.argv.slice(2)) {
    console.log(`\n$ ${command}`);
    const { status } = spawnSync(command, { cwd: clone, env, stdio: 'inherit', shell: true });
    if (status === 0) continue;
    process.exitCode = status ?? 1;
    break;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
