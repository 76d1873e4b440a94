import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startGateway } from '../../src/gateway.js';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/platform/config.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { PROJECT } from '../support/source/project.js';

/* A start that cannot succeed says so before it has done anything. */

let folder: string;
let other: Server;
let database: TestDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-start-'));
  await chmod(folder, 0o711); // as root the embedded database runs as another user
  other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterEach(async () => {
  other.close();
  await rm(folder, { recursive: true });
});

it('refuses a port in use, without a database and without a set-up token', async () => {
  const { port } = other.address() as AddressInfo;
  const data = path.join(folder, 'data');
  const config = readConfig({ PORT: String(port), DATA_DIR: data, LOG_LEVEL: 'silent' });
  await expect(startGateway({ config })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  expect(existsSync(data)).toBe(false);
});

it.each([
  ['a port in use', () => ({ PORT: String((other.address() as AddressInfo).port) }), 'is in use'],
  ['a wrong setting', () => ({ PORT: 'many' }), 'The configuration is not valid'],
  [
    'more processes than the database has connections for',
    () => ({ PROCESSES: '2', DATABASE_POOL_SIZE: '200', PORT: '0', DATABASE_URL: database.url }),
    'The 2 processes of this machine may use ',
  ],
  [
    'an action that no change has',
    () => ({ REQUIRE_CHANGE_REASON: 'device.* job.begin' }),
    'REQUIRE_CHANGE_REASON: job.begin: no such action: there are job.cancel, job.end, job.start',
  ],
])('says once why it does not start: %s', (_what, settings, reason) => {
  const main = fileURLToPath(new URL('dist/src/main.js', PROJECT));
  const env = { PATH: process.env['PATH'], DATA_DIR: path.join(folder, 'data'), ...settings() };
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });
  expect([status, stderr.split(reason).length - 1]).toEqual([1, 1]);
  expect(stderr).toMatch(/^\nFleetgate could not start: /);
});
