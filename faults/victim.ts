import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('gateway.js', import.meta.url));

/** A start that takes longer than this is a failure of the run. */
const START_WITHIN_MS = 60_000;

/** A process that is killed as by a crash, and started again. */
export class Victim {
  private child: ChildProcess | null = null;
  url = '';
  kills = 0;
  /** From each kill until the next process said that it works, in milliseconds. */
  readonly recoveredMs: number[] = [];

  /** @param env settings; the role among them */
  constructor(
    readonly name: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  get pid(): number {
    return this.child?.pid ?? -1;
  }

  async start(): Promise<void> {
    const child = fork(PROGRAM, [], {
      env: { PATH: process.env['PATH'], ...this.env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    const late = setTimeout(() => child.kill('SIGKILL'), START_WITHIN_MS);
    try {
      const [said] = (await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(([code]) => {
          throw new Error(`${this.name} ended with ${code} before it worked`);
        }),
      ])) as [{ url: string }];
      this.url = said.url;
    } finally {
      clearTimeout(late);
    }
  }

  /** Kills it and starts it again. */
  async crash(): Promise<void> {
    const at = performance.now();
    await this.kill();
    this.kills++;
    await this.start();
    this.recoveredMs.push(Math.round(performance.now() - at));
  }

  /** Kills it. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
