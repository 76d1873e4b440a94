/*
 * The tests to which servers make a difference, against servers as they are installed, not the embedded one: DATABASE_URL and REDIS_URL where
 * they are given, else a Postgres of Debian's packages and the `redis-server` on the PATH, started for this run on
 * free loopback ports with their data in a temp folder. Arguments choose other tests; TEST_FORM=long or nightly runs all in that form.
 */
import './ensure.mjs';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTests } from './run-tests.mjs';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const OLDEST_POSTGRES = 15;
const START_WITHIN_MS = 30_000;

/** The exit code that tells "could not be tried" from "failed". */
const SERVER_MISSING = 3;

/** Tests that servers of one's own can break, in their nightly form: CI has it here once. */
const IN_FULL = [
  'test/auth/(buckets|rate-limits)',
  'test/jobs/engine/(engine|queue-guards|redis-guards|two-workers)',
  'test/proxy/sessions/(replicas|shared-sessions)',
];

/** Tests of what else Postgres or Redis do for us, in the short form. */
const IN_SHORT = [
  'test/app/(changes|roles|secrets-stay-sealed)',
  'test/audit/(audit.spec|audit-log|sequencer|retention|clean-histories)',
  'test/auth/locks',
  'test/devices/(fleet.http|device-cache)',
  'test/events',
  'test/jobs/(kinds/backup.spec|jobs.http)',
  'test/platform/(database/(fresh-database|migrations|pg-notifications)|secrets/key-rotation)',
  'test/rollouts/.*http',
];

/** What has to be stopped at the end, last first. */
const cleanups = [];

function main() {
  const postgres = process.env.DATABASE_URL ? null : findPostgres();
  const redis = process.env.REDIS_URL ? null : findOnPath('redis-server');
  const missing = [];
  if (!process.env.DATABASE_URL && !postgres) {
    missing.push(
      `No Postgres ${OLDEST_POSTGRES} or newer under ${DEBIAN_POSTGRES}: install it (apt-get install postgresql), or set DATABASE_URL to a login that may create databases and roles.`,
    );
  }
  if (!process.env.REDIS_URL && !redis) {
    missing.push('No redis-server on the PATH: install it (apt-get install redis-server), or set REDIS_URL.');
  }
  if (missing.length > 0) {
    console.error(`The tests against real servers were not run.\n${missing.join('\n')}`);
    process.exit(SERVER_MISSING);
  }
  return runWith(postgres, redis);
}

async function runWith(postgres, redis) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-services-'));
  chmodSync(folder, 0o711);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  try {
    const { DATABASE_URL, REDIS_URL, ...env } = process.env;
    env.TEST_DATABASE_URL = DATABASE_URL ?? (await startPostgres(postgres, path.join(folder, 'postgres')));
    env.TEST_REDIS_URL = REDIS_URL ?? (await startRedis(redis, path.join(folder, 'redis')));
    const asked = process.argv.slice(2);
    if (asked.length > 0) return await runTests(asked, { TEST_FORM: 'short', ...env });
    const full = await runTests(IN_FULL, { ...env, TEST_FORM: 'nightly' });
    return (await runTests(IN_SHORT, { TEST_FORM: 'short', ...env, TESTS_COMPILED: 'true' })) || full;
  } finally {
    await cleanUp();
  }
}

async function cleanUp() {
  for (let next = cleanups.pop(); next; next = cleanups.pop()) await next();
}

/** The newest of Debian's versions that is new enough, as the folder of its programs. */
function findPostgres() {
  if (!existsSync(DEBIAN_POSTGRES)) return null;
  const versions = readdirSync(DEBIAN_POSTGRES)
    .map(Number)
    .filter((version) => version >= OLDEST_POSTGRES);
  const folders = versions.sort((a, b) => b - a).map((version) => path.join(DEBIAN_POSTGRES, String(version), 'bin'));
  return folders.find((folder) => existsSync(path.join(folder, 'postgres'))) ?? null;
}

function findOnPath(program) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file)) ?? null;
}

async function startPostgres(programs, folder) {
  const user = unprivilegedUser();
  const data = path.join(folder, 'data');
  const passwordFile = path.join(folder, 'password');
  const password = randomBytes(18).toString('hex');
  mkdirSync(folder);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined) for (const file of [folder, passwordFile]) chownSync(file, user.uid, user.gid);
  const environment = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const options = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8'];
  execFileSync(path.join(programs, 'initdb'), [...options, '--no-sync', data], environment);
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await startServer(path.join(programs, 'postgres'), ['-D', data, ...flags], environment, port, 'SIGINT');
  const version = execFileSync(path.join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
  console.log(`${version} on port ${port}`);
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

async function startRedis(program, folder) {
  mkdirSync(folder);
  const port = await freePort();
  const durable = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', ''];
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', ...durable];
  await startServer(program, flags, { cwd: folder }, port, 'SIGTERM');
  console.log(`${execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()} on port ${port}`);
  return `redis://127.0.0.1:${port}`;
}

/** Starts a server in a group of its own (Ctrl-C is for the tests first), and waits until its port is open. */
async function startServer(program, args, options, port, stopSignal) {
  const log = [];
  const child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => log.push(text) > 50 && log.shift());
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', (error) => resolve(log.push(error.message)));
  });
  cleanups.push(async () => {
    child.kill(stopSignal);
    await ended;
  });
  for (const deadline = Date.now() + START_WITHIN_MS; !(await isOpen(port)); await sleep(50)) {
    if (child.pid !== undefined && child.exitCode === null && Date.now() < deadline) continue;
    throw new Error(`${path.basename(program)} did not start:\n${log.join('')}`);
  }
}

/** Postgres refuses to run as root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

process.exitCode = await main();
