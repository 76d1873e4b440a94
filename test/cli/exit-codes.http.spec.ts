import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.js';
import { isNightlyForm } from '../support/forms.js';
import { commandLine } from '../support/cli/command-line.js';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';

/*
 * Each exit code: scripts rely on these numbers. The program itself ends with what its command line gives: in the nightly form it is
 * started for each, in the short form once for success and once for a failure.
 */

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

let world: CliWorld;
let jobId: string;

beforeAll(async () => {
  world = await openCliWorld(1, { ROLE: 'api' });
  const started = await world.run(['job', 'start', 'pump-1', 'backup', '-o', 'json']);
  jobId = (JSON.parse(started.out) as { id: string }).id;
});
afterAll(() => world.close());

function start(args: readonly string[], key: string | undefined, url = world.gateway.url) {
  const env = { ...world.environment(key), FLEETGATE_URL: url, PATH: process.env['PATH'] };
  return spawn(process.execPath, [MAIN, ...args], { env, stdio: 'ignore' });
}

async function codeOf(args: readonly string[], key: string | undefined): Promise<number | null> {
  const [code] = (await once(start(args, key), 'exit')) as [number | null];
  return code;
}

const { done, error, usage, someFailed, notSignedIn, notFound, conflict, notPermitted, stillRunning } = EXIT;

const CASES: readonly (readonly [
  code: number,
  as: 'administrator' | 'viewer' | 'stranger' | 'nobody',
  args: () => string[],
])[] = [
  [done, 'administrator', () => ['device', 'list']],
  [error, 'administrator', () => ['device', 'list', '-l', 'tag:(']],
  [usage, 'administrator', () => ['device', 'shwo']],
  [someFailed, 'administrator', () => ['fan-out', 'get', '/no/such/path', '-l', 'tag:pump']],
  [usage, 'administrator', () => ['device', 'import', '/no/such/fleet.csv']],
  [usage, 'administrator', () => ['device', 'add', 'pump-9', '-f', '/no/such/device.yaml']],
  [usage, 'administrator', () => ['audit', 'verify', '--export', '/no/such/export.ndjson', '--key', 'k']],
  [usage, 'administrator', () => ['audit', 'export', '--to', '/no/such/folder/export.ndjson']],
  [usage, 'administrator', () => ['firmware', 'upload', '/']],
  [notSignedIn, 'stranger', () => ['device', 'list']],
  [notSignedIn, 'nobody', () => ['device', 'list']],
  [notSignedIn, 'nobody', () => ['audit', 'verify']],
  [notFound, 'administrator', () => ['device', 'show', 'no-device']],
  [conflict, 'administrator', () => ['device', 'add', 'pump-1', '--base-url', 'https://192.0.2.9']],
  [notPermitted, 'viewer', () => ['device', 'remove', 'pump-1', '--confirm', 'pump-1']],
  [stillRunning, 'administrator', () => ['job', 'watch', jobId, '--timeout', '0.001']],
];

it.each(CASES)('ends with %i, as %s', async (code, as, args) => {
  const key = as === 'nobody' ? undefined : as === 'stranger' ? 'fg_wrong' : world.gateway.keys[as];
  const isStarted = isNightlyForm || [done, notFound].some((one) => one === code);
  const ended = isStarted ? await codeOf(args(), key) : (await commandLine(world.environment(key), args())).code;
  expect(ended).toBe(code);
});

it('ends with 7 when a lock refuses it', async () => {
  const set = await world.run(['lock', 'set', 'device', 'name:pump-1', '--reason', 'storm', '--yes', '-o', 'json']);
  const refused = await world.run(['call', 'get', 'pump-1', '/system/device/status']);
  await world.run(['lock', 'lift', (JSON.parse(set.out) as { id: string }).id]);
  expect([refused.err, refused.code]).toEqual([expect.stringContaining('(locked)'), notPermitted]);
});

it('ends with 9 when an export of the audit is not what the gateway wrote', async () => {
  const key = (await world.run(['audit', 'key'])).out.trim();
  const file = await world.file('audit.ndjson', '{"type":"entry"}\n');
  const ended = await world.run(['audit', 'verify', '--export', file, '--key', key]);
  expect(ended.code).toBe(EXIT.auditIncorrect);
});

it('ends with 130 at Ctrl-C', async () => {
  const server = http.createServer(() => child.kill('SIGINT'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const child = start(['device', 'list'], 'fg_x', `http://127.0.0.1:${port}`);
  const [code] = (await once(child, 'exit')) as [number | null];
  server.closeAllConnections();
  server.close();
  expect(code).toBe(EXIT.interrupted);
});
