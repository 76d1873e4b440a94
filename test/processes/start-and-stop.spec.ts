import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { itInFull } from '../support/forms.js';
import { childrenOf, GatewayProcess, titleOf } from '../support/gateway-process.js';
import { PROJECT } from '../support/source/project.js';
import { until } from '../support/until.js';

/* How several processes of one machine start, and what is left of them when they stop, in order or not. */

let folder: string;

/** The processes that the tests share; a test that ends them takes them away. */
let running: GatewayProcess | null = null;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-start-'));
  await chmod(folder, 0o711); // as root the embedded database runs as another user
});
afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true, force: true });
});

const settings = (data = 'data') => ({ PROCESSES: '2', DATA_DIR: path.join(folder, data) });

const started = async () => (running ??= await GatewayProcess.start({ ...settings(), HOST: 'localhost' }));

async function isOpen({ hostname, port }: URL): Promise<boolean> {
  const socket = createConnection({ port: Number(port), host: hostname.replace(/^\[(.*)\]$/, '$1') });
  const result = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return result;
}

/** Null: another process listens there. */
async function listenerAt({ hostname, port }: URL): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) =>
    server.once('error', () => resolve(null)).listen({ port: Number(port), host: hostname }, () => resolve(server)),
  );
}

it('listen at a HOST that is a name', async () => {
  const gateway = await started();
  expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
});

it('answer again when another program had their address for a while', async () => {
  const gateway = await started();
  const url = new URL(gateway.url);
  await until(() => gateway.workingChildren('api').length === 1);
  const [api, worker] = [...gateway.workingChildren('api'), ...gateway.workingChildren('worker')] as [number, number];
  process.kill(worker, 'SIGSTOP'); // it would take the place of the other one at once; so far it has never listened
  onTestFailed(() => void process.kill(worker, 'SIGCONT'));
  process.kill(api, 'SIGKILL');
  const other = await until(() => listenerAt(url));
  process.kill(worker, 'SIGCONT');
  await until(() => gateway.hasSaid('A process could not start'));
  other.close();
  await until(() => gateway.workingChildren('api').length === 1);
  expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
});

it('are left by one that is asked to stop alone, and another one takes its place', async () => {
  const gateway = await started();
  const url = new URL(gateway.url);
  // The worker takes over: the test before may have ended it.
  await until(() => (['api', 'worker'] as const).every((role) => gateway.workingChildren(role).length === 1));
  const [api] = gateway.workingChildren('api');
  process.kill(api!, 'SIGTERM');
  await until(async () => {
    expect(await isOpen(url)).toBe(true); // all the time: another process shares the listener before it is left
    return gateway.workingChildren('api').some((pid) => pid !== api);
  });
  expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
});

it('leave nothing behind when their parent is killed, and the next start finds the database', async () => {
  const gateway = await started();
  const url = new URL(gateway.url);
  await until(() => gateway.workingChildren('api').length === 1);
  const children = [...gateway.workingChildren('api'), ...gateway.workingChildren('worker')];
  expect(children).toHaveLength(2);
  running = null;
  await gateway.kill();
  await until(async () => !(await isOpen(url)));
  await until(() => children.every((pid) => !isAlive(pid)));
  const next = await GatewayProcess.start({ ...settings(), HOST: 'localhost', PORT: url.port });
  running = next;
  expect((await fetch(`${next.url}/health/ready`)).status).toBe(200);
});

it('end in order by a signal during the start, to the parent or to all of them', async () => {
  for (const whom of ['parent', 'all'] as const) {
    const { child, said } = starting();
    await until(() => processesOf(child).length > 0);
    process.kill(whom === 'all' ? -child.pid! : child.pid!, 'SIGTERM');
    const [code] = (await once(child, 'close')) as [number | null];
    expect([whom, code, said.join('\n')]).toEqual([whom, 0, '']);
  }
});

itInFull('start all the same where one of them alone is told to end during the start', async () => {
  const { child, said } = starting();
  await until(() => processesOf(child).length > 0);
  process.kill(processesOf(child)[0]!, 'SIGTERM');
  await until(() => said.some((line) => line.startsWith('Fleetgate answers at')) || child.exitCode !== null);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, said.filter((line) => line.startsWith('Fleetgate could not'))]).toEqual([0, []]);
});

/** A gateway of two processes that has just been started, and the lines that it says. */
function starting(): { child: ChildProcessByStdio<null, Readable, Readable>; said: string[] } {
  const main = fileURLToPath(new URL('dist/src/main.js', PROJECT));
  const env = { PATH: process.env['PATH'], PORT: '0', ...settings('ended') };
  const child = spawn(process.execPath, [main], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  child.stdout.resume();
  return { child, said };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The processes of Node among the children of a parent: the database is another one. */
function processesOf({ pid }: ChildProcess): number[] {
  return childrenOf(pid!).filter((child) => titleOf(child).includes('main.js'));
}
