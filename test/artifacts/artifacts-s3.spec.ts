import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import S3rver from 's3rver';
import { type ArtifactStore } from '../../src/artifacts/artifacts.js';
import { s3StoreOf } from '../../src/artifacts/artifacts-s3.js';

describe('the artifact store in a bucket', () => {
  let folder: string;
  let server: S3rver;
  let store: ArtifactStore;
  let client: S3Client;
  let endpoint: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-s3-'));
    const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder };
    server = new S3rver({ ...options, configureBuckets: [{ name: 'artifacts', configs: [] }] });
    const { port } = await server.run();
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    endpoint = `http://127.0.0.1:${port}`;
    store = s3StoreOf(endpoint, 'artifacts/gateway/one/');
    await store.prepare();
    client = new S3Client({
      region: 'us-east-1',
      endpoint,
      forcePathStyle: true,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    });
  });
  afterAll(async () => {
    client.destroy();
    vi.unstubAllEnvs();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const keys = async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'artifacts' }));
    return Contents.map(({ Key }) => Key!);
  };
  const keep = async (bytes: Buffer) => {
    const draft = await store.write(Readable.from([bytes]), 100_000_000);
    await draft.keep();
    return draft;
  };

  it('is ready when the bucket takes something, and leaves nothing behind; it is not when the bucket does not', async () => {
    const before = await keys();
    await s3StoreOf(endpoint, 'artifacts').checkRoom();
    expect(await keys()).toEqual(before);
    const other = s3StoreOf('http://127.0.0.1:9', 'artifacts');
    await expect(other.checkRoom()).rejects.toThrow('ECONNREFUSED');
  });

  it('keeps bytes under their digest, also more than one part of them', async () => {
    const bytes = Buffer.alloc(17 * 1024 * 1024, 'a large image ');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await keep(bytes)).toMatchObject({ sha256, bytes: bytes.length });
    expect(await keys()).toEqual([`gateway/one/${sha256.slice(0, 2)}/${sha256}`]);
    expect((await buffer(await store.read(sha256))).equals(bytes)).toBe(true);
    expect(await store.remove(sha256, new Date(Date.now() + 60_000))).toBe(true);
  });

  it('leaves nothing of what was discarded, too large, or broke off', async () => {
    const draft = await store.write(Readable.from([Buffer.from('no')]), 1_000);
    await draft.discard();
    const large = Readable.from([Buffer.alloc(600), Buffer.alloc(600)]);
    await expect(store.write(large, 1_000, 'body_too_large')).rejects.toMatchObject({ code: 'body_too_large' });
    async function* broken() {
      yield await Promise.resolve(Buffer.from('half'));
      throw new Error('reset');
    }
    await expect(store.write(Readable.from(broken()), 1_000)).rejects.toThrow('reset');
    expect(await keys()).toEqual([]);
  });

  it('does not hand out bytes that were damaged, or are not there', async () => {
    const { sha256 } = await keep(Buffer.from('true bytes'));
    const Key = `gateway/one/${sha256.slice(0, 2)}/${sha256}`;
    await client.send(new PutObjectCommand({ Bucket: 'artifacts', Key, Body: 'True bytes' }));
    await expect(store.read(sha256)).rejects.toMatchObject({ code: 'artifact_damaged' });
    await store.remove(sha256, new Date(Date.now() + 60_000));
    await expect(store.read(sha256)).rejects.toMatchObject({ code: 'artifact_damaged' });
  });

  it('lists what it holds, and removes it only when it is older than asked', async () => {
    const { sha256 } = await keep(Buffer.from('listed'));
    const listed = [];
    for await (const found of store.list()) listed.push(found.sha256);
    expect(listed).toEqual([sha256]);
    expect(await store.remove(sha256, new Date(Date.now() - 3_600_000))).toBe(false);
    expect(await store.remove(sha256, new Date(Date.now() + 60_000))).toBe(true);
    expect(await store.remove(sha256, new Date())).toBe(false);
  });

  it('says at the start that its bucket is not there', async () => {
    const elsewhere = s3StoreOf(endpoint, 'missing-bucket');
    await expect(elsewhere.prepare()).rejects.toThrow('The bucket missing-bucket');
  });
});
