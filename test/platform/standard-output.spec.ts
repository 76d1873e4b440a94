import { execFileSync, spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../support/database.js';
import { casesOf, itInFull } from '../support/forms.js';
import { PROJECT } from '../support/source/project.js';
import { until } from '../support/until.js';

/*
 * Processes whose output has no good reader. The first ones write 3 MB of log lines at once, which is more than a pipe
 * and the buffer hold, say how many were dropped, and end by SIGTERM.
 */

const MODULE = new URL('dist/src/platform/', PROJECT).href;

const PROGRAM = `
  const { createLog } = await import('${MODULE}log.js');
  const { standardOutput } = await import('${MODULE}output/standard-output.js');
  const log = createLog('info');
  process.on('SIGTERM', () => process.exit(0));
  process.on('message', () => process.send({ dropped: standardOutput(1).losses.count }));
  for (let count = 0; count < 3_000; count++) log.info({ reason: 'x'.repeat(1_000) }, 'line');
  standardOutput(2).write('a message for people\\n');
  setInterval(() => log.info('later'), 20);
  process.send({ ready: true });
`;

interface OutputReport {
  readonly ready?: true;
  readonly dropped?: number;
}

let folder: string;
let child: ChildProcess | undefined;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fleetgate-output-'));
});
afterEach(() => child?.kill('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(stdout: 'pipe' | number, stderr: 'pipe' | number): Promise<ChildProcess> {
  const stdio: StdioOptions = ['ignore', stdout, stderr, 'ipc'];
  child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio });
  return child;
}

async function tell(process: ChildProcess): Promise<OutputReport> {
  const [told] = (await once(process, 'message')) as [OutputReport];
  return told;
}

async function droppedBy(process: ChildProcess): Promise<number> {
  const told = tell(process);
  process.send('how many');
  return (await told).dropped!;
}

async function endOf(process: ChildProcess): Promise<unknown> {
  const ended = once(process, 'exit');
  process.kill('SIGTERM');
  return (await ended)[0];
}

describe('a process whose output', () => {
  it('is not read goes on, drops lines, and says so when it is read', async () => {
    const process = await start('pipe', 'pipe');
    expect(await tell(process)).toEqual({ ready: true });
    expect(await droppedBy(process)).toBeGreaterThan(500);
    let tail = '';
    process.stdout!.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-10_000)));
    await until(() => /"level":"warn".*"count":\d+.*dropped/.test(tail));
    expect(await endOf(process)).toBe(0);
  });

  it.each(casesOf(['both', 'stdout', 'stderr'], 1))('is closed by its reader goes on: %s', async (which) => {
    const process = await start('pipe', 'pipe');
    if (which !== 'stderr') process.stdout!.destroy();
    else process.stdout!.resume();
    if (which !== 'stdout') process.stderr!.destroy();
    expect(await tell(process)).toEqual({ ready: true });
    if (which !== 'stderr') expect(await droppedBy(process)).toBeGreaterThan(500);
    expect(await endOf(process)).toBe(0);
  });

  it('is a full disk goes on', async () => {
    const full = openSync('/dev/full', 'w');
    const process = await start(full, full);
    closeSync(full);
    expect(await tell(process)).toEqual({ ready: true });
    expect(await droppedBy(process)).toBeGreaterThan(2_999);
    expect(await endOf(process)).toBe(0);
  });

  it('is a file has every line', async () => {
    const name = path.join(folder, 'log');
    const file = openSync(name, 'w');
    const process = await start(file, file);
    closeSync(file);
    expect(await tell(process)).toEqual({ ready: true });
    expect(await droppedBy(process)).toBe(0);
    expect(await endOf(process)).toBe(0);
    const text = readFileSync(name, 'utf8');
    expect(text.split('\n').filter((line) => line.includes('"msg":"line"'))).toHaveLength(3_000);
    expect(text).toContain('a message for people\n');
  });

  it('is one pipe for both, not read, goes on', async () => {
    child = spawn('sh', ['-c', `exec "$0" --input-type=module -e "$1" 2>&1`, process.execPath, PROGRAM], {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    expect(await tell(child)).toEqual({ ready: true });
    expect(await droppedBy(child)).toBeGreaterThan(500);
    expect(await endOf(child)).toBe(0);
  });

  it('is a named pipe goes on while its reader is away, and writes when another one comes', async () => {
    const name = path.join(folder, 'fifo');
    execFileSync('mkfifo', [name]);
    const fifo = openSync(name, 'r+');
    const process = await start(fifo, fifo);
    expect(await tell(process)).toEqual({ ready: true });
    expect(await droppedBy(process)).toBeGreaterThan(500);
    closeSync(fifo);
    const reader = spawn('cat', [name], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    reader.stdout.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-10_000)));
    await until(() => text.includes('"msg":"later"'));
    expect(await endOf(process)).toBe(0);
    reader.kill();
  });
});

describe('a gateway', () => {
  itInFull('whose readers leave after the first lines answers on, counts, and ends by SIGTERM', async () => {
    const database = await freshDatabase();
    const main = new URL('dist/src/cli/main.js', PROJECT).pathname;
    child = spawn(process.execPath, [main, 'serve'], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        LOG_LEVEL: 'debug',
        METRICS_PUBLIC: 'true',
        DATABASE_URL: database.url,
        DATA_DIR: path.join(folder, 'data'),
        ROLE: 'api',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = child;
    let said = '';
    running.stdout!.once('data', () => running.stdout!.destroy()); // as `head` does
    running.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const url = await until(() => /answers at (\S+);/.exec(said)?.[1]);
    running.stderr!.destroy();
    const ask = async (address: string) => (await fetch(url + address)).text();
    await until(async () => /^fleetgate_log_lines_dropped_total [1-9]/m.test(await ask('/metrics')));
    expect(JSON.parse(await ask('/health/live'))).toMatchObject({ status: 'ok' });
    expect(await endOf(running)).toBe(0);
    await database.drop();
  });
});
