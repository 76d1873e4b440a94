import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js';
import { itInFull, itNightly } from '../support/forms.js';

/** As a gateway starts its database, in a process of its own that can be killed. */
const BUILT = pathToFileURL(path.resolve('dist/src/embedded-postgres/embedded-postgres.js')).href;

const run = promisify(execFile);

/** The data of a server that was started once; most tests begin with a copy, as making them takes seconds. */
let made: string;
let parent: string;
let root: string;
let servers: EmbeddedPostgres[];
let starters: ChildProcess[];

/** A folder where as root the other user of the server gets to. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-embedded-'));
  await chmod(folder, 0o711);
  return folder;
}

beforeAll(async () => {
  made = path.join(await newFolder(), 'postgres');
  const server = await startEmbeddedPostgres({ root: made, ephemeral: true });
  await server.stop();
});
afterAll(() => rm(path.dirname(made), { recursive: true, force: true }));

beforeEach(async () => {
  parent = await newFolder();
  root = path.join(parent, 'postgres');
  await run('cp', ['-a', made, root]);
  servers = [];
  starters = [];
});

afterEach(async () => {
  for (const starter of starters) starter.kill('SIGKILL');
  for (const server of servers) await server.stop();
  await rm(parent, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ root, ephemeral: true });
  servers.push(server);
  return server;
}

/** Starts the server from another process, which then waits. */
async function startElsewhere(): Promise<{ starter: ChildProcess; url: string }> {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(BUILT)});
    const { url } = await startEmbeddedPostgres({ root: ${JSON.stringify(root)}, ephemeral: true });
    process.once('SIGTERM', () => process.exit(0));
    console.log(url);
    setInterval(() => {}, 60_000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  starters.push(starter);
  const [url] = (await once(starter.stdout, 'data')) as [Buffer];
  return { starter, url: url.toString().trim() };
}

