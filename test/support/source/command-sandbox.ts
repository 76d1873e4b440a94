import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { until } from '../until.js';

/* A folder that looks like a clone, in which pages are run: what they write stays in it. */

/** An answer with an error status fails its command, after a minute where it may pass; a gateway that just starts is waited for. */
const CURL_SETTINGS =
  'fail-with-body\nretry-connrefused\nretry = 30\nretry-delay = 1\nretry-max-time = 60\nmax-time = 120\n';
/** The longest page takes two minutes on a busy machine. */
const LIMIT_MS = 8 * 60_000;
/** What is left for the end of the test after that. */
export const LIMIT_OF_PAGE_MS = LIMIT_MS + 2 * 60_000;
const LEFT_OUT = new Set(['.git', 'dist.test']);

export interface TypedAnswer {
  readonly question: string;
  /** What is typed there, from what was written so far. */
  readonly answer: (written: string) => string;
}

export class CommandSandbox {
  private child: ChildProcess | null = null;

  private constructor(readonly folder: string) {}

  static async make(): Promise<CommandSandbox> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-pages-'));
    await chmod(folder, 0o711); // as root the embedded database runs as another user
    for (const name of await readdir('.')) {
      if (!LEFT_OUT.has(name)) await symlink(path.resolve(name), path.join(folder, name));
    }
    for (const name of ['home', 'logs', 'mnt/backup', 'mnt/mirror', 'mnt/usb', 'mnt/worm', 'srv']) {
      await mkdir(path.join(folder, name), { recursive: true });
    }
    await writeFile(path.join(folder, '.curlrc'), CURL_SETTINGS);
    return new CommandSandbox(folder);
  }

  file(name: string, content: string | Uint8Array): Promise<void> {
    return writeFile(path.join(this.folder, name), content);
  }

  /**
   * Runs a bash script to its end, on a terminal when something is typed.
   * @returns what it wrote @throws Error with the end of that, also when it has not ended after eight minutes
   */
  async run(script: string, environment: Readonly<Record<string, string>>, typed?: TypedAnswer): Promise<string> {
    await this.file('pages.sh', script);
    const written = path.join(this.folder, 'written');
    const file = await open(written, 'w');
    const env = {
      PATH: process.env['PATH'],
      HOME: path.join(this.folder, 'home'),
      CURL_HOME: this.folder,
      BLOCK_LOGS: path.join(this.folder, 'logs'),
      BLOCK_OUT: written,
      ...environment,
    };
    const [program, args] = typed
      ? (['script', ['-qefc', 'bash pages.sh', '/dev/null']] as const)
      : (['bash', ['pages.sh']] as const);
    const child = spawn(program, args, { cwd: this.folder, env, stdio: ['pipe', file.fd, file.fd] });
    this.child = child;
    const ended = once(child, 'exit') as Promise<[number | null]>;
    if (typed) void this.type(child, written, typed);
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      child.kill();
    }, LIMIT_MS);
    const [code] = await ended;
    clearTimeout(limit);
    this.child = null;
    await file.close();
    const text = await readFile(written, 'utf8');
    if (late || code !== 0) throw new Error(failureOf(late ? 'still ran after 8 minutes' : `failed (${code})`, text));
    return text;
  }

  async close(): Promise<void> {
    if (this.child) {
      const ended = once(this.child, 'exit');
      this.child.kill();
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private async type(child: ChildProcess, written: string, { question, answer }: TypedAnswer): Promise<void> {
    const text = await until(async () => {
      if (child.exitCode !== null) return 'ended';
      const now = await readFile(written, 'utf8');
      return now.includes(question) ? now : null;
    });
    if (text !== 'ended') child.stdin!.write(`${answer(text)}\n`);
  }
}

/** The last lines first, from the block on in which they are: summaries show the first line of an error. */
function failureOf(what: string, text: string): string {
  const block = text.slice(Math.max(0, text.lastIndexOf('\n--- '))).trim();
  const [place, ...lines] = block.replace('--- ', '').split('\n');
  const end = lines.slice(-4).join(' | ').slice(-240);
  return `${place} ${what}: ${end}\n${text.slice(-4_000)}`;
}
