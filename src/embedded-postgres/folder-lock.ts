import { readFile, rm, writeFile } from 'node:fs/promises';

/*
 * One process at a time may own a folder. The lock is a file with its owner's process id and start time. The file of a
 * killed owner is recognised as stale, also after another process got the same id. The lock guards against a second
 * gateway started by mistake. Two processes can take over a dead owner's lock in the same instant; the locked data must
 * survive that (the data folder of Postgres has its own lock).
 */

/** Locks of this process. Without start times the process's own id in a file proves nothing. */
const lockedFiles = new Set<string>();

/** Attempts to take a lock; each removes the file of a dead owner. */
const ATTEMPTS = 5;

/**
 * Takes the lock or fails at once; it does not wait.
 * @returns a function that releases the lock
 * @throws Error with the message `refusal(pid)` when a living process holds it
 */
export async function lockFolder(file: string, refusal: (pid: number) => string): Promise<() => Promise<void>> {
  const me = `${process.pid} ${await startTime(process.pid)}\n`;
  for (let attempt = 1; ; attempt++) {
    if (lockedFiles.has(file)) throw new Error(refusal(process.pid));
    try {
      await writeFile(file, me, { flag: 'wx', mode: 0o600 });
      lockedFiles.add(file);
      return async () => {
        await rm(file, { force: true });
        lockedFiles.delete(file);
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

/** Whether a process with this id exists, under any account. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time of a process, in kernel ticks; '-' when the platform does not tell it, or the process is dead. */
async function startTime(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets, which may contain blanks and brackets.
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z') return '-'; // a zombie: killed, and not yet reaped by its parent
  return fields[18] ?? '-';
}
