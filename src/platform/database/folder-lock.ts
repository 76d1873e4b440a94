import { readFile, rm, writeFile } from 'node:fs/promises';

/*
 * One process at a time may own a folder. The lock is a file that names its owner by process id and start time: an
 * owner that was killed leaves the file behind, and neither that nor a process id used again holds anyone up.
 * It guards against a second gateway started by mistake; what it guards must not break when two processes take over
 * a dead owner's lock in the same instant (the data folder of Postgres has a lock of its own).
 */

/** Locks of this process: on platforms without start times its own id in a file says nothing. */
const held = new Set<string>();

/** Attempts to take a lock whose dead owners' files have to be removed first. */
const ATTEMPTS = 5;

/**
 * Takes the lock or fails at once; it does not wait.
 * @returns a function that gives the lock back
 * @throws Error with the sentence `refusal(pid)` when a living process holds it
 */
export async function lockFolder(file: string, refusal: (pid: number) => string): Promise<() => Promise<void>> {
  const me = `${process.pid} ${await startTime(process.pid)}\n`;
  for (let attempt = 1; ; attempt++) {
    if (held.has(file)) throw new Error(refusal(process.pid));
    try {
      await writeFile(file, me, { flag: 'wx', mode: 0o600 });
      held.add(file);
      return async () => {
        await rm(file, { force: true });
        held.delete(file);
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt >= ATTEMPTS) throw error;
    }
    const owner = await readOwner(file);
    if (owner && owner.pid !== process.pid && (await isRunning(owner))) throw new Error(refusal(owner.pid));
    await rm(file, { force: true });
  }
}

interface Owner {
  readonly pid: number;
  readonly startedAt: string;
}

async function readOwner(file: string): Promise<Owner | null> {
  const [pid, startedAt = ''] = (await readFile(file, 'utf8').catch(() => '')).trim().split(' ');
  return Number(pid) > 0 ? { pid: Number(pid), startedAt } : null;
}

async function isRunning(owner: Owner): Promise<boolean> {
  return isAlive(owner.pid) && (await startTime(owner.pid)) === owner.startedAt;
}

/** Whether there is a process of this id, whoever's it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process started, in the kernel's own ticks; '-' where the platform does not tell, or when it is dead. */
async function startTime(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets, and may itself hold blanks and brackets.
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z') return '-'; // killed, and not yet collected by its parent
  return fields[18] ?? '-';
}
