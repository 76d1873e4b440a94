import { randomUUID } from 'node:crypto';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { errorChain } from '../platform/errors/error-chain.js';
import { ArtifactStore, SHA256, type DigestStream, type Draft, type Quota, type StoredBytes } from './artifacts.js';

export interface S3Settings {
  readonly bucket: string;
  /** Beginning of all keys; ends in a slash unless it is empty. */
  readonly prefix: string;
}

/** What is being written and was not finished for this long belongs to a process that is gone. */
const LEFTOVER_MS = 24 * 60 * 60_000;

/** How long a check of the bucket counts. */
const PROVEN_FOR_MS = 60_000;

/** Parts of an upload: two of them are in memory at once. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * The store in a bucket: `<prefix>ab/abcd…`, and `<prefix>incoming/` for what is being written. An object gets its name
 * by a copy inside the bucket once its digest is known, so under a digest there are all bytes or none.
 */
export class S3ArtifactStore extends ArtifactStore {
  private provenUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly client: S3Client,
    private readonly settings: S3Settings,
    quota?: Quota | null,
  ) {
    super(quota);
  }

  /** @throws Error in an operator's words when the bucket cannot be used */
  async prepare(): Promise<void> {
    const { bucket } = this.settings;
    try {
      await this.client.send(new HeadBucketCommand({ Bucket: bucket }));
    } catch (error) {
      throw new Error(`The bucket ${bucket} of ARTIFACT_S3_BUCKET cannot be used: ${errorChain(error)}`, {
        cause: error,
      });
    }
    const before = Date.now() - LEFTOVER_MS;
    for await (const { key, at } of this.keys('incoming/')) if (at.getTime() < before) await this.drop(key);
  }

  protected async take(source: Readable, digest: DigestStream): Promise<Draft> {
    const key = this.keyOf(`incoming/${randomUUID()}`);
    const upload = new Upload({
      client: this.client,
      params: { Bucket: this.settings.bucket, Key: key, Body: digest },
      partSize: PART_BYTES,
      queueSize: 2,
    });
    // Whichever side fails first ends the other: the bytes stop, or the upload is given up.
    const flowing = pipeline(source, digest).catch(async (error: unknown) => {
      await upload.abort().catch(() => undefined);
      throw error;
    });
    const uploading = upload.done().catch((error: unknown) => {
      digest.destroy(error instanceof Error ? error : new Error('the upload was cancelled'));
      throw error;
    });
    const [flow, sent] = await Promise.allSettled([flowing, uploading]);
    if (flow.status === 'rejected' || sent.status === 'rejected') {
      await this.drop(key).catch(() => undefined);
      throw flow.status === 'rejected' ? flow.reason : (sent as PromiseRejectedResult).reason;
    }
    const { sha256, bytes } = digest.total();
    return { sha256, bytes, keep: () => this.moveIn(key, sha256), discard: () => this.drop(key) };
  }

  /** Requests to a bucket cost money, so once a minute is enough; after a failure it is tried at each check. */
  async checkRoom(): Promise<void> {
    if (performance.now() < this.provenUntil) return;
    const key = this.keyOf(`incoming/ready-${randomUUID()}`);
    await this.client.send(new PutObjectCommand({ Bucket: this.settings.bucket, Key: key, Body: 'ready' }));
    await this.drop(key);
    this.provenUntil = performance.now() + PROVEN_FOR_MS;
  }

  async *list(): AsyncGenerator<StoredBytes> {
    for await (const { key, at } of this.keys('')) {
      const sha256 = key.split('/').at(-1)!;
      if (SHA256.test(sha256) && key === this.keyOfBytes(sha256)) yield { sha256, storedAt: at };
    }
  }

  async remove(sha256: string, storedBefore: Date): Promise<boolean> {
    const Key = this.keyOfBytes(sha256);
    const found = await this.client
      .send(new HeadObjectCommand({ Bucket: this.settings.bucket, Key }))
      .catch(() => null);
    if (!found?.LastModified || found.LastModified >= storedBefore) return false;
    await this.drop(Key);
    return true;
  }

  protected async open(sha256: string): Promise<Readable> {
    const { Body } = await this.client.send(
      new GetObjectCommand({ Bucket: this.settings.bucket, Key: this.keyOfBytes(sha256) }),
    );
    return Body as Readable; // on Node the body is a stream of Node
  }

  private async moveIn(key: string, sha256: string): Promise<void> {
    const { bucket: Bucket } = this.settings;
    const CopySource = `${Bucket}/${key}`;
    await this.client.send(new CopyObjectCommand({ Bucket, Key: this.keyOfBytes(sha256), CopySource }));
    await this.drop(key);
  }

  private async drop(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand({ Bucket: this.settings.bucket, Key: key }));
  }

  private async *keys(under: string): AsyncGenerator<{ key: string; at: Date }> {
    let ContinuationToken: string | undefined;
    do {
      const page = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.settings.bucket, Prefix: this.keyOf(under), ContinuationToken }),
      );
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key && LastModified) yield { key: Key, at: LastModified };
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
  }

  private keyOfBytes(sha256: string): string {
    return this.keyOf(`${sha256.slice(0, 2)}/${sha256}`);
  }

  private keyOf(name: string): string {
    return `${this.settings.prefix}${name}`;
  }
}

/**
 * The store that the settings name. The SDK finds region and keys: in `AWS_*`, or in its usual places.
 * @param place the bucket, or `bucket/prefix`
 */
export function s3StoreOf(endpoint: string | undefined, place: string, quota?: Quota): S3ArtifactStore {
  const [bucket, ...folders] = place.split('/').filter((part) => part !== '') as [string, ...string[]];
  const client = new S3Client({
    // Stores beside AWS have no name for each bucket in the DNS, and not all know the checksums that are new there.
    // Most have no regions either, but the SDK signs requests for one.
    ...(endpoint ? { endpoint, forcePathStyle: true, region: process.env['AWS_REGION'] || 'us-east-1' } : {}),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return new S3ArtifactStore(client, { bucket, prefix: folders.map((folder) => `${folder}/`).join('') }, quota);
}
