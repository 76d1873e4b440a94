import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort, isOpen } from './free-port.js';
import { until } from '../until.js';

/** Debian puts it into a folder that is not on the PATH of every user. */
const PROGRAM = ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).status === 0);

/** Folders that nginx has below /var/lib by default. */
const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** An nginx of a test's own, with its defaults beside what is given. */
export class Nginx {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    /** Its first port by plain http. */
    readonly url: string,
  ) {}

  /** Why its tests are skipped, for their names; null: it is installed. */
  static readonly missing = PROGRAM ? null : ', skipped: nginx is not installed (apt-get install nginx)';

  /**
   * @param http what is inside `http { … }`, from the port to listen on and the folder of the server
   */
  static async start(http: (port: number, folder: string) => string): Promise<Nginx> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-nginx-'));
    await chmod(folder, 0o755);
    const port = await freePort();
    const paths = FOLDERS.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const main = `daemon off; ${user} worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;`;
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, `${main}\nevents {}\nhttp {\naccess_log off;\n${paths}\n${http(port, folder)}\n}\n`);
    const child = spawn(PROGRAM!, ['-p', folder, '-c', file, '-e', `${folder}/error.log`], { stdio: 'inherit' });
    await until(() => child.exitCode !== null || isOpen(port));
    if (child.exitCode !== null) throw new Error(`nginx refused ${file}`);
    return new Nginx(child, folder, `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
