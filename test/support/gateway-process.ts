import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** A gateway as a process of its own, from the build: one that a test can kill. */
export class GatewayProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** @param env settings; the embedded database is not started when they name one */
  static async start(env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      const url = /answers at (\S+);/.exec(line)?.[1];
      if (url) {
        child.stderr.resume();
        return new GatewayProcess(child, url);
      }
    }
    throw new Error(`The gateway did not start:\n${said.join('\n')}`);
  }

  /** Ends it as a crash would: at once, without a chance to tidy up. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Asks it to stop and waits until it has. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}
