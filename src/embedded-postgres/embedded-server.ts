import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { open, readFile, readlink, rename, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { removeOldCopies, type ServerBinaries, type ServerUser } from './embedded-binaries.js';
import { isAlive } from './folder-lock.js';

/*
 * One Postgres process on a data folder: find or start it, wait for it, stop it. Only its pid file tells that it runs.
 * The gateway therefore checks that the process works in our folder and that its port accepts our password.
 */

/** For a small machine that also runs the gateway. */
const SETTINGS = {
  max_connections: '200', // three processes with the default pools, and an operator's own tools
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  random_page_cost: '1.1', // solid-state disks
  jit: 'off', // statements here are short; compiling them costs more than it saves
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_messages: 'log', // the gateway logs its own failed statements; the server logs starts, stops and crashes
};

const EPHEMERAL_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Recovery after a crash reads at most `max_wal_size` and takes much less than this. */
const START_WITHIN_MS = 120_000;

/** A start fails when another program has taken the port, or when a worker of a killed server still runs. */
const START_ATTEMPTS = 3;

/** The orderly stop may take this long. After it Postgres stops at once and recovers on its next start. */
const STOP_WITHIN_S = 15;

/** The only account of a new database; its password is in the password file. */
export const SUPERUSER = 'postgres';

const POLL_MS = 20;
const LOG_TAIL_LINES = 8;

export interface ServerFolder {
  readonly root: string;
  readonly data: string;
  readonly log: string;
  readonly passwordFile: string;
  readonly user: ServerUser | null;
  readonly binaries: ServerBinaries;
  readonly ephemeral: boolean;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** The child process when this process started the server. */
  readonly child?: ChildProcess;
}

/** The server that an earlier start left running, when it is ours and answers; null when there is none. */
export async function findServer(site: ServerFolder): Promise<RunningServer | null> {
  const { pid } = await readPidFile(site);
  // Postgres replaces the file of a dead process itself, but not when another process has its number.
  if (pid === null || !isAlive(pid)) return null;
  if (process.platform === 'linux' && !(await worksIn(pid, site.data))) {
    await rm(pidFile(site), { force: true });
    return null;
  }
  return waitForServer(site, pid, async () => isAlive(pid) && (await readPidFile(site)).pid === pid);
}

/** A Postgres works in its data folder. A process that ended, or whose directory is hidden, is not ours. */
async function worksIn(pid: number, data: string): Promise<boolean> {
  return (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === data;
}

/** Starts a server on a free port and waits until it answers. */
export async function startServer(
  site: ServerFolder,
  settings: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  await removeOldCopies(site.root, site.binaries.version);
  for (let attempt = 1; ; attempt++) {
    const child = await spawnServer(site, settings);
    try {
      const ended = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
      const running = await waitForServer(site, child.pid ?? -1, async () => !ended());
      if (running) return { ...running, child };
    } catch (error) {
      child.kill('SIGQUIT');
      throw error;
    }
    if (attempt === START_ATTEMPTS) throw new Error(`Postgres did not start in ${site.root}:\n${await logTail(site)}`);
    await sleep(attempt * 250);
  }
}

async function spawnServer(site: ServerFolder, settings: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const all = {
    ...SETTINGS,
    ...(site.ephemeral ? EPHEMERAL_SETTINGS : {}),
    ...settings,
    port: String(await freePort()),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  };
  await rename(site.log, `${site.log}.1`).catch(() => undefined);
  const log = await open(site.log, 'a', 0o600);
  try {
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(site.binaries.program('postgres'), ['-D', site.data, ...flags], {
      ...runAs(site),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.on('error', () => undefined); // the caller sees a child without a process id
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/**
 * Waits until the server of process `pid` accepts our password.
 * @returns null when the process ended instead
 * @throws Error when it runs but does not answer in time, or refuses the password
 */
async function waitForServer(
  site: ServerFolder,
  pid: number,
  isRunning: () => Promise<boolean>,
): Promise<RunningServer | null> {
  const password = (await readFile(site.passwordFile, 'utf8')).trim();
  for (const deadline = Date.now() + START_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (!(await isRunning())) return null;
    const file = await readPidFile(site);
    if (file.pid !== pid || file.status !== 'ready') continue;
    const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${file.port}/postgres`;
    if (await answers(site, url)) return { url, port: file.port };
  }
  throw new Error(
    `Process ${pid} holds the database in ${site.data} but does not answer. See ${site.log}; ` +
      `if the process is not Postgres, remove ${pidFile(site)}.`,
  );
}

async function answers(site: ServerFolder, url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return path.resolve(rows[0]?.data_directory ?? '') === site.data;
  } catch (cause) {
    if ((cause as { code?: string }).code === '28P01') {
      throw new Error(`The database in ${site.data} refuses the password in ${site.passwordFile}.`, { cause });
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Stops the server, also one that an earlier process started, and waits until it is down. */
export async function stopServer(site: ServerFolder, { child }: RunningServer): Promise<void> {
  for (const mode of ['fast', 'immediate']) {
    const { pid } = await readPidFile(site);
    if (pid === null || !isAlive(pid)) break;
    // It fails when the stop took too long or the server ended by itself. The next round checks which.
    await run(site, 'pg_ctl', stopArguments(site, mode, ['-w', '-t', String(STOP_WITHIN_S)])).catch(() => undefined);
  }
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await new Promise((resolve) => child.once('exit', resolve));
}

/** For the end of this process, which cannot wait: asks the server to stop and returns. */
export function requestStop(site: ServerFolder): void {
  spawnSync(site.binaries.program('pg_ctl'), stopArguments(site), runAs(site));
}

function stopArguments(site: ServerFolder, mode = 'fast', wait = ['-W']): string[] {
  return ['stop', '-D', site.data, '-m', mode, ...wait];
}

function pidFile(site: ServerFolder): string {
  return path.join(site.data, 'postmaster.pid');
}

/** Postgres writes, by line: process id, data folder, start time, port, socket folder, address, memory key, status. */
async function readPidFile(site: ServerFolder): Promise<{ pid: number | null; port: number; status: string }> {
  const lines = (await readFile(pidFile(site), 'utf8').catch(() => '')).split('\n');
  return { pid: Number(lines[0]) || null, port: Number(lines[3]), status: (lines[7] ?? '').trim() };
}

/** Runs one of the programs as the server's user and waits for its end. */
export async function run(site: ServerFolder, program: 'initdb' | 'pg_ctl', args: string[]): Promise<void> {
  try {
    await promisify(execFile)(site.binaries.program(program), args, runAs(site));
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`${program} failed in ${site.root}: ${stderr.trim()}`, { cause: error });
  }
}

/** The server's user and a minimal environment: the gateway's own may hold secrets, and variables that libpq reads. */
function runAs({ root, user }: ServerFolder) {
  const passed = ['PATH', 'SystemRoot', 'TEMP'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const env = { ...Object.fromEntries(passed), LC_ALL: 'C' } as NodeJS.ProcessEnv;
  return { cwd: root, env, windowsHide: true, ...(user ? { uid: user.uid, gid: user.gid } : {}) };
}

async function logTail(site: ServerFolder): Promise<string> {
  const text = await readFile(site.log, 'utf8').catch(() => '(it left no log)');
  return text.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
