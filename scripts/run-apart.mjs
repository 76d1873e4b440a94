/*
 * `npm run` of `bench`, `bench:jobs`, `bench:monitoring`, `bench:sizing`, `bench:templates`, `faults` and `fuzz`: installs where needed, builds, and becomes a program of the folder that the
 * first argument names. Each folder has a build of its own (`dist.bench`), so that the files of a run that takes minutes do not
 * change when another build runs.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './stop-with-npm.mjs';
import './ensure.mjs';

// Another Node measures itself: this program again, and so all that it starts.
const node = process.argv.indexOf('--node');
if (node > 0) {
  const [, program] = process.argv.splice(node, 2);
  if (!program) throw new Error('--node needs the path of a Node');
  const { status } = spawnSync(program, process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const [folder] = process.argv.splice(2, 1);
const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript7/bin/tsc', import.meta.url));
const options = ['-p', `tsconfig.${folder}.json`, '--outDir', `dist.${folder}`];
const { status } = spawnSync(process.execPath, [compiler, ...options], { cwd: root, stdio: 'inherit' });
if (status !== 0) {
  process.stderr.write('The build failed; see its errors above.\n');
  process.exit(status ?? 1);
}

// The one word that comes first is the program; the rest is for it.
const PROGRAMS = { jobs: 'jobs', monitoring: 'monitoring/main', sizing: 'sizing/main', templates: 'templates/main' };
const program = process.argv[2] in PROGRAMS ? PROGRAMS[process.argv.splice(2, 1)[0]] : 'main';
await import(`../dist.${folder}/${folder}/${program}.js`);
