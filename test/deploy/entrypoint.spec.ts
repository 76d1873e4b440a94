import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/* What containers and the unit start: it gives the password of the database to the gateway, or says why it cannot. */

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-entrypoint-'));
  await chmod(folder, 0o755);
  await writeFile(path.join(folder, 'password'), 's3cret word\n', { mode: 0o444 });
  await writeFile(path.join(folder, 'quotes'), `a"b'c$d\`e`, { mode: 0o444 });
  await writeFile(path.join(folder, 'closed'), 's3cret word\n', { mode: 0o000 });
  await writeFile(path.join(folder, 'empty'), '', { mode: 0o444 });
  await writeFile(path.join(folder, 'line'), '\n', { mode: 0o444 });
  await mkdir(path.join(folder, 'folder'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command by the script, as a user without the rights of root. */
function enter(file: string | null, command: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const isRoot = process.getuid?.() === 0;
  return spawnSync('/bin/sh', ['deploy/entrypoint.sh', ...command], {
    env: { PATH: process.env['PATH'], ...env, ...(file === null ? {} : { PGPASSWORD_FILE: path.join(folder, file) }) },
    encoding: 'utf8',
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
}

const SHOW = ['sh', '-c', 'printf "%s|%s" "${PGPASSWORD-none}" "${PGPASSWORD_FILE-none}"'];

it.each([
  ['closed', /cannot be read by user \d+/],
  ['no-such-file', /is not there/],
  ['closed/below', /is not there/],
  ['folder', /is not a file/],
  ['empty', /is empty/],
  ['line', /is empty/],
])('stops with a sentence where the password file is %s', (file, reason) => {
  const { status, stdout, stderr } = enter(file, SHOW);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(reason);
  expect(stderr).toContain(`${folder}/${file} (PGPASSWORD_FILE)`);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it.each<[file: string | null, env: NodeJS.ProcessEnv, seen: string]>([
  ['password', {}, 's3cret word|none'],
  ['quotes', {}, 'a"b\'c$d`e|none'],
  ['password', { PGPASSWORD: 'older' }, 's3cret word|none'],
  [null, { PGPASSWORD: 'given' }, 'given|none'],
  [null, { PGPASSWORD_FILE: '' }, 'none|'],
  [null, {}, 'none|none'],
])('gives the command what is in %s beside %j', (file, env, seen) => {
  const { status, stdout, stderr } = enter(file, SHOW, env);
  expect([status, stdout, stderr]).toEqual([0, seen, '']);
});

it('becomes the command: its words, its exit code and its process', () => {
  const said = enter('password', ['sh', '-c', 'echo "$1"; exit 7', 'sh', 'two words']);
  expect([said.status, said.stdout]).toEqual([7, 'two words\n']);
  const killed = enter('password', ['sh', '-c', 'kill -TERM $$']);
  expect(killed.signal).toBe('SIGTERM');
});
