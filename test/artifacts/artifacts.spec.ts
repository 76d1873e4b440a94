import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileArtifactStore } from '../../src/artifacts/artifacts.js';

describe('the artifact store in files', () => {
  let folder: string;
  let store: FileArtifactStore;
  const incoming = () => readdir(path.join(folder, 'incoming'));
  const fileOf = (sha256: string) => path.join(folder, sha256.slice(0, 2), sha256);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-artifacts-'));
    store = new FileArtifactStore(folder);
    await store.prepare();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const keep = async (...parts: string[]) => {
    const draft = await store.write(Readable.from(parts.map((part) => Buffer.from(part))), 1_000);
    await draft.keep();
    return draft;
  };

  it('keeps bytes under their digest, for its own user alone', async () => {
    const draft = await keep('ab', 'cd');
    expect(draft).toMatchObject({ sha256: createHash('sha256').update('abcd').digest('hex'), bytes: 4 });
    expect(String(await buffer(await store.read(draft.sha256)))).toBe('abcd');
    expect((await stat(fileOf(draft.sha256))).mode & 0o777).toBe(0o600);
    expect(await incoming()).toEqual([]);
  });

  it('is ready when it can store, and leaves nothing behind; it is not when it cannot', async () => {
    await store.checkRoom();
    expect(await incoming()).toEqual([]);
    await rm(path.join(folder, 'incoming'), { recursive: true });
    await expect(store.checkRoom()).rejects.toThrow('ENOENT');
  });

  it('keeps the same bytes once', async () => {
    const [first, second] = [await keep('same'), await keep('same')];
    expect(second.sha256).toBe(first.sha256);
    expect(await readdir(path.dirname(fileOf(first.sha256)))).toHaveLength(1);
  });

  it('leaves nothing of a discarded draft', async () => {
    const draft = await store.write(Readable.from([Buffer.from('no')]), 1_000);
    await draft.discard();
    expect(await incoming()).toEqual([]);
    await expect(store.read(draft.sha256)).rejects.toMatchObject({ code: 'artifact_damaged' });
  });

  it('refuses more bytes than allowed and leaves nothing of them', async () => {
    const source = Readable.from([Buffer.alloc(600), Buffer.alloc(600)]);
    await expect(store.write(source, 1_000)).rejects.toMatchObject({ code: 'device_answer_too_large' });
    expect(await incoming()).toEqual([]);
  });

  it('leaves nothing of a source that broke off', async () => {
    async function* broken() {
      yield await Promise.resolve(Buffer.from('half'));
      throw new Error('reset');
    }
    await expect(store.write(Readable.from(broken()), 1_000)).rejects.toThrow('reset');
    expect(await incoming()).toEqual([]);
  });

  it('does not hand out bytes that were damaged on the disk', async () => {
    const { sha256 } = await keep('true bytes');
    await writeFile(fileOf(sha256), 'True bytes');
    await expect(store.read(sha256)).rejects.toMatchObject({ code: 'artifact_damaged' });
  });

  it('removes at its start what dead processes left half-written, and nothing of living ones', async () => {
    const dead = `${os.hostname()}~999999999~x`;
    const alive = `${os.hostname()}~${process.ppid}~x`;
    const elsewhere = `another-host~1~x`;
    for (const name of [dead, alive, elsewhere]) await writeFile(path.join(folder, 'incoming', name), 'half');
    await store.prepare();
    expect((await incoming()).sort()).toEqual([alive, elsewhere].sort());
  });
});
