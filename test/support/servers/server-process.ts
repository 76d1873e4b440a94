import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { until } from '../until.js';
import { freePort, isOpen } from './free-port.js';

/** The first of these programs that is installed; Debian puts servers into a folder that is not on the PATH of every user. */
export function installed(name: string, versionFlag = '-v'): string | null {
  return [name, `/usr/sbin/${name}`].find((program) => spawnSync(program, [versionFlag]).status === 0) ?? null;
}

/** A server of a test's own, with all its files in a folder. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly folder: string,
    /** On the loopback address. */
    readonly port: number,
  ) {}

  /**
   * Starts it, and waits until its port is open.
   * @param write writes its files, and gives its arguments
   */
  static async start(
    program: string,
    write: (port: number, folder: string) => Promise<readonly string[]>,
  ): Promise<ServerProcess> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-server-'));
    await chmod(folder, 0o755);
    const port = await freePort();
    const args = await write(port, folder);
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const child = spawn(program, args, { stdio: 'inherit', env });
    await until(() => child.exitCode !== null || isOpen(port));
    if (child.exitCode !== null) throw new Error(`${program} refused its files in ${folder}`);
    return new ServerProcess(child, folder, port);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
