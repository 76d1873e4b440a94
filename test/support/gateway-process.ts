import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PROJECT } from './source/project.js';

const MAIN = fileURLToPath(new URL('dist/src/main.js', PROJECT));

/** Lines of a process that are kept, to be shown when something goes wrong. */
const KEPT_LINES = 60;

/** A gateway as a process of its own, from the build: one that a test can kill. */
export class GatewayProcess {
  readonly url: string;

  private constructor(
    private readonly child: ChildProcess,
    url: string,
    private readonly said: string[],
  ) {
    this.url = url;
  }

  /**
   * @param env settings; the embedded database is not started when they name one
   * @param inside the command that runs it elsewhere, such as in another network
   */
  static async start(env: Readonly<Record<string, string>>, inside: readonly string[] = []): Promise<GatewayProcess> {
    const [program, ...args] = [...inside, process.execPath, MAIN];
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], PORT: '0', PROCESSES: '1', LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    const keep = (line: string) => {
      said.push(line);
      if (said.length > KEPT_LINES) said.shift();
    };
    createInterface({ input: child.stdout }).on('line', keep);
    const errors = createInterface({ input: child.stderr });
    const url = await new Promise<string | null>((resolve) => {
      errors.on('line', (line) => {
        keep(line);
        const announced = /answers at (\S+);/.exec(line)?.[1];
        if (announced) resolve(announced);
      });
      errors.once('close', () => resolve(null));
    });
    if (url === null) throw new Error(`The gateway did not start:\n${said.join('\n')}`);
    return new GatewayProcess(child, url, said);
  }

  /** Its children that work, by their role: where it runs as several processes. */
  workingChildren(role: 'api' | 'worker'): number[] {
    return childrenOf(this.child.pid!).filter((child) => titleOf(child) === `fleetgate ${role}`);
  }

  /** Whether it has printed a text lately. */
  hasSaid(text: string): boolean {
    return this.said.some((line) => line.includes(text));
  }

  /** The last lines that it printed. */
  get lastWords(): string {
    return `The gateway ${this.child.pid} said last:\n${this.said.join('\n')}`;
  }

  /** Ends it as a crash would: at once, without a chance to tidy up. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /**
   * Asks it to stop and waits until it has.
   * @throws Error with its last lines when it did not stop in order and in time
   */
  async stop(): Promise<void> {
    const [code, signal] = await this.end('SIGTERM');
    if (code !== 0) throw new Error(`The gateway stopped with ${code ?? signal}. ${this.lastWords}`);
  }

  private async end(signal: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]> {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'close'); // after its last line
      child.kill(signal);
      await ended;
    }
    return [child.exitCode, child.signalCode];
  }
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** What a process calls itself; empty once it has ended. */
export function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
