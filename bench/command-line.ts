/*
 * P13: the command line as a shell starts it, a process for each command, beside an empty Node in the same round. The time
 * of a list is that until its first row; 10,000 rows are read to their end, and the memory of the process is its largest.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Gateway } from './gateway.js';
import { alternate, median } from './measuring.js';
import { residentMB } from './processes.js';
import { significant, type Report } from './report.js';

const PROGRAM = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));
const LIST = ['device', 'list'];
const ALL_ROWS = [...LIST, '-o', 'ndjson'];
/** The memory of a list this long is the one that does not grow. */
const FEW_ROWS = [...ALL_ROWS, '--limit', '1000'];

interface Run {
  readonly ms: number;
  readonly firstRowMs: number;
  readonly lines: number;
}

/** P13, on a gateway with so many registered devices. */
export async function measureCommandLine(
  report: Report,
  gateway: Gateway,
  rows: number,
  short: boolean,
): Promise<void> {
  const cli = (args: readonly string[]) => () => run([PROGRAM, ...args], gateway);
  const rounds = short ? 3 : 11;
  const ways = { node: () => run(['-e', '0'], gateway), version: cli(['--version']), list: cli(LIST) };
  const starts = await alternate(ways, rounds);
  const node = median(starts.node.map(({ ms }) => ms));
  const add = (what: string, values: readonly number[], atMost: number) =>
    report.add({
      id: 'P13',
      what,
      value: median(values),
      unit: 'ms',
      against: '',
      bound: { atMost },
      detail: `an empty Node ${significant(node)} ms; ${values.length} starts`,
    });
  add('`fleetgate --version`', starts.version.map(({ ms }) => ms), 100); // prettier-ignore
  add('`device list`, first row', starts.list.map(({ firstRowMs }) => firstRowMs), 300); // prettier-ignore
  await measureRows(report, gateway, rows, rounds);
}

async function measureRows(report: Report, gateway: Gateway, rows: number, rounds: number): Promise<void> {
  const runs = await alternate(
    { all: () => watched(ALL_ROWS, gateway), few: () => watched(FEW_ROWS, gateway) },
    rounds,
  );
  const wrong = runs.all.find(({ lines }) => lines !== rows);
  if (wrong) throw new Error(`${wrong.lines} rows in place of ${rows}`);
  const memory = (list: readonly WatchedRun[]) => median(list.map(({ memoryMB }) => memoryMB));
  report.add({
    id: 'P13',
    what: `${rows.toLocaleString('en-GB')} rows as NDJSON`,
    value: median(runs.all.map(({ ms }) => ms)) / 1_000,
    unit: 's',
    against: '',
    bound: { atMost: 1.5 },
    detail: `largest memory ${significant(memory(runs.all))} MB; with 1,000 rows ${significant(memory(runs.few))} MB`,
  });
}

interface WatchedRun extends Run {
  readonly memoryMB: number;
}

/** Its memory is looked at this often, in milliseconds. */
const MEMORY_EVERY_MS = 20;

async function watched(args: readonly string[], gateway: Gateway): Promise<WatchedRun> {
  let largest = 0;
  const look = async (pid: number) => {
    largest = Math.max(largest, (await residentMB(pid)) ?? 0); // it may have ended
  };
  let timer: NodeJS.Timeout | undefined;
  const ended = await run([PROGRAM, ...args], gateway, (pid) => {
    timer = setInterval(() => void look(pid), MEMORY_EVERY_MS);
  });
  clearInterval(timer);
  return { ...ended, memoryMB: largest === 0 ? Number.NaN : largest };
}

/** Runs Node with these arguments to its end. @throws Error unless it ended well */
async function run(args: readonly string[], gateway: Gateway, onStart?: (pid: number) => void): Promise<Run> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: gateway.dataDir,
      FLEETGATE_URL: gateway.url,
      FLEETGATE_API_KEY: gateway.key,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onStart?.(child.pid!);
  let firstRowMs = Number.NaN;
  let lines = 0;
  for await (const part of child.stdout as AsyncIterable<Buffer>) {
    if (lines === 0) firstRowMs = performance.now() - startedAt;
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++;
  }
  if ((await ended) !== 0) throw new Error(`node ${args.join(' ')} did not end well`);
  return { ms: performance.now() - startedAt, firstRowMs, lines };
}
