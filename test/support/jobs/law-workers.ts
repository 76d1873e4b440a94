import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type KindWorld } from './kind-world.js';
import { PROJECT } from '../source/project.js';

/*
 * The worker processes of the laws (`test/support/workers/doomed-worker.mjs`): they work on the database of a kind world, in
 * its time, and die where they are told to.
 */

/** Where a worker dies, or holds its jobs. */
export interface WorkerDeath {
  /** `doomed-worker.mjs` says what each means. */
  readonly dies: 'before' | 'after' | 'sent' | 'never';
  /** Effects whose opening is passed. */
  readonly passes?: readonly string[];
  /** Devices whose jobs it holds, and where. */
  readonly holds?: Readonly<Record<'sent' | 'answered', readonly string[]>>;
}

const WORKER = fileURLToPath(new URL('test/support/workers/doomed-worker.mjs', PROJECT));

export function startWorker(world: KindWorld, doom: WorkerDeath): ChildProcess {
  const { scale, base } = world.clock;
  return spawn(process.execPath, [WORKER, JSON.stringify({ ...doom, scale, base })], {
    env: { PATH: process.env['PATH'], ...world.gateway.env, ROLE: 'worker', PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** A worker that waits for jobs. */
export async function startReady(world: KindWorld): Promise<ChildProcess> {
  const child = startWorker(world, { dies: 'never' });
  await untilSaid(child, new Set(['ready']));
  return child;
}

/** Waits until a worker has said all these lines. @throws Error with what it said when it ends before */
export async function untilSaid(child: ChildProcess, lines: Set<string>): Promise<void> {
  const awaited = new Set(lines);
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr! })) {
    said.push(line);
    awaited.delete(line);
    if (awaited.size === 0) {
      child.stderr!.resume();
      return;
    }
  }
  throw new Error(`A worker ended early, or did not start:\n${said.join('\n')}`);
}

export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
