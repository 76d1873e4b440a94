import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.js';

/** A server of a test's own, which it may stop and let continue. */
export class OwnPostgres {
  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<OwnPostgres> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-own-postgres-'));
    await chmod(folder, 0o711); // as root the server runs as another user, who has to get there
    const server = await startEmbeddedPostgres({ root: path.join(folder, 'postgres'), ephemeral: true, settings });
    return new OwnPostgres(server.url, folder, () => server.stop());
  }

  /** As a machine that hangs: it accepts connections, and answers nothing. Linux only. */
  async freeze(): Promise<void> {
    for (const pid of await this.processes()) signal(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of await this.processes()) signal(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.thaw();
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The server first, so that it starts no further ones. */
  private async processes(): Promise<number[]> {
    const file = await readFile(path.join(this.folder, 'postgres', 'data', 'postmaster.pid'), 'utf8');
    const server = Number(file.split('\n')[0]);
    const numbers = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
    const children = await Promise.all(numbers.map(async (pid) => ((await parentOf(pid)) === server ? [pid] : [])));
    return [server, ...children.flat()];
  }
}

async function parentOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0) || null;
}

/** A connection of the server may have ended since it was listed. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}
