import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { until } from '../until.js';
import { freePort, isOpen } from './free-port.js';

/** Debian puts it into a folder that is not on the PATH of every user. */
const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => spawnSync(name, ['--version']).status === 0);

/** A PgBouncer of a test's own before the Postgres of the tests. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /** Why its tests are skipped, for their names; null: it is installed. */
  static readonly missing = PROGRAM ? null : ', skipped: PgBouncer is not installed (apt-get install pgbouncer)';

  /**
   * @param databaseUrl any login of the server, for its host and port
   * @param logins further names and passwords that it lets in
   */
  static async start(
    databaseUrl: string,
    settings: Readonly<Record<string, string>>,
    logins: Readonly<Record<string, string>> = {},
  ): Promise<PgBouncer> {
    const { hostname, port, username, password } = new URL(databaseUrl);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-pgbouncer-'));
    const own = await freePort();
    const users = { [decodeURIComponent(username)]: decodeURIComponent(password), ...logins };
    const lines = Object.entries(users).map(([name, secret]) => `"${name}" "${secret}"\n`);
    await writeFile(path.join(folder, 'users'), lines.join(''));
    const all = { listen_addr: '127.0.0.1', listen_port: String(own), unix_socket_dir: '', auth_type: 'plain', auth_file: `${folder}/users`, ...settings }; // prettier-ignore
    const options = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
    const file = path.join(folder, 'pgbouncer.ini');
    await writeFile(file, `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${options.join('')}`);
    const user = await unprivilegedUser();
    if (user.uid !== undefined) {
      for (const name of [folder, file, `${folder}/users`]) await chown(name, user.uid, user.gid);
    }
    const child = spawn(PROGRAM!, [file], { ...user, cwd: '/', stdio: 'ignore' });
    await until(() => isOpen(own));
    return new PgBouncer(child, folder, own);
  }

  /** The address of a database through it, with the login of that address. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** It refuses to run as root. */
async function unprivilegedUser(): Promise<{ uid?: number; gid: number }> {
  if (process.getuid?.() !== 0) return { gid: process.getgid!() };
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] =
    accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody')!;
  return { uid: Number(uid), gid: Number(gid) };
}
