import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config.js';
import { createLog } from '../../src/platform/log.js';
import { readRootKey } from '../../src/secrets/root-key-source.js';

describe('the root key', () => {
  let dir: string;
  let lines: string[];
  const read = async (env: Record<string, string> = {}) =>
    readRootKey(readConfig({ DATA_DIR: dir, ...env }), createLog('info', { write: (line) => void lines.push(line) }));

  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-key-'));
    lines = [];
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('is made on the first start, readable by its owner alone, with a warning that does not hold it', async () => {
    const key = await read();
    expect(key).toHaveLength(32);
    expect((await stat(path.join(dir, 'root.key'))).mode & 0o777).toBe(0o600);
    expect(lines.join('')).toMatch(/store a copy/);
    expect(lines.join('')).not.toContain(key.toString('base64'));
  });

  it('is the same on the second start, without a warning', async () => {
    const first = await read();
    lines = [];
    expect(await read()).toEqual(first);
    expect(lines).toEqual([]);
  });

  it('is the same for two processes that start together', async () => {
    const keys = await Promise.all([read(), read(), read()]);
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  });

  it('comes from FLEETGATE_KEY', async () => {
    const key = Buffer.alloc(32, 7);
    expect(await read({ FLEETGATE_KEY: key.toString('base64') })).toEqual(key);
  });

  it.each([
    ['is not there', null, 0o600, /cannot be read/],
    ['holds too little', 'c2hvcnQ=', 0o600, /FLEETGATE_KEY_FILE: must be 32 bytes/],
    ['can be changed by others', Buffer.alloc(32, 1).toString('base64'), 0o666, /chmod 600/],
  ])('is refused when its file %s', async (_why, content, mode, words) => {
    const file = path.join(dir, 'key');
    if (content !== null) {
      await writeFile(file, content);
      await chmod(file, mode);
    }
    await expect(read({ FLEETGATE_KEY_FILE: file })).rejects.toThrow(words);
  });
});
