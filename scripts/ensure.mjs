/*
 * Makes `npm start`, `npm run demo` and `npm test` work on a fresh clone: installs what package-lock.json says where
 * node_modules differs from it, generates code, and builds where the build was made from other sources. Importing it does
 * it. It runs before anything is installed, so it and `generate.mjs` import nothing but Node's modules.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate, readIfThere } from './generate.mjs';

const NODE_NEEDED = [20, 19];

/** Everything that the build depends on. */
const SOURCES = [
  'src',
  'migrations',
  'console',
  'docs/reference/openapi.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'scripts/build-console.mjs',
  'scripts/console-sizes.mjs',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => path.join(root, ...parts);
// Notices go to standard error: standard output belongs to the command that follows.
const say = (text) => process.stderr.write(`${text}\n`);

refuseOldNode();
if (!isInstalled()) install();
await generate(); // into src; it needs what was installed
const sources = digestOf(SOURCES);
if (readIfThere('dist/.sources') !== sources) await build(sources);

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1])) return;
  say(`Node ${process.version} is too old: Fleetgate needs ${NODE_NEEDED.join('.')} or newer, and recommends 24.`);
  process.exit(1);
}

/** Compares npm's own record of what it installed with the lock file, development tools included. */
function isInstalled() {
  const installed = readIfThere('node_modules/.package-lock.json');
  if (installed === null) return false;
  const { packages } = JSON.parse(installed);
  const locked = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([name, wanted]) => {
    if (name === '') return true; // the project itself
    if (!packages[name]) return wanted.optional === true || wanted.devOptional === true; // for other platforms
    return packages[name].version === wanted.version;
  });
}

function install() {
  say('Installing the dependencies (npm ci); this takes about a minute.');
  // The build needs the development tools, also where NODE_ENV=production would leave them out.
  npm(['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Builds beside and swaps at the end: no file of a deleted source stays, and a failed build leaves the old one. */
async function build(digest) {
  say('Building.');
  removeLeftovers();
  const draft = `dist.${process.pid}`;
  const compiler = at('node_modules', 'typescript7', 'bin', 'tsc');
  // It only translates, in a fifth of the time: `npm run check` looks at types.
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', draft];
  options.push('--tsBuildInfoFile', `${draft}/.tsbuildinfo`);
  const parts = [start([compiler, ...options]), start([at('scripts', 'build-console.mjs'), at(draft, 'console')])];
  const failed = (await Promise.all(parts)).find((status) => status !== 0);
  if (failed !== undefined) {
    rmSync(at(draft), { recursive: true, force: true });
    say('The build failed; see its errors above.');
    process.exit(failed ?? 1);
  }
  rmSync(at(draft, '.tsbuildinfo'), { force: true });
  writeFileSync(at(draft, '.sources'), digest);
  swap(draft);
}

/** Runs a Node program beside others. @returns its exit code; null when a signal ended it */
async function start(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', process.stderr.fd, process.stderr.fd] });
  const [status] = await once(child, 'exit');
  return status;
}

/** Puts the new build in the place of the old one; two commands that build at once may both come here. */
function swap(draft) {
  for (let attempt = 1; ; attempt++) {
    try {
      if (existsSync(at('dist'))) renameSync(at('dist'), at(`${draft}.old`));
      renameSync(at(draft), at('dist'));
      break;
    } catch (error) {
      if (attempt === 10) throw error;
    } finally {
      rmSync(at(`${draft}.old`), { recursive: true, force: true });
    }
  }
}

/** What a build that was killed has left. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    const [, pid] = /^dist\.(\d+)(\.old)?$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(at(name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** By content, not by time: clocks, copies and checkouts of older commits do not matter. */
function digestOf(names) {
  const hash = createHash('sha256');
  const add = (name) => {
    if (statSync(at(name)).isDirectory()) {
      for (const entry of readdirSync(at(name)).sort()) add(`${name}/${entry}`);
    } else {
      hash
        .update(`${name}\0`)
        .update(readFileSync(at(name)))
        .update('\0');
    }
  };
  names.forEach(add);
  return hash.digest('hex');
}

function npm(args) {
  const cli = process.env.npm_execpath; // set when npm runs this: the same npm again, with no look-up and no shell
  const { status, error } = cli?.endsWith('npm-cli.js')
    ? run(process.execPath, [cli, ...args])
    : run('npm', args, { shell: process.platform === 'win32' });
  if (status === 0) return;
  say(error ? `npm could not be started: ${error.message}` : 'npm ci failed; see its errors above.');
  process.exit(status ?? 1);
}

function run(program, args, options = {}) {
  return spawnSync(program, args, { cwd: root, stdio: ['ignore', process.stderr, process.stderr], ...options });
}
