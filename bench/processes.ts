/*
 * Processes beside the one that measures: devices, load and baselines each have their own, so that none of them takes
 * processor time from another's event loop. A helper answers questions of its parent and ends when its parent is gone.
 */
import { fork } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface Helper<Ready, Question, Answer> {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly ready: Ready;
  /** @throws Error with the message of what went wrong there */
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

interface Reply {
  readonly answer?: unknown;
  readonly error?: string;
}

/**
 * Starts a file of this folder as a process and waits until it is ready.
 * @param file such as `load.js`
 * @param settings handed to it; see `serveParent`
 * @param nodeFlags such as `--max-semi-space-size=64`
 */
export async function startHelper<Ready, Question, Answer>(
  file: string,
  settings: unknown = {},
  nodeFlags: readonly string[] = [],
): Promise<Helper<Ready, Question, Answer>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    execArgv: [...nodeFlags],
    env: { ...process.env, BENCH_SETTINGS: JSON.stringify(settings) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${file} ended with ${code}`));
      child.once('exit', onExit);
      child.once('message', ({ answer, error }: Reply) => {
        child.off('exit', onExit);
        if (error === undefined) resolve(answer);
        else reject(new Error(`${file}: ${error}`));
      });
    });
  const ready = (await next()) as Ready;
  return {
    pid: child.pid!,
    ready,
    ask: (question) => {
      const answer = next() as Promise<Answer>;
      child.send({ question });
      return answer;
    },
    stop: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** In the helper: begins with the settings, says when it is ready, then answers one question after the other. */
export async function serveParent(
  begin: (settings: never) => Promise<{ ready: unknown; answer?: (question: never) => Promise<unknown> }>,
): Promise<void> {
  process.once('disconnect', () => process.exit());
  const say = (reply: Reply) => process.send!(reply);
  const fail = (error: unknown) => say({ error: error instanceof Error ? error.message : String(error) });
  try {
    const { ready, answer } = await begin(JSON.parse(process.env['BENCH_SETTINGS'] ?? '{}') as never);
    process.on('message', ({ question }: { question: never }) => {
      void answer?.(question).then((found) => say({ answer: found }), fail);
    });
    say({ answer: ready });
  } catch (error) {
    fail(error);
  }
}

/** Linux counts processor time in hundredths of a second (USER_HZ), on every architecture. */
const TICK_MICROS = 10_000;

/** Microseconds of processor time that a process has used; null where there is no /proc. */
export async function cpuMicros(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The name in brackets may hold spaces; utime and stime are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}

/** Microseconds of processor time of a process and all that it started, those that have ended too; NaN without /proc. */
export async function treeCpuMicros(pid: number): Promise<number> {
  let micros = 0;
  for (const entry of await readdir('/proc').catch(() => [])) {
    const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => null) : null;
    if (stat === null) continue;
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const isFirst = Number(entry) === pid;
    if (!isFirst && fields[1] !== pid) continue;
    // utime and stime; the first has in cutime and cstime those of its children that have ended.
    micros += (fields[11]! + fields[12]! + (isFirst ? fields[13]! + fields[14]! : 0)) * TICK_MICROS;
  }
  return micros > 0 ? micros : Number.NaN;
}

/** Resident memory of a process in megabytes (10^6 bytes); null where there is no /proc. */
export async function residentMB(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  return found ? (Number(found[1]) * 1024) / 1e6 : null;
}

/** A process and those of the same program that it started; empty without /proc. */
async function familyOf(pid: number): Promise<number[]> {
  const program = await readlink(`/proc/${pid}/exe`).catch(() => null);
  const family: number[] = [];
  for (const entry of program === null ? [] : await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || (await readlink(`/proc/${entry}/exe`).catch(() => null)) !== program) continue;
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '');
    const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1];
    if (Number(entry) === pid || Number(parent) === pid) family.push(Number(entry));
  }
  return family;
}

/** Microseconds of processor time of a process and those of the same program that it started; NaN without /proc. */
export async function familyCpuMicros(pid: number): Promise<number> {
  const times = await Promise.all((await familyOf(pid)).map(cpuMicros));
  return times.length === 0 ? Number.NaN : times.reduce<number>((sum, micros) => sum + (micros ?? 0), 0);
}

/**
 * Memory of a process and those of the same program that it started, in megabytes; what they share counts once (proportional
 * set size). NaN without /proc.
 */
export async function familyMB(pid: number): Promise<number> {
  const family = await familyOf(pid);
  let kB = family.length === 0 ? Number.NaN : 0;
  for (const one of family) {
    const memory = await readFile(`/proc/${one}/smaps_rollup`, 'utf8').catch(() => '');
    kB += Number(/^Pss:\s+(\d+) kB$/m.exec(memory)?.[1]);
  }
  return (kB * 1024) / 1e6;
}

/** A process's memory is looked at this often: a peak of a tenth of a second is seen. */
const MEMORY_EVERY_MS = 20;

/** Looks at a process's memory all the time; returns how to stop and read the largest value, in megabytes. */
export function watchMemory(pid: number): () => Promise<number> {
  let largest = 0;
  const look = async () => {
    largest = Math.max(largest, (await residentMB(pid)) ?? Number.NaN);
  };
  const timer = setInterval(() => void look(), MEMORY_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await look();
    return largest;
  };
}