async function query(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  // A server that stops may end the connection between two messages; without a listener that ends the test process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

async function serverPid(): Promise<number> {
  return Number((await readFile(path.join(root, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Waits until nobody listens at the address any more. */
async function untilRefused(url: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(20)) {
    const code = await query(url, 'select 1').catch((error: NodeJS.ErrnoException) => error.code);
    if (code === 'ECONNREFUSED') return;
  }
  throw new Error(`Somebody still listens at ${url}`);
}

const onLinux = process.platform === 'linux' ? it : it.skip;
const asRoot = process.getuid?.() === 0 ? it : it.skip;

describe('the embedded Postgres', () => {
  it('makes its data on the first start and keeps them for the next', async () => {
    await rm(root, { recursive: true });
    const first = await start();
    await query(first.url, `create table kept as select 'still here' as word`);
    await first.stop();
    await untilRefused(first.url);

    const second = await start();

    expect(await query(second.url, 'select word from kept')).toBe('still here');
    expect([first.reused, second.reused]).toEqual([false, false]);
  });

  it('listens on loopback alone, takes no connection without its password, and keeps that to itself', async () => {
    const { url, port } = await start();

    expect(await query(url, 'show listen_addresses')).toBe('127.0.0.1');
    expect(await query(url, 'show unix_socket_directories')).toBe('');
    await expect(query(`postgres://postgres:guess@127.0.0.1:${port}/postgres`, 'select 1')).rejects.toThrow(/password/);
    expect((await stat(path.join(root, 'password'))).mode & 0o777).toBe(0o600);
  });

  it('takes settings from its caller', async () => {
    const server = await startEmbeddedPostgres({ root, ephemeral: true, settings: { max_connections: '17' } });
    servers.push(server);

    expect(await query(server.url, 'show max_connections')).toBe('17');
    expect(await query(server.url, 'show shared_buffers')).toBe('128MB');
  });

  onLinux('does not hand the environment of the gateway to the server', async () => {
    process.env['FLEETGATE_TEST_SECRET'] = 'not for the server';
    try {
      await start();
    } finally {
      delete process.env['FLEETGATE_TEST_SECRET'];
    }
    const environment = await readFile(`/proc/${await serverPid()}/environ`, 'utf8');

    expect(environment).toContain('LC_ALL=C');
    expect(environment).not.toContain('not for the server');
  });

  it('uses and then stops the server that a killed start left running', async () => {
    const { starter, url } = await startElsewhere();
    await query(url, 'create table survivor as select 1');
    const pid = await serverPid();
    starter.kill('SIGKILL');
    await once(starter, 'exit');

    const found = await start();

    expect(found).toMatchObject({ reused: true, url });
    expect(await serverPid()).toBe(pid);
    expect(await query(found.url, 'select count(*)::int from survivor')).toBe(1);
    await found.stop();
    await untilRefused(url);
  });

  it('stops when the process that started it ends without stopping it', async () => {
    const { starter, url } = await startElsewhere();

    const ended = once(starter, 'exit');
    starter.kill('SIGTERM');
    await ended; // until then it has the folder

    await untilRefused(url);
    expect((await start()).reused).toBe(false);
  });

  it('is left alone by an interrupt that goes to the process group of its starter', async () => {
    const { url } = await start();

    // A terminal signals the foreground group; the server leads another one, which bears its number.
    const group = -(await serverPid());

    expect(() => process.kill(group, 0)).not.toThrow();
    expect(await query(url, 'select 1')).toBe(1);
  });

  it('refuses a second process on the same folder and says who has it', async () => {
    const { starter } = await startElsewhere();

    await expect(start()).rejects.toThrow(new RegExp(`in use by another Fleetgate \\(process ${starter.pid}\\)`));
    starter.kill('SIGTERM');
  });

  it('refuses a second start on the same folder in one process', async () => {
    const { url } = await start();

    await expect(start()).rejects.toThrow(/in use by another Fleetgate/);
    expect(await query(url, 'select 1')).toBe(1);
  });

  it('is not held up by the pid file and the lock of a machine that lost power', async () => {
    // After a reboot the numbers belong to other processes, this one's among them.
    const stale = [String(process.pid), path.join(root, 'data'), '1', '1', '', '127.0.0.1', '1 1', 'ready   ', ''];
    await writeFile(path.join(root, 'data', 'postmaster.pid'), stale.join('\n'));
    await writeFile(path.join(root, 'owner'), `${process.pid} 1\n`);

    expect((await start()).reused).toBe(false);
  });

  it('begins again when making the data was broken off', async () => {
    await rm(root, { recursive: true });
    await mkdir(path.join(root, 'data.draft'), { recursive: true });
    await chmod(root, 0o711);
    await writeFile(path.join(root, 'data.draft', 'PG_VERSION'), '18\n');

    expect(await query((await start()).url, 'select 1')).toBe(1);
  });

  it('refuses a disk without room for a new database, and leaves nothing on it', async ({ skip }) => {
    const small = path.join(parent, 'small');
    await mkdir(small);
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', small]).catch(() => null);
    if (!mounted) return skip('SKIPPED: this user may not mount a small disk');
    try {
      await expect(startEmbeddedPostgres({ root: path.join(small, 'postgres') })).rejects.toThrow(
        /small\/postgres has [78] MiB free, and a new database needs 200: make room, or set DATA_DIR/,
      );
      expect(await readdir(path.join(small, 'postgres'))).toEqual([]);
    } finally {
      await run('umount', [small]);
    }
  });

  it('refuses data of another Postgres version and says what to do', async () => {
    await writeFile(path.join(root, 'data', 'PG_VERSION'), '15\n');

    await expect(start()).rejects.toThrow(/created by Postgres 15; .* brings Postgres 18.* set DATABASE_URL/s);
  });

  asRoot('names the folder that the unprivileged user of the server may not pass through', async () => {
    await chmod(parent, 0o700);

    await expect(start()).rejects.toThrow(`chmod o+x ${parent}`);
  });

  itInFull('shows what the server said when it does not start', async () => {
    const broken = startEmbeddedPostgres({ root, ephemeral: true, settings: { shared_buffers: 'plenty' } });

    await expect(broken).rejects.toThrow(/did not start .*shared_buffers.*plenty/s);
    expect(await query((await start()).url, 'select 1')).toBe(1);
  });

  itNightly('may be stopped twice', async () => {
    const server = await start();

    await server.stop();

    await expect(server.stop()).resolves.toBeUndefined();
  });
});
