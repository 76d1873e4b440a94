/*
 * What operators loop over a fleet with today, where it is installed: `curl --parallel` and python with aiohttp. curl cannot
 * use an answer in its next request, so a script runs it twice: all logins, then all calls with their tokens. Its time is
 * that of both runs; reading the tokens between them is not counted.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FleetDevice } from '../fleet.js';

export interface ToolQuestion {
  readonly devices: readonly FleetDevice[];
  readonly atOnce: number;
  readonly path: string;
}

/** The version of a tool; null where it is missing or too old to run many transfers at once. */
export function curlVersion(): string | null {
  const { stdout, error } = spawnSync('curl', ['--version'], { encoding: 'utf8' });
  const version = error ? null : /^curl (\d+)\.(\d+)\S*/.exec(stdout);
  const canParallel = version && (Number(version[1]) > 7 || Number(version[2]) >= 66);
  return canParallel ? version[0] : null;
}

export function aiohttpVersion(): string | null {
  const { stdout, status } = spawnSync('python3', ['-c', 'import aiohttp; print(aiohttp.__version__)'], {
    encoding: 'utf8',
  });
  return status === 0 ? `aiohttp ${stdout.trim()}` : null;
}

/** Milliseconds of a cold and of a warm pass. */
export async function runAiohttp(question: ToolQuestion): Promise<{ coldMs: number; warmMs: number }> {
  // The script is not part of the build.
  const script = fileURLToPath(new URL('../../../bench/baselines/fan_out_aiohttp.py', import.meta.url));
  return JSON.parse(await run('python3', [script], JSON.stringify(question))) as { coldMs: number; warmMs: number };
}

/** Milliseconds of a cold pass with curl. */
export async function runCurl({ devices, atOnce, path: devicePath }: ToolQuestion): Promise<number> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-bench-curl-'));
  const answer = (kind: string, { port }: FleetDevice) => path.join(folder, `${kind}-${port}`);
  const pass = async (entries: readonly string[][]) => {
    const file = path.join(folder, 'config');
    await writeFile(file, entries.map((lines) => [...lines, 'insecure'].join('\n')).join('\nnext\n'));
    const startedAt = performance.now();
    await run('curl', ['-q', '-s', '--fail', '--parallel', '--parallel-max', String(atOnce), '-K', file]);
    return performance.now() - startedAt;
  };
  try {
    const loginMs = await pass(
      devices.map((device) => [
        `url = "https://127.0.0.1:${device.port}/api/login"`,
        `output = "${answer('login', device)}"`,
        'header = "content-type: application/json"',
        `data = ${JSON.stringify(JSON.stringify({ data: { username: device.username, password: device.password } }))}`,
      ]),
    );
    const calls = devices.map(async (device) => {
      const { data } = JSON.parse(await readFile(answer('login', device), 'utf8')) as { data: { token: string } };
      return [
        `url = "https://127.0.0.1:${device.port}${devicePath}"`,
        `output = "${answer('call', device)}"`,
        `header = "authorization: Bearer ${data.token}"`,
      ];
    });
    return loginMs + (await pass(await Promise.all(calls)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws Error unless the program ends with 0 */
function run(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe' });
    let text = '';
    let complaint = ''; // curl draws its progress there too, so it is shown only when the program fails
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint = (complaint + chunk).slice(-500)));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(text);
      else reject(new Error(`${program} ended with ${code}: ${complaint}`));
    });
    child.stdin.end(input);
  });
}
