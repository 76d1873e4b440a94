/* A proxy that is a program of the machine, such as nginx: its files are in a temporary folder, its port is a free one on loopback. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

const START_WITHIN_MS = 5_000;

/** The version that a program says, on whichever stream; null where it is not installed. */
export function versionOf(program: string, version: RegExp): string | null {
  const { stdout, stderr, error } = spawnSync(program, ['-v'], { encoding: 'utf8' });
  return error ? null : (version.exec(stdout + stderr)?.[1] ?? null);
}

/** How a program is started with its file. */
export interface ProxyProgram {
  readonly program: string;
  readonly args: (folder: string, file: string) => readonly string[];
  readonly configuration: (folder: string, port: number) => string;
}

export async function startProxyProgram({
  program,
  args,
  configuration,
}: ProxyProgram): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `fleetgate-bench-${program}-`));
  const port = await freePort();
  const file = path.join(folder, `${program}.conf`);
  await writeFile(file, configuration(folder, port));
  const child = spawn(program, args(folder, file), { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGTERM');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (const startedAt = performance.now(); !(await answers(port));) {
    if (child.exitCode !== null || performance.now() - startedAt > START_WITHIN_MS) {
      await stop();
      throw new Error(`${program} did not start`);
    }
  }
  return { port, stop };
}

async function answers(port: number): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
